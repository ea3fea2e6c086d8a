//===- Mercury.h - The Mercury view of the output -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Cubins for sm_100 and later hold their code and data twice: as native code
/// and as Mercury code, which the driver can finalize for another architecture.
/// Most output sections have a twin in the Mercury view: .text.F has
/// .nv.capmerc.text.F, .debug_frame has .nv.merc.debug_frame, and so on.
///
/// nvlink merges the Mercury view and lets a finalizer make the native one from
/// it. Here both are merged side by side, by the same rules: a twin gets its
/// parts, relocations and records whenever its native section does, and the
/// twins are appended after all other sections at the end
/// [mercury-code-format], [mercury-appended].
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALIZE_MERCURY_H
#define LLD_CUDA_FINALIZE_MERCURY_H

#include "Program.h"

namespace lld::cuda {

struct CapmercText;
struct Numbered;

/// Writes the bytes of .nv.merc.symtab, the Mercury view's symbol table.
void writeMercurySymbolTable(const Inputs &inputs, const Program &program,
                             const Numbered &numbered);

/// Section numbers inside .nv.capmerc.text.*. Fails if one can't be read.
void finishCapmercSections(const Inputs &inputs, const Program &program,
                           const Numbered &numbered);

/// Contents of .nv.merc.nv.shared.reserved.*, which have no meaning.
void fillReservedShared(const Inputs &inputs, const Numbered &numbered);

/// st_shndx of a symbol and, where that is SHN_XINDEX, its section's number.
/// ExtendedIndices.cpp.
std::pair<uint16_t, uint32_t> getSymbolSection(const Inputs &inputs,
                                               const Symbol &s, View view);

/// Contents of .symtab_shndx or its twin. ExtendedIndices.cpp.
void writeExtendedIndices(const Inputs &inputs, const Numbered &numbered,
                          OutputSection &table, View view);

/// Writes a resolved value into the record of .nv.capmerc.text.F that stands
/// for the native instruction at `nativeOffset` [mercury-code-format].
/// `bytes` is the whole section, of which `text` was read, `mercuryOffset` the
/// Mercury entry's offset, `width` the field's bytes. False: there is no such
/// instruction.
bool patchCapmerc(llvm::MutableArrayRef<uint8_t> bytes, const CapmercText &text,
                  uint64_t nativeOffset, uint64_t mercuryOffset, unsigned width,
                  uint64_t value);

} // namespace lld::cuda

#endif
