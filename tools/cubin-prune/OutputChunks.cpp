//===- OutputChunks.cpp - A pruned file as a list of pieces ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// PruneFile.cpp fills an OutputChunks from the start of a file to its end, and
/// cubin-prune's main() writes its spans(). A library of some gigabytes is
/// mostly slices of the mapped input, so a pruned one takes little memory.
/// Zeros, which take the place of removed images in linked files, are no bytes
/// here but gaps; bytesOnDisk() counts how much the file will take if the file
/// system leaves whole blocks of zeros out.
///
//===----------------------------------------------------------------------===//

#include "OutputChunks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace lld::cuda {

void OutputChunks::add(StringRef bytes) {
  chunks.push_back({bytes, 0});
  bytesInAll += bytes.size();
}

void OutputChunks::own(SmallVector<char, 0> bytes) {
  const SmallVector<char, 0> &kept = owned.emplace_back(std::move(bytes));
  add(StringRef(kept.data(), kept.size()));
}

void OutputChunks::zeros(uint64_t count) {
  chunks.push_back({StringRef(), count});
  bytesInAll += count;
}

std::string OutputChunks::flatten() const {
  std::string text;
  text.reserve(bytesInAll);
  for (const Chunk &chunk : chunks) {
    text += chunk.bytes;
    text.append(chunk.zeros, '\0');
  }
  return text;
}

std::vector<OutputSpan> OutputChunks::spans() const {
  std::vector<OutputSpan> spans;
  uint64_t at = 0;
  for (const Chunk &chunk : chunks) {
    if (!chunk.bytes.empty())
      spans.push_back({at, arrayRefFromStringRef(chunk.bytes)});
    at += chunk.bytes.size() + chunk.zeros;
  }
  return spans;
}

uint64_t OutputChunks::bytesOnDisk() const {
  constexpr uint64_t Block = 4096;
  uint64_t taken = 0, end = 0; // The end of the last block that is taken.
  for (const OutputSpan &span : spans()) {
    const uint64_t from = std::max(end, alignDown(span.offset, Block));
    end = alignTo(span.offset + span.bytes.size(), Block);
    taken += end - std::min(from, end);
  }
  return taken;
}

} // namespace lld::cuda
