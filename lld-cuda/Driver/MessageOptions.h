//===- MessageOptions.h - How messages are to look --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How messages are printed: their format and whether they are coloured. Read
/// before the rest of a command line, since its mistakes are messages, too.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_MESSAGEOPTIONS_H
#define LLD_CUDA_DRIVER_MESSAGEOPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace lld::cuda {

struct Config;
enum class ErrorFormat : uint8_t;

/// By its name in --error-format.
std::optional<ErrorFormat> findErrorFormat(llvm::StringRef name);

/// The last one on a command line, which need not be right otherwise.
std::optional<ErrorFormat> findErrorFormat(llvm::ArrayRef<const char *> words);

/// Whether messages are coloured if no option says so. That is a matter of
/// terminals and the environment, so only where they go to standard error.
bool wantsColor(bool isStandardError);

/// Both, before the command line is read: it may have mistakes.
void readMessageOptions(Config &config, llvm::ArrayRef<const char *> words,
                        bool isStandardError);

} // namespace lld::cuda

#endif
