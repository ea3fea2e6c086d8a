//===- ObjectFile.cpp - An object's symbols and places in the output ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// When mergeObject() begins with an object, the constructor of ObjectFile
/// finds out which function each section of code belongs to, and which section
/// of the Mercury view (docs/reference/mercury.md) is the twin of which native
/// one. A section belongs to the first function symbol in it that has its name:
/// .text.F to F, .nv.uft.rel.F to the stub of F. Twins have related names, too;
/// where a relocatable link left several local functions of one name, the twins
/// stand in the same order as their native sections.
///
/// resolve() says which symbol of the link an entry of the input's symbol table
/// means. For a section symbol it returns the output section's symbol, and the
/// offset of the object's contribution in that section.
///
//===----------------------------------------------------------------------===//

#include "Input/ObjectFile.h"
#include "Twins.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <utility>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Allocates an array whose elements are zero.
template <typename T>
static MutableArrayRef<T> allocate(BumpPtrAllocator &arena, size_t count) {
  T *begin = arena.Allocate<T>(count);
  std::uninitialized_value_construct_n(begin, count);
  return {begin, count};
}

ObjectFile::ObjectFile(const CubinFile &file, StringRef label, unsigned ordinal,
                       BumpPtrAllocator &arena)
    : file(file), label(label), ordinal(ordinal),
      symbols(allocate<Symbol *>(arena, file.symtab().symbols.size())),
      textOwner(allocate<uint32_t>(arena, file.sections().size())),
      placementNumbers(allocate<uint32_t>(arena, file.sections().size())) {
  ArrayRef<Elf_Sym> syms = file.symtab().symbols;
  // A stub, __cuda_uf_stub_F, is the code in the table slot of function F.
  auto isStub = [&](const Elf_Sym &sym, StringRef section) {
    StringRef name = file.symtab().name(sym);
    return sym.getBinding() == STB_LOCAL && sym.st_value == 0 &&
           name.consume_front("__cuda_uf_stub_") &&
           section.consume_front(".nv.uft.rel.") && name == section;
  };
  for (unsigned i = 1; i < syms.size(); ++i) {
    if (syms[i].getType() != STT_FUNC || syms[i].st_shndx == SHN_UNDEF ||
        file.isCommon(i))
      continue;
    uint32_t section = file.sectionIndex(i);
    if (section >= textOwner.size())
      continue;
    const uint8_t binding = syms[i].getBinding();
    definesWeakFunction |= binding != STB_GLOBAL && binding != STB_LOCAL;
    const Elf_Shdr &shdr = file.sections()[section];
    constexpr uint64_t CodeFlags = SHF_ALLOC | SHF_EXECINSTR;
    if (textOwner[section] ||
        (shdr.sh_flags & (CodeFlags | SHF_CUDA_MERCURY)) != CodeFlags)
      continue;
    StringRef name = file.sectionName(section);
    if (shdr.sh_type == SHT_PROGBITS
            ? name.consume_front(".text.") &&
                  name == file.symtab().name(syms[i])
            : shdr.sh_type == SHT_CUDA_UFT && isStub(syms[i], name))
      textOwner[section] = i;
  }
  findTwins();
}

void ObjectFile::place(unsigned section, const SectionPlacement &placement) {
  uint32_t &number = placementNumbers[section];
  if (number) {
    placements[number - 1] = placement;
    return;
  }
  placements.push_back(placement);
  number = placements.size();
}

Symbol *ObjectFile::resolveSection(unsigned symbolIndex, uint64_t &base,
                                   View view) const {
  uint32_t section = view == View::Native
                         ? file.sectionIndex(symbolIndex)
                         : file.mercurySectionIndex(symbolIndex);
  if (section >= placementNumbers.size())
    return nullptr;
  if (uint32_t owner = textOwner[section]) {
    auto *f = static_cast<Function *>(symbols[owner]);
    return f && f->text ? f->text->symbol : nullptr;
  }
  const SectionPlacement p = placement(section);
  base = p.base;
  return p.section ? p.section->symbol : nullptr;
}

void ObjectFile::findTwins() {
  if (file.mercurySymtab().empty() || file.smNumber() < FirstMercurySM)
    return;
  twins.resize(file.sections().size());
  // Relocatable output has several local functions of one name; their twins
  // stand in the same order.
  DenseMap<CachedHashStringRef, uint32_t> natives; ///< The next of a name.
  SmallVector<uint32_t, 0> following(twins.size());
  for (unsigned i = file.sections().size(); i-- > 1;)
    if (!(file.sections()[i].sh_flags & SHF_CUDA_MERCURY))
      following[i] =
          std::exchange(natives[CachedHashStringRef(file.sectionName(i))], i);
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    if (!(file.sections()[i].sh_flags & SHF_CUDA_MERCURY))
      continue;
    std::string name = getNativeName(file.sectionName(i));
    auto it = natives.find(CachedHashStringRef(name));
    if (it == natives.end() || !it->second)
      continue;
    const uint32_t native = it->second;
    it->second = following[native];
    twins[native] = i;
    textOwner[i] = textOwner[native];
  }
}

} // namespace lld::cuda
