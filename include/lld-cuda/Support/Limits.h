//===- Limits.h - Limits of memory and time ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --memory-limit and --time-limit of all programs: reads and applies them, and
/// ends the program with a message when memory or time runs out. main functions
/// call it first (directly, or through Program.h and ToolOptions.h); readers of
/// files ask it how much memory they may use.
///
/// Memory counts from the moment when the limit is set: inputs held in memory
/// and everything made from them, but not mapped files; the program gets
/// OwnMemory besides. When a limit is exceeded, the program ends with a message
/// that names the option, whatever it is doing.
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

/// The values of the two options.
struct Limits {
  uint64_t memory = 0;  ///< In MiB (other sizes here are in bytes); 0 for none.
  unsigned seconds = 0; ///< Wall-clock time; 0 for no limit.

  bool operator==(const Limits &other) const {
    return memory == other.memory && seconds == other.seconds;
  }
};

/// Bytes that the program may use for itself: stacks of threads, tables,
/// buffers of streams.
constexpr uint64_t OwnMemory = uint64_t(64) << 20;

/// Finds the limits among command-line arguments, before anything else, such as
/// a response file, is read. Invalid values are ignored here; the option parser
/// reports them later.
Limits findLimits(llvm::ArrayRef<const char *> words);

/// Parse an option's value: a number of MiB, or of seconds. After an error
/// `limits` is unchanged.
llvm::Error readMemoryLimit(llvm::StringRef value, Limits &limits);
llvm::Error readTimeLimit(llvm::StringRef value, Limits &limits);

/// How the message of a program that runs out of memory or time begins, and its
/// exit status then. `prefix` isn't copied: it must live as long as the
/// process.
struct LastWords {
  const char *prefix = "";
  int status = 1;
};

/// Makes running out of memory from now on end the program with a message,
/// after its temporary files are removed. Called by main().
void endWithoutMemory(LastWords words);

/// Applies the limits to the whole process from now on; a later call replaces
/// them. A library must not call it.
void applyLimits(const Limits &limits);

/// Returns the applied --memory-limit in bytes, or nullopt if there is none.
std::optional<uint64_t> getMemoryLimit();

/// Returns `error`; if it is ENOMEM and there is a --memory-limit, with a
/// message that mentions the option.
std::error_code explainNoMemory(std::error_code error);

/// Returns how many bytes of memory this process may use: the least of the
/// machine's memory, the limit of its control group (ControlGroups.h) and the
/// limits set by setrlimit().
uint64_t getAvailableMemory();

/// Makes getAvailableMemory() the limit from now on, unless --memory-limit is
/// set.
void limitToAvailableMemory();

} // namespace lld::cuda

#endif
