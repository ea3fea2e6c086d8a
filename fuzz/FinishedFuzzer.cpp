//===- FinishedFuzzer.cpp - Fuzzes the readers of finished programs -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the readers that the cubin-* tools use for finished programs
/// (lib/Finished). libFuzzer calls LLVMFuzzerTestOneInput() with each input
/// that it makes, in runs of scripts/fuzz.sh. Each input is read three times:
/// as an ELF program that loads libraries (HostFile.h), as a file with images
/// of device code (Images.h), and as the dynamic loader's cache
/// (LoaderCache.h). All that a reader returns is read, and images are unpacked.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Finished/HostFile.h"
#include "lld-cuda/Finished/Images.h"
#include "lld-cuda/Finished/LoaderCache.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "llvm/ADT/STLExtras.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

namespace {

class Images final : public ImageVisitor {
public:
  explicit Images(StringRef file) : file(file) {}

  void member(StringRef label, uint64_t size) override { touch(label); }

  void image(FoundImage image, bool isKept) override {
    touch(image.member);
    touch(image.target);
    touch(image.data);
    if (isKept)
      requirePart(image.data, file);
    constexpr uint64_t Limit = 1 << 20;
    llvm::SmallVector<uint8_t, 0> storage;
    llvm::Expected<StringRef> bytes = unpackImage(image, Limit, storage);
    if (!bytes)
      return requireText(bytes.takeError());
    touch(*bytes);
  }

  void error(StringRef label, llvm::Error error) override {
    requireText(std::move(error));
  }

private:
  const StringRef file;
};

} // namespace

static void readHost(StringRef data) {
  llvm::Expected<HostFile> host = readHostFile(data);
  if (!host)
    return requireText(host.takeError());
  if (host->isLinked())
    touch(host->soname);
  for (const auto *names : {&host->needed, &host->runPath, &host->oldRunPath,
                            &host->definedRegistrations,
                            &host->wantedRegistrations, &host->sharedVariables,
                            &host->moduleIds, &host->linkedIds, &host->stubs})
    for (const std::string &name : *names)
      touch(name);
  require(llvm::is_sorted(host->sharedVariables));
}

static void readCache(StringRef data) {
  llvm::Expected<LoaderCache> cache = readLoaderCache(data);
  if (!cache)
    return requireText(cache.takeError());
  for (const auto &entry : *cache)
    for (StringRef path : entry.second)
      requirePart(path, data);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const StringRef data(reinterpret_cast<const char *>(bytes), size);
  if (isElfHostFile(data))
    readHost(data);
  require(mayHaveDeviceCode(data) || !isElfHostFile(data));
  Images images(data);
  visitImages(llvm::MemoryBufferRef(data, "input"), images);
  readCache(data);
  return 0;
}
