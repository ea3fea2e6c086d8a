//===- ZipFuzzer.cpp - Fuzzes the reader of zip files ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the reader of wheels and other zip files (lib/Finished/Zip.h).
/// libFuzzer calls LLVMFuzzerTestOneInput() with each input that it makes, in
/// runs of scripts/fuzz.sh; an input is a zip file. All members are opened:
/// each must have the size that it claims, and none may unpack to more than the
/// limit.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Finished/Zip.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  constexpr uint64_t Limit = 1 << 20;
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  auto members = readZipMembers(data);
  if (!members) {
    requireText(members.takeError());
    return 0;
  }
  touch(isZip(data) ? "zip" : "");
  for (const ZipMember &member : *members) {
    requirePart(member.data, data);
    touch(member.name);
    touch(peekZipMember(member, 64));
    auto contents = openZipMember(member, "/tmp", Limit);
    if (!contents) {
      requireText(contents.takeError());
      continue;
    }
    require(!member.isPacked() || (*contents)->getBufferSize() <= Limit);
    require((*contents)->getBufferSize() == member.size);
    touch((*contents)->getBuffer());
  }
  return 0;
}
