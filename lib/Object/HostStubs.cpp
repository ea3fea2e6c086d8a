//===- HostStubs.cpp - Machine code of host objects -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An object for a host program contains a little machine code, which registers
/// the linked image with the CUDA runtime when the program starts.
/// HostObjectWriter.cpp calls getHostStub() for the code of the host when it
/// writes such an object at the end of a device link; a host without one is an
/// error there. scripts/make-host-stubs compiles the code once for each host,
/// from host-stub.c, and writes the bytes and relocations to HostStubs.inc, so
/// the linker needs no host compiler.
///
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
