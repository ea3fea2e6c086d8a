//===- Version.cpp - What --version prints --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/LldDriver.h"
#include "LinkJob.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace lld::cuda;

void lld::cuda::printVersion(LinkJob &job) {
  const Release &release = job.config.rules.release();
  const bool isFixed = job.config.release.isFixed;
  if (job.config.release.request.exact) {
    job.out << "nvlink: NVIDIA (R) Cuda linker\nCopyright (c) 2005-"
            << release.copyright << " NVIDIA Corporation\nBuilt on "
            << release.builtOn << '\n'
            << release.version << '\n'
            << release.build << '\n';
    return;
  }
  // Build scripts take the toolkit's version from these two lines.
  if (!job.config.isLld() &&
      sys::path::filename(job.config.program) != "lld-cuda")
    job.out << release.version << '\n' << release.build << '\n';
  job.out << "lld-cuda " LLDCUDA_VERSION " (compatible with nvlink "
          << (isFixed ? "" : releases().front().name) << (isFixed ? "" : " to ")
          << (isFixed ? release : newestRelease()).name << ")\n";
}
