//===- HostObjectWriter.h - Writer of host objects --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes the host object that a device link ends with, without a compiler. It
/// has the fatbin, and the functions by which the objects that took part
/// register themselves and, once the last one has, the fatbin (rule
/// [host-object] of docs/reference). DeviceLink.cpp calls it at the end of a
/// device link of ld.cuda with --host-object, when the fatbin is complete.
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

/// Returns a relocatable object for the host: ELF, or COFF for Windows.
/// `identifiers` are those of the inputs that the object registers, as
/// --register-link-binaries lists them. Fails for a host that has no entry in
/// the table of hosts (getHostStub()), and if an identifier is given twice.
llvm::Expected<llvm::SmallVector<char, 0>>
writeHostObject(const llvm::Triple &host, llvm::StringRef fatbin,
                llvm::ArrayRef<std::string> identifiers);

/// Returns the object of a relocatable device link, a layer: it has no code and
/// is for later device links only; a host linker leaves all of it out
/// [layer-object]. `moduleIds` are those of the inputs that have some. `lists`
/// are the contents of the sections HostListSections, in their order, or empty.
/// Fails for a host that writeHostObject() can't write for.
llvm::Expected<llvm::SmallVector<char, 0>>
writeLayerObject(const llvm::Triple &host, llvm::StringRef fatbin,
                 llvm::ArrayRef<std::string> moduleIds,
                 llvm::ArrayRef<std::string> lists);

} // namespace lld::cuda

#endif
