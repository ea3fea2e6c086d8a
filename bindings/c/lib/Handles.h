//===- Handles.h - What is behind the handles of lldcuda.h ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every function of the interface is one call(), which locks the handle and
/// turns exceptions, of which only the lack of memory is expected, into a
/// status. What a handle returns by pointer is kept in containers that don't
/// move what they hold.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_C_HANDLES_H
#define LLD_CUDA_BINDINGS_C_HANDLES_H

#include "Memory.h"
#include "lld-cuda/Linker.h"
#include "lld-cuda/Linker/Session.h"
#include "lldcuda.h"
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda::capi {

/// A diagnostic as the interface tells it: every string has a NUL behind it.
struct DiagnosticRecord {
  struct Name {
    int32_t sort; ///< LLDCUDA_NAME_...
    std::string text;
  };
  int32_t severity = 0;
  uint32_t input = 0;
  llvm::StringRef id; ///< Of a table.
  std::string text;
  std::vector<Name> names;
  std::vector<std::string> notes;

  llvm::StringRef first(int32_t sort) const {
    for (const Name &name : names)
      if (name.sort == sort)
        return name.text;
    return "";
  }
};

/// What may be done with a link.
enum class Stage {
  Options, ///< All; they aren't checked yet.
  Inputs,
  Done,  ///< Results only.
  Broken ///< Diagnostics only: the options are wrong.
};

inline lldcuda_string asString(llvm::StringRef text) {
  return {text.data(), text.size()};
}
inline llvm::StringRef asRef(lldcuda_string text) {
  return text.size ? llvm::StringRef(text.data, text.size) : llvm::StringRef();
}
/// Whether so many can be anywhere in memory; -1, for one, can't.
template <typename T> bool isArray(const T *data, size_t count) {
  constexpr size_t Most = PTRDIFF_MAX / sizeof(T);
  return data ? count <= Most : !count;
}
inline bool isString(lldcuda_string text) {
  return isArray(text.data, text.size);
}

/// Longer than any struct will be: what is above it was never set.
constexpr size_t LongestStruct = 4096;

template <typename T> bool isSizeOf(const T &value) {
  return value.struct_size >= sizeof(T) && value.struct_size <= LongestStruct;
}

/// Reads a struct of a program that may have been built with another header.
/// False: its size is wrong, or a field that isn't known here is used.
template <typename T> bool readStruct(T &to, const T *from) {
  if (!from || !isSizeOf(*from))
    return false;
  memcpy(&to, from, sizeof(T));
  auto *bytes = reinterpret_cast<const char *>(from);
  for (size_t i = sizeof(T); i < from->struct_size; ++i)
    if (bytes[i])
      return false;
  to.struct_size = sizeof(T);
  return true;
}

/// Writes one; what the program's is longer by becomes zero.
template <typename T> bool writeStruct(T *to, T value) {
  if (!to || !isSizeOf(*to))
    return false;
  const size_t size = value.struct_size = to->struct_size;
  memcpy(static_cast<void *>(to), &value, sizeof(T));
  memset(reinterpret_cast<char *>(to) + sizeof(T), 0, size - sizeof(T));
  return true;
}

/// What LLVM does where it can't go on becomes an exception. To be called
/// before anything of LLVM's that can fail.
void prepareProcess();

/// Runs what a function does; nothing leaves it but a status. What it does for
/// a link is callWith()'s.
template <typename Fn> lldcuda_status call(Fn fn) noexcept {
  try {
    prepareProcess();
    return fn();
  } catch (const std::bad_alloc &) {
    return LLDCUDA_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return LLDCUDA_ERROR_INTERNAL;
  }
}

/// The same for a link, alone and on its account. What fails for lack of memory
/// has a diagnostic, too, if there is memory for that.
template <typename Fn>
lldcuda_status callWith(lldcuda_link *link, Fn fn) noexcept;

/// The status that the first error among these stands for.
lldcuda_status statusOf(llvm::ArrayRef<Diagnostic> messages);

/// Options.cpp: what the program has set.
lldcuda_status readOptions(lldcuda_link &link, const lldcuda_options *options);

} // namespace lld::cuda::capi

struct lldcuda_prepared {
  std::shared_ptr<lld::cuda::PreparedInput> input;
  std::string name;
  lld::cuda::InputKind kind;
};

struct lldcuda_link {
  lld::cuda::capi::Account account; ///< Of all that follows.
  mutable std::mutex mutex;
  lld::cuda::capi::Stage stage = lld::cuda::capi::Stage::Options;
  lld::cuda::LinkOptions options;
  lldcuda_compile_fn compile = nullptr;
  void *compileUser = nullptr;

  uint32_t added = 0;  ///< Calls of lldcuda_link_add().
  uint32_t adding = 0; ///< The input that one of them examines; 0: none.
  std::optional<lld::cuda::LinkSession> session; ///< Of options that are right.
  struct Input {
    std::string name;
    uint32_t number;
  };
  std::vector<Input> inputs; ///< Those that are part of the link.

  std::deque<lld::cuda::capi::DiagnosticRecord> records;
  std::unique_ptr<llvm::MemoryBuffer> image;
  std::vector<lld::cuda::KernelFacts> kernels;
  std::deque<std::string> logs; ///< Each longer than the one before.

  /// Keeps messages, which are about the input of that number; 0: any.
  void record(llvm::ArrayRef<lld::cuda::Diagnostic> messages, uint32_t input);
  /// One of the interface itself.
  lldcuda_status fail(lldcuda_status status, llvm::StringRef id,
                      const llvm::Twine &text, uint32_t input = 0);
  /// The number of the input that messages call so; 0: of none, or of several.
  uint32_t findInput(llvm::StringRef label) const;
};

template <typename Fn>
lldcuda_status lld::cuda::capi::callWith(lldcuda_link *link, Fn fn) noexcept {
  if (!link)
    return LLDCUDA_ERROR_INVALID_ARGUMENT;
  std::lock_guard<std::mutex> lock(link->mutex);
  const lldcuda_status status = call([&] {
    Charging charging(link->account);
    return fn();
  });
  if (status == LLDCUDA_ERROR_OUT_OF_MEMORY)
    call([&] {
      return link->fail(status, "out-of-memory",
                        "there is no more memory for this link");
    });
  return status;
}

#endif
