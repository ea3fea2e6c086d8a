//===- MessageOptions.h - Options for the form of messages ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reader of the options that say how messages are printed: their format, and
/// whether they are coloured. Driver.cpp and DeviceLinkMessages.h call
/// readMessageOptions() at the start, before the rest of the command line is
/// read, so that errors in the command line are printed as they should be.
/// Driver.cpp, LldDriver.cpp and Options.cpp call findErrorFormat() when they
/// read --error-format itself.
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

/// Returns the format with this name in --error-format, or nullopt.
std::optional<ErrorFormat> findErrorFormat(llvm::StringRef name);

/// Returns the last valid format on a command line, or nullopt if there is
/// none. Other options may be wrong.
std::optional<ErrorFormat> findErrorFormat(llvm::ArrayRef<const char *> words);

/// Returns whether messages are coloured if no option decides it. That depends
/// on the terminal and on the environment (NO_COLOR, CLICOLOR_FORCE). Messages
/// that aren't written to standard error are never coloured.
bool wantsColor(bool isStandardError);

/// Sets the format, and whether messages are coloured by default, in `config`.
/// Called before the command line is read, which may have errors.
void readMessageOptions(Config &config, llvm::ArrayRef<const char *> words,
                        bool isStandardError);

} // namespace lld::cuda

#endif
