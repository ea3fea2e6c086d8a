//===- Image.h - The parts of --check ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parts of --check (Check.h), and the data that each of them looks at.
/// compareImage() in Check.cpp calls all parts, at the end of a link, before
/// the output is put in place. Each part adds the differences that it finds to
/// `findings`.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CHECK_IMAGE_H
#define LLD_CUDA_CHECK_IMAGE_H

#include "Check/Check.h"
#include "Check/Findings.h"
#include "OutputSection.h"
#include "lld-cuda/Object/Cubin.h"

namespace lld::cuda {

/// Returns whether a section's alignment isn't a power of two, which the reader
/// in lib/Object rejects.
inline bool hasOddAlignment(const OutputSection &sec) {
  return sec.align & (sec.align - 1) && sec.align;
}

/// What the link meant, and the output as it was read back. The output has as
/// many sections as the link meant, with equal numbers. Both must outlive this.
struct CheckedImage {
  const Meaning &meaning;
  const CubinFile &file;

  const Inputs &inputs() const { return meaning.inputs; }
  const Program &program() const { return meaning.program; }
  llvm::StringRef bytes() const { return file.buffer().getBuffer(); }
  const Elf_Shdr &header(const OutputSection &sec) const {
    return file.sections()[sec.index];
  }
  /// Returns the bytes of a section as they are in the file.
  llvm::ArrayRef<uint8_t> contents(const OutputSection &sec) const {
    return file.contents(sec.index);
  }
  /// Returns the symbol table of a view: the native code's, or that of its
  /// Mercury form (docs/reference/mercury.md).
  const CubinSymbolTable &symbols(View view) const {
    return view == View::Native ? file.symtab() : file.mercurySymtab();
  }
};

/// Checks that the bytes from `begin` to `end` are zero. Defined in
/// SectionTable.cpp.
void checkZero(llvm::ArrayRef<uint8_t> bytes, uint64_t begin, uint64_t end,
               llvm::StringRef section, Findings &findings);

/// Returns the oldest virtual architecture for which an input was compiled, or
/// the link's own architecture if that is older. Defined in FileHeader.cpp.
uint16_t getOldestVirtualArch(const CheckedImage &image);

// FileHeader.cpp: the ELF header, and the program headers.
void checkFileHeader(const CheckedImage &image, Findings &findings);
void checkSegments(const CheckedImage &image, Findings &findings);
// SectionTable.cpp: section headers, and that no sections overlap in the file.
void checkSectionTable(const CheckedImage &image, Findings &findings);
void checkPlaces(const CheckedImage &image, Findings &findings);
// SymbolTables.cpp
void checkSymbolTables(const CheckedImage &image, Findings &findings);
// Definitions.cpp: the bytes of the inputs' definitions are where they belong.
void checkDefinitions(const CheckedImage &image, Findings &findings);
// Memory.cpp: variables don't overlap in memory, and there is room for them.
void checkMemory(const CheckedImage &image, Findings &findings);
// Contents.cpp: a section's bytes from inputs, with their relocations applied.
void checkContents(const CheckedImage &image, const OutputSection &sec,
                   Findings &findings);
// Contents.cpp: a relocation section whose entries the link itself has made
// (texture layout, rebuilt debug information) has exactly these entries.
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
