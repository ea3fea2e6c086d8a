//===- HostObjectWriter.h - The host's part of a device link ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes the object that a host program needs of a device link: the fatbin,
/// and the functions by which the objects that took part register themselves
/// and, once the last one has, the fatbin [host-object]. No compiler is needed.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_HOSTOBJECTWRITER_H
#define LLD_CUDA_OBJECT_HOSTOBJECTWRITER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"

namespace lld::cuda {

/// A relocatable ELF object for the host. `identifiers`: of the inputs that the
/// object registers, as --register-link-binaries lists them, without
/// repetition. Fails for hosts other than x86-64, aarch64 and riscv64 with ELF.
llvm::Expected<llvm::SmallVector<char, 0>>
writeHostObject(const llvm::Triple &host, llvm::StringRef fatbin,
                llvm::ArrayRef<std::string> identifiers);

/// The object of a relocatable device link, a layer: it has no code, and is
/// there for later device links only; a host linker leaves all of it out
/// [layer-object]. `moduleIds`: of the inputs that have some. `lists`: what is
/// in the sections HostListSections, in their order, or none. Fails as above.
llvm::Expected<llvm::SmallVector<char, 0>>
writeLayerObject(const llvm::Triple &host, llvm::StringRef fatbin,
                 llvm::ArrayRef<std::string> moduleIds,
                 llvm::ArrayRef<std::string> lists);

} // namespace lld::cuda

#endif
