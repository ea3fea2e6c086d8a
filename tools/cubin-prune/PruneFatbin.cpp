//===- PruneFatbin.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PruneFatbin.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lld::cuda {

Expected<PrunedFatbin>
pruneFatbin(StringRef data, function_ref<bool(const FatbinEntry &)> keep) {
  // [fatbin-format]
  constexpr size_t HeaderSize = 16, SizeOffset = 8;
  Expected<FatbinReader> fatbin = FatbinReader::create(data);
  if (!fatbin)
    return fatbin.takeError();
  PrunedFatbin result;
  result.bytes.append(data.begin(), data.begin() + HeaderSize);
  ArrayRef<FatbinEntry> entries = fatbin->entries();
  for (size_t i = 0; i != entries.size();) {
    const uint64_t begin = entries[i].offset;
    bool stays = false;
    for (; i != entries.size() && entries[i].offset == begin; ++i)
      stays |= keep(entries[i]);
    const uint64_t end =
        i == entries.size() ? fatbin->size() : entries[i].offset;
    ++(stays ? result.kept : result.dropped);
    if (stays)
      result.bytes.append(data.begin() + begin, data.begin() + end);
  }
  support::endian::write64le(result.bytes.data() + SizeOffset,
                             result.bytes.size() - HeaderSize);
  return result;
}

} // namespace lld::cuda
