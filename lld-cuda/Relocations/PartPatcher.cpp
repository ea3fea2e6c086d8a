//===- PartPatcher.cpp - Private copies of what is patched ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A PartPatcher gives relocations bytes to write into, since the parts of a
/// section are the inputs' own bytes. SectionRelocator::run() asks for each
/// field. The first field in a part makes a copy of the part, with one
/// exception: a native debug section may be large and have few relocations, and
/// copying all of it would be a waste. There only the 256-byte blocks that hold
/// a field are copied; they become patches, which the writer puts over the
/// part. A field across two blocks makes it a whole copy after all.
///
//===----------------------------------------------------------------------===//

#include "Relocations/PartPatcher.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

constexpr uint64_t BlockSize = 256;
/// No relocation looks at more bytes.
constexpr uint64_t FieldSize = 8;

/// Whether blocks are copied rather than the part.
bool PartPatcher::copiesBlocks() const {
  const RelocationGroup &g = sec.relocations[group];
  if (sec.native || sec.type != SHT_PROGBITS || sec.flags & SHF_ALLOC ||
      part->isCopied())
    return false;
  const uint64_t entries =
      g.file->file.sections()[g.inputSection].sh_size / sizeof(Elf_Rela);
  if (part->bytes.size() < 16 * BlockSize ||
      part->bytes.size() / (2 * BlockSize) < entries)
    return false;
  // Groups of one part are neighbours; no other one may apply to this part.
  auto isOther = [&](size_t i) {
    return i >= sec.relocations.size() || sec.relocations[i].part != g.part;
  };
  return isOther(group - 1) && isOther(group + 1);
}

MutableArrayRef<uint8_t> PartPatcher::bytesAt(uint64_t offset) {
  const uint64_t size = part->bytes.size();
  if (offset >= size)
    return {};
  if (!byBlocks)
    byBlocks = copiesBlocks();
  if (*byBlocks) {
    const uint64_t end = alignDown(offset, BlockSize) + BlockSize;
    if (offset + FieldSize <= end || size <= end)
      return blockAt(offset);
  }
  if (!part->isCopied())
    copyWhole();
  return part->writable(inputs).drop_front(offset);
}

MutableArrayRef<uint8_t> PartPatcher::blockAt(uint64_t offset) {
  ArrayRef<uint8_t> bytes = part->bytes;
  const uint64_t begin = alignDown(offset, BlockSize);
  const size_t size = std::min<uint64_t>(BlockSize, bytes.size() - begin);
  uint8_t *&copy = blocks[begin];
  if (!copy) {
    copy = inputs.memory.allocate(size);
    std::memcpy(copy, bytes.data() + begin, size);
  }
  return MutableArrayRef(copy, size).drop_front(offset - begin);
}

void PartPatcher::copyWhole() {
  uint8_t *bytes = part->writable(inputs).data();
  for (auto [begin, copy] : blocks)
    std::memcpy(bytes + begin, copy,
                std::min<uint64_t>(BlockSize, part->bytes.size() - begin));
  blocks.clear();
  byBlocks = false;
}

void PartPatcher::addPatches() {
  const uint64_t size = part->bytes.size();
  for (auto [begin, copy] : blocks) {
    SectionPart &patch = sec.makeExtras().patches.emplace_back();
    patch.offset = part->offset + begin;
    patch.bytes = {copy, size_t(std::min(BlockSize, size - begin))};
  }
  blocks.clear();
}

void PartPatcher::sortPatches() {
  llvm::sort(sec.extras->patches,
             [](const SectionPart &a, const SectionPart &b) {
               return a.offset < b.offset;
             });
}

} // namespace lld::cuda
