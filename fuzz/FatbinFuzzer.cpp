//===- FatbinFuzzer.cpp - Fuzzes the reader of fatbins --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the reader of fatbins and the choice of an entry
/// (lib/Object/Fatbin.h). libFuzzer calls LLVMFuzzerTestOneInput() with each
/// input that it makes, in runs of scripts/fuzz.sh; an input is a fatbin. The
/// reader must return an error, or entries whose parts lie within the input. An
/// entry is then chosen for several architectures, with and without LTO.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/Fatbin.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  llvm::Expected<FatbinReader> reader = FatbinReader::create(data);
  if (!reader) {
    requireText(reader.takeError());
    return 0;
  }
  require(reader->size() <= size);
  data = data.take_front(reader->size());
  for (const FatbinEntry &entry : reader->entries()) {
    require(entry.offset < data.size());
    requirePart(entry.payload, data);
    requirePart(entry.identifier, data);
    requirePart(entry.options, data);
  }
  for (unsigned number : {75, 86, 90, 103, 121})
    for (auto suffix : {elf::Architecture::None, elf::Architecture::Family,
                        elf::Architecture::Accelerated})
      for (bool wantLTO : {false, true}) {
        elf::Architecture target{uint16_t(number), suffix};
        int chosen = chooseFatbinEntry(reader->entries(), target, 135, wantLTO);
        require(chosen >= -1 && chosen < int(reader->entries().size()));
      }
  return 0;
}
