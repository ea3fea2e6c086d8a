//===- Twins.h - Sections of the Mercury view -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From sm_100 on most output sections have a twin, which is the same section
/// in the Mercury view: .debug_frame has .nv.merc.debug_frame. Here are the
/// ways between the two: from a section to its twin, and between their names.
/// Finalize/Mercury.h says what the Mercury view is for.
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

/// The twin of a native section, created when missing. Not in program.sections.
OutputSection *getTwin(const Inputs &inputs, Program &program,
                       OutputSection &native);

/// The name under which nvlink's merge knows a section that its finalizer
/// renames, e.g. ".nv.constant.user" for ".nv.constant3"; empty for others. It
/// shows in the string tables.
std::string getMergeName(const OutputSection &native);

/// The native name of a section of an input's Mercury view.
std::string getNativeName(llvm::StringRef mercuryName);

/// How many of numbered.finalSymbols the Mercury symbol table has.
size_t getMercurySymbolCount(const Numbered &numbered);

} // namespace lld::cuda

#endif
