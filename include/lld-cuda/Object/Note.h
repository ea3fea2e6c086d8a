//===- Note.h - Notes of cubins ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Readers and writers of .note.nv.cuinfo (what the code is for) and
/// .note.nv.tkinfo (which tools made it). Layouts: [note-layout].
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_NOTE_H
#define LLD_CUDA_OBJECT_NOTE_H

#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

using elf::NT_CUDA_CUINFO;
using elf::NT_CUDA_TKINFO;

/// What .note.nv.cuinfo is called in files of CUDA 12, from sm_100 on.
constexpr llvm::StringLiteral OldCubinNoteName = ".note.nv.cuver";

/// How notes are aligned in a section, and the name and the description in a
/// note.
constexpr size_t NoteAlignment = 4;

/// Description of .note.nv.cuinfo: u16 version, u16 virtual architecture (the
/// .target of the PTX), u16 toolkit version times ten, u16 zero. CUDA 12 has
/// version 1 of it, .note.nv.cuver, from sm_100 on: u16 version, u16 virtual
/// architecture, u32, u32.
struct CuInfoNote {
  static constexpr uint16_t OfCuda12 = 1, FirstWithToolkit = 2;
  uint16_t version = FirstWithToolkit;
  uint16_t virtualArch = 0;
  uint16_t toolkit = 130; ///< 0 in version 1.
};

/// CUDA 13.0, as objects and images name toolkits: its version times ten.
constexpr unsigned FirstToolkitOf13 = 130;

/// What a compiler wrote about an object.
struct CompiledFor {
  uint32_t toolkit = 0; ///< Its version times ten; 0: it isn't known.
  uint16_t virtualArch = 0;
};

/// Description of .note.nv.tkinfo: u32 version 2 (in CUDA 12 that of the
/// toolkit, times ten), five u32 offsets of strings behind them, the strings;
/// padded to four bytes.
struct TkInfoNote {
  uint32_t version = 2;
  llvm::StringRef file, tool, toolVersion, build, command;
};

/// Whether a section of type SHT_NOTE can be read in full: the notes of both
/// kinds, and the framing of all others.
llvm::Error checkNotes(llvm::ArrayRef<uint8_t> section);

/// The first record of a .note.nv.cuinfo section.
llvm::Expected<CuInfoNote> readCuInfoNote(llvm::ArrayRef<uint8_t> section);
/// From the header, or from .note.nv.cuinfo, depending on the header's layout.
llvm::Expected<CompiledFor> readCompiledFor(const CubinFile &file);
void writeCuInfoNote(const CuInfoNote &note, llvm::SmallVectorImpl<char> &out);

/// All records of a .note.nv.tkinfo section (a linked cubin has several).
llvm::Expected<std::vector<TkInfoNote>>
readTkInfoNotes(llvm::ArrayRef<uint8_t> section);
void writeTkInfoNote(const TkInfoNote &note, llvm::SmallVectorImpl<char> &out);

} // namespace lld::cuda

#endif
