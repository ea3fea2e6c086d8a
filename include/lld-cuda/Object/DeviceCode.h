//===- DeviceCode.h - Finds device code in any file -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the device code in any file that may have some, and where in the file
/// it is: cubins, fatbins, host objects, archives of these, executables and
/// shared libraries, of ELF systems and of Windows. All tools that look at
/// finished files call it (lib/Finished for cubin-dump, -diff, -size and
/// -check; cubin-prune), when they open a file; the linker itself takes code
/// from objects only (HostObject.h), and calls it to explain what other files
/// have (OtherImages.cpp).
///
/// Nothing is decompressed or copied: a part is a slice of the file, which may
/// be mapped and must outlive it. Only section tables and lists of members take
/// memory.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_DEVICECODE_H
#define LLD_CUDA_OBJECT_DEVICECODE_H

#include "lld-cuda/Object/Fatbin.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace lld::cuda {

/// A fatbin in a host file (rule [host-object-format] of docs/reference).
struct EmbeddedFatbin {
  /// ".nv_fatbin" or "__nv_relfatbin", in full even if Windows' linker has cut
  /// the name off; empty if the file has no sections.
  llvm::StringRef section;
  uint64_t offset; ///< Offset of the fatbin's header in the file.
  llvm::StringRef data;

  /// Returns whether it has code for a later device link, which is of no use in
  /// a linked file.
  bool isRelocatable() const { return section == "__nv_relfatbin"; }
};

/// Returns whether the buffer begins like an ELF file whose machine isn't
/// EM_CUDA, a COFF object or a PE file.
bool isHostFile(llvm::StringRef data);

/// Returns the fatbins of a host file of any type and machine, in the order of
/// its sections. In an ELF file that was stripped of its sections the segments
/// are searched. The fatbins don't overlap.
///
/// In a linked file the linker has put the sections of many objects one after
/// the other, with zeros between them for alignment. `report` gets an error for
/// each damaged place; the search goes on at the next fatbin. If given,
/// `*zeros` is set to the number of zero bytes in long runs, which cubin-prune
/// leaves where fatbins were.
std::vector<EmbeddedFatbin>
findEmbeddedFatbins(llvm::StringRef file,
                    llvm::function_ref<void(llvm::Error)> report,
                    uint64_t *zeros = nullptr);

/// Returns the target of an entry: "sm_90a" for code, "compute_90" for PTX and
/// Tile IR, "lto_90" for LTO IR.
std::string getTargetName(const FatbinEntry &entry);

/// One piece of device code in a file.
struct DevicePart {
  enum Kind : uint8_t {
    Fatbin,
    Cubin,
    Offload, ///< Contents of .llvm.offloading (OffloadBinary.h).
  };

  Kind kind;
  /// The file or member, such as "lib.a:member.o". Valid during the visit.
  llvm::StringRef label;
  /// The section of the host file that it is in; empty if the file or member is
  /// itself device code.
  llvm::StringRef section;
  /// Offset of `data` in the file that was opened: for a member, in the
  /// archive.
  uint64_t offset;
  llvm::StringRef data;
  /// HostObject::fileType of the host file that it is in, or 0.
  uint16_t hostType = 0;
};

/// Receives what visitDeviceCode() finds, in the order of the file.
class DeviceCodeVisitor {
public:
  virtual ~DeviceCodeVisitor() = default;
  /// Called for a file, and for each member of an archive, before its parts.
  virtual void file(llvm::StringRef label, uint64_t size) {}
  virtual void part(const DevicePart &part) = 0;
  /// Called with the number of zero bytes in long runs of a host file's
  /// sections of fatbins.
  virtual void zeros(llvm::StringRef label, uint64_t size) {}
  /// Called for what can't be read; the visit goes on after it.
  virtual void error(llvm::StringRef label, llvm::Error error) = 0;
};

/// Returns whether a file that begins with these bytes may have device code.
/// The first 64 bytes are enough.
bool mayHaveDeviceCode(llvm::StringRef beginning);

/// Visits all device code in a file; that there is none is no error. An archive
/// in an archive isn't opened.
void visitDeviceCode(llvm::MemoryBufferRef file, DeviceCodeVisitor &visitor);

/// Opens the file, or standard input for "-", and visits all device code in it.
/// A file that can't be opened is given to visitor.error().
void visitDeviceCode(llvm::StringRef path, DeviceCodeVisitor &visitor);

} // namespace lld::cuda

#endif
