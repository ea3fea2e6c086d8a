//===- MercuryFuzzer.cpp - Fuzzes the reader of .nv.capmerc.text ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the reader of .nv.capmerc.text sections (lib/Object/Mercury.h).
/// libFuzzer calls LLVMFuzzerTestOneInput() with each input that it makes, in
/// runs of scripts/fuzz.sh. The first two bytes of the input are the number of
/// instructions, the rest is the section. If the reader accepts it, its entries
/// must cover all instructions and all bytes, without gaps.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/Mercury.h"
#include "llvm/Support/Endian.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;

/// The first two bytes of the input are the number of instructions of .text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size < 2)
    return 0;
  unsigned instructions = llvm::support::endian::read16le(bytes);
  llvm::ArrayRef<uint8_t> section(bytes + 2, size - 2);
  llvm::Expected<CapmercText> text =
      readCapmercText(section, uint64_t(instructions) * 16);
  if (!text) {
    requireText(text.takeError());
    return 0;
  }
  // The entries cover the instructions and the records the section, without
  // gaps.
  require(text->instructionCount == instructions);
  uint32_t instruction = 0, offset = 0;
  for (const CapmercEntry &entry : text->entries) {
    // A record may stand for no instruction, but an entry without one doesn't.
    require(entry.instruction == instruction &&
            (entry.count > 0 || entry.recordOffset != 0));
    instruction += entry.count;
    if (entry.recordOffset == 0) {
      require(entry.recordSize == 0 && !entry.isRun);
      continue;
    }
    require(offset == 0 || entry.recordOffset == offset);
    offset = entry.recordOffset + (entry.isRun ? 2 : 0) + entry.recordSize;
    require(!joinsPair(entry, section) || entry.recordSize >= 3);
  }
  require(instruction == instructions);
  require(offset == 0 || offset == section.size());
  return 0;
}
