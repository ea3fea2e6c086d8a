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
/// entry is then chosen for several architectures, with and without LTO. At
/// last the images are written into another fatbin, which must be read as the
/// first one was.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Object/FatbinWriter.h"
#include "llvm/ADT/STLExtras.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

static void writeAgain(llvm::ArrayRef<FatbinEntry> entries,
                       FatbinCompression compression) {
  std::vector<FatbinImage> images;
  for (const FatbinEntry &entry : entries) {
    FatbinImage image;
    image.kind = entry.kind;
    image.arch = entry.arch;
    image.bytes = entry.payload;
    image.options = entry.options;
    // Names end with a NUL.
    image.identifier = entry.identifier.split('\0').first;
    image.isPacked = true;
    images.push_back(image);
  }
  auto written = writeFatbin(images, compression);
  if (!written)
    return requireText(written.takeError());
  FatbinReader reader =
      llvm::cantFail(FatbinReader::create({written->data(), written->size()}));
  require(reader.entries().size() == images.size());
  for (const auto &[entry, image] : llvm::zip(reader.entries(), images)) {
    require(entry.kind == image.kind);
    require(entry.arch.number == image.arch.number);
    require(entry.arch.suffix == image.arch.suffix);
  }
}

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
  for (auto compression : {FatbinCompression::None, FatbinCompression::Speed})
    writeAgain(reader->entries(), compression);
  return 0;
}
