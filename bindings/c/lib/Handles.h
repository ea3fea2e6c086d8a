//===- Handles.h - The structs of the C interface ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The structs behind the handles of the C interface (lldcuda.h), and what its
/// functions share. All sources of this folder implement functions of the
/// interface with them. Each function is one call(), or callWith() if it works
/// on a link, which also locks the handle; both turn exceptions into a status
/// (only std::bad_alloc is expected). What a handle returns by pointer is kept
/// in containers that don't move their elements.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_C_HANDLES_H
#define LLD_CUDA_BINDINGS_C_HANDLES_H

#include "Memory.h"
#include "lld-cuda/Linker.h"
#include "lld-cuda/Linker/Session.h"
#include "lld-cuda/Support/ContentCache.h"
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

/// A diagnostic as the interface returns it. Every string has a NUL after its
/// last byte.
struct DiagnosticRecord {
  struct Name {
    int32_t sort; ///< LLDCUDA_NAME_...
    std::string text;
  };
  int32_t severity = 0;
  uint32_t input = 0;
  llvm::StringRef id; ///< Refers to a static table.
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
  Options, ///< Everything. The options aren't checked yet.
  Inputs,
  Done,  ///< Only results can be read.
  Broken ///< Only diagnostics can be read: the options are wrong.
};

inline lldcuda_string asString(llvm::StringRef text) {
  return {text.data(), text.size()};
}
inline llvm::StringRef asRef(lldcuda_string text) {
  return text.size ? llvm::StringRef(text.data, text.size) : llvm::StringRef();
}
/// Returns whether `count` elements can be at `data`. A count of -1, for
/// example, can't.
template <typename T> bool isArray(const T *data, size_t count) {
  constexpr size_t Most = PTRDIFF_MAX / sizeof(T);
  return data ? count <= Most : !count;
}
inline bool isString(lldcuda_string text) {
  return isArray(text.data, text.size);
}

/// No struct will ever be longer: a larger size was never set by a program.
constexpr size_t LongestStruct = 4096;

template <typename T> bool isSizeOf(const T &value) {
  return value.struct_size >= sizeof(T) && value.struct_size <= LongestStruct;
}

/// Reads a struct of a program that may have been built with another header.
/// Returns false if its size is wrong, or if a field is set that isn't known
/// here.
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

/// Writes a struct. If the program's struct is longer, the rest of it becomes
/// zero. Returns false if its size is wrong.
template <typename T> bool writeStruct(T *to, T value) {
  if (!to || !isSizeOf(*to))
    return false;
  const size_t size = value.struct_size = to->struct_size;
  memcpy(static_cast<void *>(to), &value, sizeof(T));
  memset(reinterpret_cast<char *>(to) + sizeof(T), 0, size - sizeof(T));
  return true;
}

/// Makes LLVM's fatal errors exceptions. Must be called before anything of LLVM
/// that can fail.
void prepareProcess();

/// Runs `fn`, the body of a function of the interface, and returns its status.
/// Exceptions become a status.
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

/// Like call(), for a link: locks its mutex and charges memory to its account.
/// A lack of memory becomes a diagnostic, too, if there is memory for that.
template <typename Fn>
lldcuda_status callWith(lldcuda_link *link, Fn fn) noexcept;

/// Returns the status that the first error among these diagnostics stands for.
/// Status.cpp.
lldcuda_status statusOf(llvm::ArrayRef<Diagnostic> messages);

/// Copies the options that the program has set to `link`. Options.cpp.
lldcuda_status readOptions(lldcuda_link &link, const lldcuda_options *options);

} // namespace lld::cuda::capi

/// An input that lldcuda_prepare() has read.
struct lldcuda_prepared {
  std::shared_ptr<lld::cuda::PreparedInput> input;
  std::string name;
  lld::cuda::InputKind kind;
};

/// A link, with its results. Locked by `mutex` during each call.
struct lldcuda_link {
  lld::cuda::capi::Account account; ///< Charged for all members below.
  mutable std::mutex mutex;
  lld::cuda::capi::Stage stage = lld::cuda::capi::Stage::Options;
  lld::cuda::LinkOptions options;
  lldcuda_compile_fn compile = nullptr;
  void *compileUser = nullptr;

  uint32_t added = 0;  ///< Number of calls of lldcuda_link_add().
  uint32_t adding = 0; ///< Number of the input that such a call examines; 0 for
                       ///< none.
  /// Exists once the options are accepted.
  std::optional<lld::cuda::LinkSession> session;
  /// The numbers of the inputs that the session has accepted.
  std::vector<uint32_t> inputs;

  std::deque<lld::cuda::capi::DiagnosticRecord> records;
  std::unique_ptr<llvm::MemoryBuffer> image;
  std::vector<lld::cuda::KernelFacts> kernels;
  /// Of lldcuda_link_cache_find(); null until that or ..._keep() is called.
  std::unique_ptr<lld::cuda::ContentCache> cache;
  bool isCacheUnusable = false;                 ///< That was reported.
  std::vector<lld::cuda::HashedFile> compilers; ///< Named by keys so far.
  /// What lldcuda_link_cache_find() has found.
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> cached;
  std::deque<std::string> logs; ///< Results of lldcuda_link_log(), each longer
                                ///< than the one before.

  /// Keeps messages about the input with that number; 0 for any input.
  void record(llvm::ArrayRef<lld::cuda::Diagnostic> messages, uint32_t input);
  /// Keeps an error of the interface itself, and returns `status`.
  lldcuda_status fail(lldcuda_status status, llvm::StringRef id,
                      const llvm::Twine &text, uint32_t input = 0);
  /// Returns the number of the input that messages call `label`; 0 if there is
  /// none, or more than one, or the link is done.
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
