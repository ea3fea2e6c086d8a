//===- Twins.h - Twins of sections in the Mercury view ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that lead from a native output section to its twin in the Mercury
/// view, and between their names. From sm_100 on a cubin holds its code twice,
/// as native code and in NVIDIA's "Mercury" form (docs/reference/mercury.md),
/// so most output sections have a twin: .debug_frame has .nv.merc.debug_frame.
/// The merge (Merge/) and the layout (Layout/) create most twins; the passes
/// that number and write the output (Output/) ask for names and counts.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_TWINS_H
#define LLD_CUDA_TWINS_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <string>

namespace lld::cuda {

struct Inputs;
struct Numbered;
struct OutputSection;
struct Program;

/// Returns the twin of a native section. Creates it if there is none. Twins
/// aren't in Creations::sections.
OutputSection *getTwin(const Inputs &inputs, Program &program,
                       OutputSection &native);

/// Returns the name that nvlink's merge gives to a section that its finalizer
/// renames, e.g. ".nv.constant.user" for ".nv.constant3", or "" for other
/// sections. The string tables of the output contain that name, too.
std::string getMergeName(const OutputSection &native);

/// Returns the native name of a section of an input's Mercury view, e.g.
/// ".debug_frame" for ".nv.merc.debug_frame".
std::string getNativeName(llvm::StringRef mercuryName);

/// Returns how many symbols of Numbered::finalSymbols are in the Mercury symbol
/// table.
size_t getMercurySymbolCount(const Numbered &numbered);

} // namespace lld::cuda

#endif
