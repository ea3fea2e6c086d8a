//===- Version.cpp - What --version says ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The build defines LLDCUDA_VERSION here, from the project's version in CMake.
/// Each tool calls setProgramName() before it parses its options, as LLVM's
/// option parser would print LLVM's version otherwise. Reports and the compile
/// cache use getVersion().
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

void lld::cuda::setProgramName(StringLiteral name) {
  cl::SetVersionPrinter([name](raw_ostream &os) {
    os << name << " of lld-cuda " LLDCUDA_VERSION "\n";
  });
}

StringRef lld::cuda::getVersion() { return LLDCUDA_VERSION; }
