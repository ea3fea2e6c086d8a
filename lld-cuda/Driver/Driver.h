//===- Driver.h - From the command line to a Config -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_DRIVER_H
#define LLD_CUDA_DRIVER_DRIVER_H

#include "Config.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

struct LinkJob;
struct LinkRequest;
struct LinkResult;
class LinkProgress;
namespace report {
struct Report;
}

/// Which command line a program of that name understands.
Flavor flavorOf(llvm::StringRef programPath);

/// Reads the command line and the environment into job.config. False: there is
/// nothing more to do, because of an error (reported) or because the text asked
/// for is printed.
bool readCommandLine(LinkJob &job, llvm::ArrayRef<const char *> args);

/// The same of nvlink's command line, when it is clear that it is one; without
/// the program's name.
bool readNvlinkCommandLine(LinkJob &job, llvm::ArrayRef<const char *> words,
                           bool (*isOtherOption)(llvm::StringRef) = nullptr);

/// '%a' in a report's name is the architecture.
std::string fillInArchitecture(llvm::StringRef path, llvm::StringRef arch);

/// '%a' in the names of reports becomes the architecture.
void nameReportsByArchitecture(Config &config);

/// Tells how far it is. What --reproduce asks for is written also where other
/// outputs stay in memory, with `reproduces`.
LinkResult link(const LinkRequest &request, LinkProgress *progress,
                report::Report *resources = nullptr, bool reproduces = false);

/// The one place that looks at the environment. Environment.cpp.
Environment readEnvironment();
/// LLD_CUDA_FLAGS: words for every command line; "" if it isn't set.
llvm::StringRef readEnvironmentFlags();

} // namespace lld::cuda

#endif
