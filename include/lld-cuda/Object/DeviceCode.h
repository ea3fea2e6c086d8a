//===- DeviceCode.h - Where device code lies in a file ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the device code of any file that may have some, and where in the file
/// it lies: cubins, fatbins, host objects, archives of these, executables and
/// shared libraries, of ELF systems and of Windows. The linker takes code from
/// objects only (HostObject.h); this is for tools that look at what was
/// shipped, too.
///
/// Nothing is decompressed or copied: a part is a slice of the file, which may
/// be mapped. Memory is needed for section tables and lists of members only.
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

/// A fatbin in a host file [host-object-format].
struct EmbeddedFatbin {
  /// ".nv_fatbin" or "__nv_relfatbin", also where Windows' linker has cut the
  /// name; empty if the file has no sections.
  llvm::StringRef section;
  uint64_t offset; ///< In the file, of the fatbin's header.
  llvm::StringRef data;

  /// Code for a device link: of no use in a file that is linked.
  bool isRelocatable() const { return section == "__nv_relfatbin"; }
};

/// True if the buffer starts like an ELF file whose machine isn't EM_CUDA, a
/// COFF object or a PE file.
bool isHostFile(llvm::StringRef data);

/// The fatbins of a host file of any type and machine, in the order of its
/// sections. An ELF file that was stripped of its sections is searched segment
/// by segment. They don't overlap.
///
/// In linked files the linker has put the sections of many objects, and zeros
/// to align them, one behind the other. Damage is handed to `report`, and the
/// walk goes on at the next fatbin. `zeros`: how many there are in long runs,
/// as cubin-prune leaves them where fatbins were.
std::vector<EmbeddedFatbin>
findEmbeddedFatbins(llvm::StringRef file,
                    llvm::function_ref<void(llvm::Error)> report,
                    uint64_t *zeros = nullptr);

/// What an entry is for: "sm_90a" of code, "compute_90" of PTX and Tile IR,
/// "lto_90" of LTO IR.
std::string getTargetName(const FatbinEntry &entry);

/// Device code as it lies in a file.
struct DevicePart {
  enum Kind : uint8_t {
    Fatbin,
    Cubin,
    Offload, ///< Contents of .llvm.offloading: see OffloadBinary.h.
  };

  Kind kind;
  /// "lib.a:member.o"; without the fatbin's number.
  llvm::StringRef label;
  /// The host file's section that it is in; empty if the file or member is
  /// device code.
  llvm::StringRef section;
  /// Where the data are in the file that was opened: for an archive's member,
  /// in the archive.
  uint64_t offset;
  llvm::StringRef data;
  /// HostObject::fileType of the host file around it, or 0.
  uint16_t hostType = 0;
};

class DeviceCodeVisitor {
public:
  virtual ~DeviceCodeVisitor() = default;
  /// A file, then each member of an archive, before what is in it.
  virtual void file(llvm::StringRef label, uint64_t size) {}
  virtual void part(const DevicePart &part) = 0;
  /// Zeros of a host file's sections of fatbins, in long runs.
  virtual void zeros(llvm::StringRef label, uint64_t size) {}
  /// What can't be read; the walk goes on after it.
  virtual void error(llvm::StringRef label, llvm::Error error) = 0;
};

/// Whether a file that begins so may have device code. 64 bytes are enough
/// to tell.
bool mayHaveDeviceCode(llvm::StringRef beginning);

/// Shows all device code in a file; none is no error. An archive in an archive
/// isn't opened.
void visitDeviceCode(llvm::MemoryBufferRef file, DeviceCodeVisitor &visitor);

/// Opens the file and visits what is in it. It is mapped, where it can be.
void visitDeviceCode(llvm::StringRef path, DeviceCodeVisitor &visitor);

} // namespace lld::cuda

#endif
