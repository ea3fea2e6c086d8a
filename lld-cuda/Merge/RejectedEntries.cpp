//===- RejectedEntries.cpp - Entries that count as never read -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Merge/RejectedEntries.h"
#include "Input/ObjectFile.h"

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
