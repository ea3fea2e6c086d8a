//===- ArchiveFuzzer.cpp - Fuzzes the reader of archives --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/Archive.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  llvm::MemoryBufferRef buffer(data, "dir/lib.a");
  auto members = readArchiveMembers(buffer);
  require(isArchive(data) || !members);
  if (!members) {
    requireText(members.takeError());
    return 0;
  }
  bool thin = data.starts_with("!<thin>");
  uint64_t last = 0;
  for (const ArchiveMember &member : *members) {
    require(member.offset > last && member.offset < size);
    last = member.offset;
    require(member.thinPath.empty() == !thin);
    requirePart(member.data, data);
    touch(member.name);
    if (thin)
      continue;
    llvm::Expected<StringRef> again =
        readArchiveMemberAt(buffer, member.offset);
    require(bool(again) && again->data() == member.data.data() &&
            again->size() == member.data.size());
  }
  return 0;
}
