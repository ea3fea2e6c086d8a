//===- Note.h - Readers and writers of notes --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Readers and writers of the notes .note.nv.cuinfo (what a cubin was compiled
/// for) and .note.nv.tkinfo (which tools made it). The linker reads them for
/// each object (UnpackCubins.cpp, SettleRules.cpp, CheckObject.cpp), since the
/// rules of a link depend on the toolkit that compiled its objects, and writes
/// those of the image (Output/Notes.cpp); cubin-check and lib/Dump read them,
/// too. The layouts are in docs/reference (rule [note-layout]).
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

/// The name of .note.nv.cuinfo in files of CUDA 12, from sm_100 on.
constexpr llvm::StringLiteral OldCubinNoteName = ".note.nv.cuver";

/// Alignment, in bytes, of notes in a section and of the parts of a note.
constexpr size_t NoteAlignment = 4;

/// The description of .note.nv.cuinfo: u16 version, u16 virtual architecture
/// (the .target of the PTX), u16 toolkit version times ten, u16 zero. In CUDA
/// 12 (.note.nv.cuver) it has version 1: u16 version, u16 virtual architecture,
/// u32, u32.
struct CuInfoNote {
  static constexpr uint16_t OfCuda12 = 1, FirstWithToolkit = 2;
  uint16_t version = FirstWithToolkit;
  uint16_t virtualArch = 0;
  uint16_t toolkit = 130; ///< 0 in version 1.
};

/// CUDA 13.0 as objects and images express toolkits: the version times ten.
constexpr unsigned FirstToolkitOf13 = 130;

/// For what an object was compiled, as the compiler has noted in it.
struct CompiledFor {
  uint32_t toolkit = 0; ///< Toolkit version times ten; 0 if unknown.
  uint16_t virtualArch = 0;
};

/// The description of .note.nv.tkinfo: u32 version 2 (in CUDA 12 the toolkit's
/// version times ten), five u32 offsets of strings from the end of these
/// offsets, the strings; padded to four bytes. The strings of a note that was
/// read are slices of the section.
struct TkInfoNote {
  uint32_t version = 2;
  llvm::StringRef file, tool, toolVersion, build, command;
};

/// Checks that a section of type SHT_NOTE can be read in full: the notes of
/// both kinds, and the headers and sizes of all others.
llvm::Error checkNotes(llvm::ArrayRef<uint8_t> section);

/// Returns the first record of a .note.nv.cuinfo section.
llvm::Expected<CuInfoNote> readCuInfoNote(llvm::ArrayRef<uint8_t> section);
/// Returns what the header says (CUDA 12 and earlier), or .note.nv.cuinfo (CUDA
/// 13). If a file of CUDA 13 has no such note, the fields are 0; a damaged note
/// is an error.
llvm::Expected<CompiledFor> readCompiledFor(const CubinFile &file);
void writeCuInfoNote(const CuInfoNote &note, llvm::SmallVectorImpl<char> &out);

/// Returns all records of a .note.nv.tkinfo section; a linked cubin has
/// several.
llvm::Expected<std::vector<TkInfoNote>>
readTkInfoNotes(llvm::ArrayRef<uint8_t> section);
void writeTkInfoNote(const TkInfoNote &note, llvm::SmallVectorImpl<char> &out);

} // namespace lld::cuda

#endif
