//===- RelocationFate.h - What becomes of a relocation ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What becomes of a relocation, and what value its field gets. Pure functions
/// of the symbol, the type and the place: nothing is changed or reported here,
/// and no link is needed to ask. SectionRelocator carries the decisions out.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RELOCATIONS_RELOCATIONFATE_H
#define LLD_CUDA_RELOCATIONS_RELOCATIONFATE_H

#include "Symbols.h"
#include "lld-cuda/BinaryFormat/Relocations.h"

namespace lld::cuda {

struct Inputs;
struct Program;

/// What becomes of a relocation [relocation-fate].
enum class Fate : uint8_t {
  Drop,          ///< Nothing is left to do.
  Clear,         ///< What the field counts is gone: it becomes 0.
  Keep,          ///< Written to the output: the driver or a later link knows.
  Resolve,       ///< The value is known and goes into the field.
  FillInAndKeep, ///< Both: a first value, which a later link corrects.
  Unexpected,    ///< An error: no rule for this type and symbol.
  LeavesSection, ///< An error: a relative branch to another section.
};

/// What fate and value depend on beside symbol and type: the same for all
/// entries of one output section.
struct RelocationSite {
  bool resolvesReferences = true;     ///< As LinkRules says, with reasons.
  bool isRelocatable = false;         ///< -r
  bool keepsSharedReferences = false; ///< As LinkRules says, with reasons.
  bool hasMercury = false;            ///< The output has a Mercury view.
  bool keepsDebugShared = false;      ///< Inputs::keepsDebugShared()
  bool hasUnifiedFunctions = false;   ///< The output has a table of them.
  bool isText = false;                ///< The native section is code.
  View view = View::Native; ///< The view of the section that is patched.
  const Function *owner = nullptr;
};

/// What the entries of an output section, native or Mercury, have in common.
RelocationSite makeRelocationSite(const Inputs &inputs, const Program &program,
                                  const OutputSection &sec);

struct Decision {
  Fate fate;
  uint32_t type;                   ///< That counts: UNIFIED types become plain.
  const elf::RelocationInfo *info; ///< What `type` is; null: unknown.
};

/// `s`: what the entry names, an alias's function for an alias; null: nothing
/// that is in the link.
Decision decide(const RelocationSite &site, const Symbol *s, uint32_t type);

/// What a field gets: an address and, where it has one, the number of a
/// constant bank [relocation-values].
struct RelocationValue {
  uint64_t address;
  uint8_t bank;
};

/// `base`: for a section symbol, where this file's contribution begins.
RelocationValue valueOf(const RelocationSite &site,
                        const elf::RelocationInfo &info, const Symbol *s,
                        uint64_t base);

/// --preserve-relocs: whether a resolved relocation is listed [resolved-list].
bool isListedWhenResolved(const RelocationSite &site, const Symbol *s);

} // namespace lld::cuda

#endif
