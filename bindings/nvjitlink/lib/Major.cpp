//===- Major.cpp - What the two libraries differ in -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiled once for each, with LLDCUDA_NVJITLINK_MAJOR.
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
