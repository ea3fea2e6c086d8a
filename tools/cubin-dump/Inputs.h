//===- Inputs.h - Walk through a file with cubins ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A walk through a file that may hold cubins (fatbins, host objects, archives
/// of these, linked executables and libraries), with a visitor to which
/// everything in it is shown, the outer things first. cubin-dump's main
/// function calls visitFile() for each input.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DUMP_INPUTS_H
#define LLD_CUDA_CUBIN_DUMP_INPUTS_H

#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>

namespace lld::cuda {

/// Receives what is in a file. cubin-dump's visitors derive from it.
class InputVisitor {
public:
  virtual ~InputVisitor() = default;
  /// Labels tell where a thing is: "lib.a:member.o:fatbin0:entry1".
  virtual void archive(llvm::StringRef label,
                       llvm::ArrayRef<ArchiveMember> members) = 0;
  /// `fatbins` are all fatbins of the file; `object.fatbins` are only those for
  /// a device link.
  virtual void hostObject(llvm::StringRef label, const HostObject &object,
                          llvm::ArrayRef<EmbeddedFatbin> fatbins) = 0;
  virtual void fatbin(llvm::StringRef label, const FatbinReader &fatbin) = 0;
  virtual void cubin(llvm::MemoryBufferRef buffer) = 0;
  /// Called for something that can't be read; the walk goes on after it.
  virtual void error(llvm::StringRef label, llvm::Error error) = 0;
};

/// Opens `path` ("-" for standard input) and visits what is in it. Errors are
/// passed to the visitor.
void visitFile(llvm::StringRef path, InputVisitor &visitor);

} // namespace lld::cuda

#endif
