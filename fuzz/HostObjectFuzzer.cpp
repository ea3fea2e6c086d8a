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
/// error, or fatbins, images and names that lie within the input. Then the
/// objects are written that a device link of the input would end with
/// (HostObjectWriter.h); what was written must be read again.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Object/HostObject.h"
#include "lld-cuda/Object/HostObjectWriter.h"
#include "lld-cuda/Object/OffloadBinary.h"
#include "llvm/BinaryFormat/ELF.h"

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

static HostObject readWritten(llvm::ArrayRef<char> bytes) {
  return llvm::cantFail(HostObject::create(
      llvm::MemoryBufferRef({bytes.data(), bytes.size()}, "written.o")));
}

static void writeObjects(const llvm::Triple &host, const HostObject &object) {
  const StringRef fatbin =
      object.fatbins.empty() ? StringRef() : object.fatbins.front();
  std::vector<std::string> ids, lists;
  for (StringRef id : splitNames(object.moduleIds.value_or("")))
    ids.push_back(id.str());
  for (const auto &list : {object.kernelsExternal, object.kernelsInternal,
                           object.variablesExternal, object.variablesInternal,
                           object.constantsExternal, object.constantsInternal})
    lists.push_back(list.value_or("").str());

  auto layer = writeLayerObject(host, fatbin, ids, lists);
  if (!layer) {
    requireText(layer.takeError());
  } else if (!fatbin.empty()) {
    const HostObject again = readWritten(*layer);
    require(again.isLayer && again.fatbins.size() == 1);
    require(again.fatbins.front() == fatbin);
    require(splitNames(again.moduleIds.value_or("")).size() == ids.size());
  }
  auto written = writeHostObject(host, fatbin, ids);
  if (!written)
    return requireText(written.takeError());
  const HostObject again = readWritten(*written);
  require(again.hasWholeProgramFatbin && again.hasFatbinSegment);
}

/// --host-target may name a host that no object can be written for.
static void refuseHosts() {
  for (StringRef name : {"arm64-apple-macosx", "powerpc64le-unknown-linux-gnu",
                         "i686-pc-windows-msvc", "arm64ec-pc-windows-msvc"}) {
    requireText(writeHostObject(llvm::Triple(name), "", {}).takeError());
    requireText(writeLayerObject(llvm::Triple(name), "", {}, {}).takeError());
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  checkOffloading(data);
  (void)isHostObject(data);
  (void)getHost(data);
  if (data.empty())
    refuseHosts();
  llvm::Expected<HostObject> object =
      HostObject::create(llvm::MemoryBufferRef(data, "host.o"),
                         [&](StringRef part) { requirePart(part, data); });
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
  if (auto host = getHost(data); host && object->fileType == llvm::ELF::ET_REL)
    writeObjects(*host, *object);
  return 0;
}
