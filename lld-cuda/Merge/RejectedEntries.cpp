//===- RejectedEntries.cpp - Relocations that count as never read ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// RejectedEntries says which relocation entries of an object are treated as if
/// they had never been read, because they refer to a definition that lost to
/// another object's. The merge asks when it decides which relocation sections
/// the output has (MergeSections.cpp), SectionRelocator.cpp when it applies
/// relocations, and --check when it reads them again: all three have to agree,
/// or an entry is kept for which no relocation section was created. It concerns
/// two sorts of sections: frames and line tables [debug-replaced-entries], and,
/// where nvlink's bytes are asked for, banks of constants, in which a table of
/// addresses then has zeros [constants-addresses-of-replaced].
///
//===----------------------------------------------------------------------===//

#include "Merge/RejectedEntries.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

RejectedEntries::RejectedEntries(const Inputs &inputs,
                                 const OutputSection &native)
    : isTable(!inputs.rules.keepsReplacedDebugEntries() &&
              (native.kind == SectionKind::DebugFrame ||
               native.kind == SectionKind::DebugLine ||
               native.kind == SectionKind::DebugSassLine)),
      losesReplaced(inputs.rules.losesAddressesOfReplaced() &&
                    isConstantBank(native.type) && !native.owner) {}

/// The object defines that symbol, but another definition counts so far: of
/// functions an earlier one, of variables any.
bool RejectedEntries::isReplacedDefinition(const ObjectFile &obj,
                                           uint32_t symbolIndex) {
  if (obj.isLost(symbolIndex))
    return true;
  const Elf_Sym &sym = obj.inputSymbol(symbolIndex);
  const Symbol *s = obj.symbols[symbolIndex];
  return s && s->isVariable() && sym.getBinding() != STB_LOCAL &&
         sym.st_shndx != SHN_UNDEF && sym.st_shndx != SHN_COMMON &&
         s->definedIn != obj.ordinal;
}

} // namespace lld::cuda
