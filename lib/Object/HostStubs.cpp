//===- HostStubs.cpp - Machine code of host objects -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostObjectParts.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lld::cuda {

namespace {
#include "HostStubs.inc"
} // namespace

const HostStub *getHostStub(const Triple &host) {
  if (host.isOSWindows() && host.isOSBinFormatCOFF()) {
    if (host.getArch() == Triple::x86_64)
      return &x86_64_windowsStub;
    // ARM64EC calls by the rules of x86-64.
    if (host.getArch() == Triple::aarch64 && !host.isWindowsArm64EC())
      return &aarch64_windowsStub;
    return nullptr;
  }
  if (!host.isOSBinFormatELF())
    return nullptr;
  switch (host.getArch()) {
  case Triple::x86_64:
    return &x86_64Stub;
  case Triple::aarch64:
    return &aarch64Stub;
  case Triple::riscv64:
    return &riscv64Stub;
  default:
    return nullptr;
  }
}

} // namespace lld::cuda
