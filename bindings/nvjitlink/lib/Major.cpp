//===- Major.cpp - Which libnvJitLink this is -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The constants in which this project's libnvJitLink.so.12 and .so.13 differ:
/// the major and minor version that nvJitLinkVersion() tells, and the release
/// of nvlink by whose rules a Job links. The build compiles this source once
/// for each library, with LLDCUDA_NVJITLINK_MAJOR, and all others once for
/// both. Exports.cpp, Job.cpp, Results.cpp and Compilers.cpp read the constants
/// at run time.
///
//===----------------------------------------------------------------------===//

#include "Interface.h"

namespace lld::cuda::nvjitlink {

#if LLDCUDA_NVJITLINK_MAJOR == 13
const unsigned Major = 13;
const unsigned Minor = 5;
const char *const Release = "13.5.37";
#elif LLDCUDA_NVJITLINK_MAJOR == 12
const unsigned Major = 12;
const unsigned Minor = 9;
const char *const Release = "12.9.86";
#else
#error "LLDCUDA_NVJITLINK_MAJOR isn't 12 or 13"
#endif

} // namespace lld::cuda::nvjitlink
