//===- Mercury.h - Tables of the Mercury view -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that write what only the Mercury view of an output has: its symbol
/// table, and the numbers in its code. Cubins for sm_100 and later hold their
/// code and data twice: as native code and as Mercury code, which the driver
/// can finalize for another architecture (docs/reference/mercury.md). Most
/// output sections have a twin in the Mercury view: .text.F has
/// .nv.capmerc.text.F, .debug_frame has .nv.merc.debug_frame, and so on.
///
/// nvlink merges the Mercury view and lets a finalizer make the native one from
/// it. This linker merges both side by side, by the same rules: a twin gets its
/// parts, relocations and records whenever its native section does. In the
/// output the twins follow all other sections (rules [mercury-code-format] and
/// [mercury-appended] of docs/reference).
///
/// Link.cpp calls the first three functions when it writes the tables of an
/// output for sm_100 or later, after the native ones.
/// Relocations/MercuryRelocator.cpp calls patchCapmerc() when it applies
/// relocations. The symbol table writers (Output/Writer.cpp and Mercury.cpp)
/// call the others.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALIZE_MERCURY_H
#define LLD_CUDA_FINALIZE_MERCURY_H

#include "OutputSection.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <utility>

namespace lld::cuda {

struct CapmercText;
struct Inputs;
struct Numbered;
struct Program;
struct Symbol;

/// Writes the bytes of .nv.merc.symtab, the Mercury view's symbol table.
void writeMercurySymbolTable(const Inputs &inputs, const Program &program,
                             const Numbered &numbered);

/// Writes the final section numbers inside .nv.capmerc.text.*. Reports an error
/// if such a section can't be read.
void finishCapmercSections(const Inputs &inputs, const Program &program,
                           const Numbered &numbered);

/// Fills .nv.merc.nv.shared.reserved.*. The contents have no meaning; nvlink
/// writes them.
void fillReservedShared(const Inputs &inputs, const Numbered &numbered);

/// Returns st_shndx of a symbol and, if that is SHN_XINDEX, the number of its
/// section. Defined in ExtendedIndices.cpp.
std::pair<uint16_t, uint32_t> getSymbolSection(const Inputs &inputs,
                                               const Symbol &s, View view);

/// Writes the contents of .symtab_shndx or its twin. Defined in
/// ExtendedIndices.cpp.
void writeExtendedIndices(const Inputs &inputs, const Numbered &numbered,
                          OutputSection &table, View view);

/// Writes a resolved value into the record of .nv.capmerc.text.F that stands
/// for the native instruction at `nativeOffset` [mercury-code-format].
/// `bytes` is the whole section, from which `text` was read; `mercuryOffset` is
/// the offset of the Mercury relocation entry; `width` is the size of the field
/// in bytes. Returns false if there is no such instruction.
bool patchCapmerc(llvm::MutableArrayRef<uint8_t> bytes, const CapmercText &text,
                  uint64_t nativeOffset, uint64_t mercuryOffset, unsigned width,
                  uint64_t value);

} // namespace lld::cuda

#endif
