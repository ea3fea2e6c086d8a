//===- Limits.h - What memory and time a program may take -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --memory-limit and --time-limit of all programs. Memory counts from when the
/// limit is set: what inputs hold and what is made of it, without files that
/// are mapped; the program itself gets OwnMemory besides. Whatever the program
/// does then, reading options, decompressing or printing, it ends with a
/// message that names the option.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_LIMITS_H
#define LLD_CUDA_SUPPORT_LIMITS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <system_error>

namespace lld::cuda {

struct Limits {
  uint64_t memory = 0;  ///< In MiB; 0: none.
  unsigned seconds = 0; ///< 0: none.

  bool operator==(const Limits &other) const {
    return memory == other.memory && seconds == other.seconds;
  }
};

/// Stacks of threads, tables, buffers of streams.
constexpr uint64_t OwnMemory = uint64_t(64) << 20;

/// Those of a command line before anything else is read, files of options among
/// it. What isn't right is left to whoever reads the options.
Limits findLimits(llvm::ArrayRef<const char *> words);

/// The values of the options.
llvm::Error readMemoryLimit(llvm::StringRef value, Limits &limits);
llvm::Error readTimeLimit(llvm::StringRef value, Limits &limits);

/// How a program's last message begins, and its exit status then. Both texts
/// are kept.
struct LastWords {
  const char *prefix = "";
  int status = 1;
};

/// Memory that isn't there ends the program with a message and without what it
/// would leave behind. For main().
void endWithoutMemory(LastWords words);

/// From here on, for the whole process; later ones replace earlier ones. For
/// programs, not for a library in someone else's process.
void applyLimits(const Limits &limits);

/// --memory-limit in bytes, or nothing.
std::optional<uint64_t> getMemoryLimit();

/// For an error that --memory-limit may be the reason of: the same, with a
/// message that says so.
std::error_code explainNoMemory(std::error_code error);

/// The memory that this process may use: that of the machine, of its control
/// group, or the limit set by setrlimit().
uint64_t getAvailableMemory();

/// That is the limit from here on, unless --memory-limit is.
void limitToAvailableMemory();

} // namespace lld::cuda

#endif
