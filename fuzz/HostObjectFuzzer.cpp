//===- HostObjectFuzzer.cpp - Fuzzes readers of host objects --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the readers of host objects and of clang's offload binaries
/// (lib/Object/HostObject.h, OffloadBinary.h). libFuzzer calls
/// LLVMFuzzerTestOneInput() with each input that it makes, in runs of
/// scripts/fuzz.sh; an input is an ELF or COFF object. A reader must return an
/// error, or fatbins, images and names that lie within the input.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Object/HostObject.h"
#include "lld-cuda/Object/OffloadBinary.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

static void checkOffloading(StringRef section) {
  llvm::Expected<std::vector<OffloadImage>> images = readOffloadImages(section);
  if (!images)
    return requireText(images.takeError());
  for (const OffloadImage &image : *images)
    for (StringRef part : {image.data, image.arch, image.triple})
      if (!part.empty())
        requirePart(part, section);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  checkOffloading(data);
  (void)isHostObject(data);
  (void)getHost(data);
  llvm::Expected<HostObject> object =
      HostObject::create(llvm::MemoryBufferRef(data, "host.o"));
  if (!object) {
    requireText(object.takeError());
    return 0;
  }
  for (StringRef fatbin : object->fatbins) {
    requirePart(fatbin, data);
    llvm::Expected<uint64_t> fatbinSize = getFatbinSize(fatbin);
    require(bool(fatbinSize) && *fatbinSize == fatbin.size());
  }
  for (StringRef section : object->offloadSections) {
    requirePart(section, data);
    checkOffloading(section);
  }
  for (const auto &list :
       {object->moduleIds, object->kernelsExternal, object->kernelsInternal,
        object->variablesExternal, object->variablesInternal,
        object->constantsExternal, object->constantsInternal}) {
    if (!list)
      continue;
    requirePart(*list, data);
    for (StringRef name : splitNames(*list)) {
      require(!name.empty() && !name.contains('\0'));
      requirePart(name, *list);
    }
  }
  return 0;
}
