//===- Image.h - An output that is checked ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What each part of --check looks at, and the parts.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CHECK_IMAGE_H
#define LLD_CUDA_CHECK_IMAGE_H

#include "Check/Check.h"
#include "Check/Findings.h"
#include "OutputSection.h"
#include "lld-cuda/Object/Cubin.h"

namespace lld::cuda {

/// An alignment that readers don't take.
inline bool hasOddAlignment(const OutputSection &sec) {
  return sec.align & (sec.align - 1) && sec.align;
}

/// What was meant, and what was read. The file has as many sections as were
/// meant, under the same numbers.
struct CheckedImage {
  const Meaning &meaning;
  const CubinFile &file;

  const Inputs &inputs() const { return meaning.inputs; }
  const Program &program() const { return meaning.program; }
  llvm::StringRef bytes() const { return file.buffer().getBuffer(); }
  const Elf_Shdr &header(const OutputSection &sec) const {
    return file.sections()[sec.index];
  }
  /// The bytes of a section as they are in the file.
  llvm::ArrayRef<uint8_t> contents(const OutputSection &sec) const {
    return file.contents(sec.index);
  }
  /// The symbol table of a view.
  const CubinSymbolTable &symbols(View view) const {
    return view == View::Native ? file.symtab() : file.mercurySymtab();
  }
};

/// That bytes from `begin` to `end` are zero. SectionTable.cpp.
void checkZero(llvm::ArrayRef<uint8_t> bytes, uint64_t begin, uint64_t end,
               llvm::StringRef section, Findings &findings);

/// The oldest architecture that the PTX of an input was written for; not newer
/// than the link's own.
uint16_t getOldestVirtualArch(const CheckedImage &image);

// FileHeader.cpp: the ELF header, and the program headers.
void checkFileHeader(const CheckedImage &image, Findings &findings);
void checkSegments(const CheckedImage &image, Findings &findings);
// SectionTable.cpp: section headers; that nothing overlaps.
void checkSectionTable(const CheckedImage &image, Findings &findings);
void checkPlaces(const CheckedImage &image, Findings &findings);
// SymbolTables.cpp
void checkSymbolTables(const CheckedImage &image, Findings &findings);
// Definitions.cpp: what inputs define is where it belongs.
void checkDefinitions(const CheckedImage &image, Findings &findings);
// Memory.cpp: what lies in memory doesn't overlap, and there is room for it.
void checkMemory(const CheckedImage &image, Findings &findings);
// Contents.cpp: bytes of a section that come from inputs, and what relocations
// put there.
void checkContents(const CheckedImage &image, const OutputSection &sec,
                   Findings &findings);
// And entries of a relocation section that no input has.
void checkEntries(const CheckedImage &image, const OutputSection &sec,
                  Findings &findings);
// Records.cpp: .nv.info and .nv.info.F
void checkRecords(const CheckedImage &image, Findings &findings);
// CallGraphs.cpp: .nv.callgraph, .nv.prototype
void checkCallGraph(const CheckedImage &image, Findings &findings);
// OtherTables.cpp: notes, compatibility, unified functions and variables
void checkNoteSections(const CheckedImage &image, Findings &findings);
void checkCompat(const CheckedImage &image, Findings &findings);
void checkUnifiedTables(const CheckedImage &image, Findings &findings);

} // namespace lld::cuda

#endif
