//===- RelocationFate.h - What is done with a relocation --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The decision what is done with a relocation, and which value its field gets.
/// SectionRelocator.cpp asks for each relocation entry when it relocates a
/// section, after addresses are settled, and carries the decision out; --check
/// (Check/Entries.cpp, Check/Contents.cpp) asks again to verify the output.
/// decide() and valueOf() are pure functions of the symbol, the type and the
/// site: they change and report nothing.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RELOCATIONS_RELOCATIONFATE_H
#define LLD_CUDA_RELOCATIONS_RELOCATIONFATE_H

#include "Symbols.h"
#include "lld-cuda/BinaryFormat/Relocations.h"

namespace lld::cuda {

struct Inputs;
struct Program;

/// What is done with a relocation (rule [relocation-fate] of docs/reference).
enum class Fate : uint8_t {
  Drop,          ///< Nothing is left to do.
  Clear,         ///< The field becomes 0, since what it counts was removed.
  Keep,          ///< Written to the output, for the driver or a later link.
  Resolve,       ///< The value is known and is written to the field.
  FillInAndKeep, ///< Resolve and Keep: a later link corrects the value.
  Unexpected,    ///< An error: there is no rule for this type and symbol.
  LeavesSection, ///< An error: a relative branch to another section.
};

/// What the decision depends on besides symbol and type. It is equal for all
/// entries of one output section. "Mercury" is the second form in which cubins
/// hold their code from sm_100 on (docs/reference/mercury.md).
struct RelocationSite {
  bool resolvesReferences = true;     ///< See LinkRules, which has reasons.
  bool isRelocatable = false;         ///< -r
  bool keepsSharedReferences = false; ///< See LinkRules, which has reasons.
  bool hasMercury = false;            ///< The output has a Mercury view.
  bool keepsDebugShared = false;      ///< Inputs::keepsDebugShared()
  bool hasUnifiedFunctions = false;   ///< The output has a table of these.
  bool isText = false;                ///< The native section is code.
  View view = View::Native; ///< The view of the section that is patched.
  const Function *owner = nullptr;

  /// Returns the site of the entries that apply to an output section of either
  /// view.
  RelocationSite in(const OutputSection &sec) const {
    RelocationSite site = *this;
    site.isText = (sec.native ? sec.native : &sec)->isText();
    site.view = sec.view();
    site.owner = sec.owner;
    return site;
  }
};

/// Returns what is equal for all sections of the link.
RelocationSite makeRelocationSite(const Inputs &inputs, const Program &program);

/// What decide() returns.
struct Decision {
  Fate fate;
  uint32_t type; ///< The type to use: that of the entry, or plain for UNIFIED.
  const elf::RelocationInfo *info; ///< Describes `type`; null if it is unknown.
};

/// Decides what is done with an entry. `s` is the symbol that it refers to, or,
/// for an alias, the aliased function; null if the symbol isn't in the link.
Decision decide(const RelocationSite &site, const Symbol *s, uint32_t type);

/// Returns the fate of an entry that refers to a function, once references are
/// resolved: the driver does that for functions. Dropped are marks without a
/// meaning (R_CUDA_NONE) and lengths, which count only while the function is
/// there (rule [relocation-removed-function] of docs/reference). `info`
/// describes `type`; null if it is unknown.
inline Fate fateOfFunction(const Function &f, uint32_t type,
                           const elf::RelocationInfo *info) {
  const bool clearsField = info && (info->action == elf::RelocAction::Clear32 ||
                                    info->action == elf::RelocAction::Clear64);
  if (!f.reachable)
    return clearsField ? Fate::Clear : Fate::Drop;
  return type == elf::R_CUDA_NONE || clearsField ? Fate::Drop : Fate::Keep;
}

/// What is written to a field: an address and, for fields that have one, the
/// number of a constant bank (rule [relocation-values] of docs/reference).
struct RelocationValue {
  uint64_t address;
  uint8_t bank;
};

/// Returns the value for a field whose entry refers to `s`. If `s` is a section
/// symbol, `base` is the offset in that section at which the contribution of
/// the entry's object begins.
RelocationValue valueOf(const RelocationSite &site,
                        const elf::RelocationInfo &info, const Symbol *s,
                        uint64_t base);

/// Returns whether --preserve-relocs lists a resolved relocation that refers to
/// `s` (rule [resolved-list] of docs/reference).
bool isListedWhenResolved(const RelocationSite &site, const Symbol *s);

} // namespace lld::cuda

#endif
