//===- SameNamedFunctions.cpp - Local functions of one name in one object -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Relocatable output may have several local functions of one name. From sm_100
/// on, nvlink finds the Mercury relocations and records of a function by its
/// name, so all of these functions get those of the first one, which mostly
/// don't fit. To write nvlink's bytes, MergeSections.cpp and MergeMetadata.cpp
/// call these functions when they merge the relocations and records of such an
/// object, but only where LinkRules asks for this mistake [mercury-same-names].
///
/// Native relocations are made from Mercury ones: each applies to the
/// instruction that has the Mercury offset in the function at hand, whatever
/// that instruction is.
///
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Merge/Merge.h"
#include "lld-cuda/FinalCode/MercuryOffsets.h"
#include "lld-cuda/Sass/Code.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Returns the section whose contents nvlink uses in place of those of
/// `section`: the first one of its name.
uint32_t Merger::getFirstOfName(unsigned section) {
  if (!inputs.rules.mixesUpSameNames() || !obj.hasMercury())
    return section;
  CachedHashStringRef name(file.sectionName(section));
  return firstOfName.try_emplace(name, section).first->second;
}

namespace {

/// Moves the relocations of the first function to another one.
class RelocationMover {
public:
  RelocationMover(uint32_t ownSymbol, ArrayRef<uint8_t> code,
                  const MercuryOffsets &offsets)
      : ownSymbol(ownSymbol), code(code), offsets(offsets) {}

  /// Returns nullopt if no Mercury entry corresponds to a native one.
  std::optional<std::vector<Elf_Rela>> run(ArrayRef<Elf_Rela> native,
                                           ArrayRef<Elf_Rela> mercury);

private:
  Elf_Rela move(Elf_Rela native, const Elf_Rela &mercury) const;
  int64_t moveTarget(const Elf_Rela &mercury,
                     const MercuryOffsets::Pair &at) const;

  uint32_t ownSymbol;     ///< That of the first function.
  ArrayRef<uint8_t> code; ///< Of the other one.
  const MercuryOffsets &offsets;
  /// The offset of the last relocation that each instruction has now.
  DenseMap<const MercuryOffsets::Pair *, uint64_t> lastAt;
};

} // namespace

/// What becomes of an offset in the function's code. One relocation of an
/// instruction, the last one, and of arithmetic at that, is understood as such
/// (tried with moves, shifts, sums, comparisons, loads and branches).
int64_t RelocationMover::moveTarget(const Elf_Rela &mercury,
                                    const MercuryOffsets::Pair &at) const {
  constexpr unsigned FirstOfMemoryAndControl = 0x100;
  if (mercury.r_offset != lastAt.lookup(&at))
    return mercury.r_addend;
  const auto inst = sass::Instruction::read(code.data() + at.native);
  if (inst.displacement())
    return 0;
  if (inst.operation() >= FirstOfMemoryAndControl)
    return mercury.r_addend;
  return offsets.toNative(mercury.r_addend).value_or(0);
}

Elf_Rela RelocationMover::move(Elf_Rela native, const Elf_Rela &mercury) const {
  const MercuryOffsets::Pair *at = offsets.findContaining(mercury.r_offset);
  if (!at)
    return native;
  native.r_offset = at->native;
  if (native.getSymbol(false) == ownSymbol)
    native.r_addend = moveTarget(mercury, *at);
  return native;
}

/// The entries of both views have the same order.
std::optional<std::vector<Elf_Rela>>
RelocationMover::run(ArrayRef<Elf_Rela> native, ArrayRef<Elf_Rela> mercury) {
  for (const Elf_Rela &r : mercury)
    if (const MercuryOffsets::Pair *at = offsets.findContaining(r.r_offset)) {
      uint64_t &last = lastAt[at];
      last = std::max<uint64_t>(last, r.r_offset);
    }
  std::vector<Elf_Rela> moved;
  moved.reserve(native.size());
  for (const Elf_Rela &r : native) {
    mercury = mercury.drop_while([&](const Elf_Rela &m) {
      return m.getSymbol(false) != r.getSymbol(false);
    });
    if (mercury.empty())
      return std::nullopt;
    moved.push_back(move(r, mercury.front()));
    mercury = mercury.drop_front();
  }
  return moved;
}

/// `section` are the relocations of a function's code, `first` those that apply
/// instead of them. False: where isn't known.
bool Merger::moveRelocations(unsigned section, unsigned first) {
  const uint32_t target = file.sections()[section].sh_info;
  const uint32_t twin = obj.twinOf(target), firstTwin = obj.twinOf(first);
  if (!twin || !firstTwin || file.sections()[first].sh_type != SHT_RELA)
    return false;
  const uint64_t size =
      file.mercurySymtab().symbols[obj.textOwner[target]].st_size;
  MercuryOffsets offsets(file.contents(target), file.contents(twin), size);
  if (!offsets.isKnown())
    return false;
  RelocationMover mover(obj.textOwner[file.sections()[first].sh_info],
                        file.contents(target), offsets);
  std::optional<std::vector<Elf_Rela>> moved =
      mover.run(file.relas(first), file.relas(firstTwin));
  if (!moved)
    return false;
  obj.movedRelas[section] = std::move(*moved);
  return true;
}

} // namespace lld::cuda
