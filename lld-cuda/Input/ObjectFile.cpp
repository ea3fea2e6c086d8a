//===- ObjectFile.cpp - An object's symbols and places in the output ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// ObjectFile::resolve() says which symbol of the link an entry of the input's
/// symbol table means. For a section symbol it returns the output section's
/// symbol, and the offset of the object's contribution in that section.
///
//===----------------------------------------------------------------------===//

#include "Input/ObjectFile.h"
#include <memory>

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

ObjectFile::ObjectFile(const CubinFile &file, const ObjectFacts &facts,
                       StringRef label, unsigned ordinal,
                       BumpPtrAllocator &arena)
    : file(file), facts(facts), label(label), ordinal(ordinal),
      symbols(allocate<Symbol *>(arena, file.symtab().symbols.size())),
      textOwner(facts.textOwner), twins(facts.twins),
      placementNumbers(allocate<uint32_t>(arena, file.sections().size())) {}

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

} // namespace lld::cuda
