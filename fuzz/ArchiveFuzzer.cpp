//===- ArchiveFuzzer.cpp - Fuzzes the reader of archives ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the reader of static libraries (lib/Object/Archive.h) and the
/// function that replaces members (ArchiveEdit.h). libFuzzer calls
/// LLVMFuzzerTestOneInput() with each input that it makes, in runs of
/// scripts/fuzz.sh; an input is an archive. The reader must return an error, or
/// members that lie within the input and can be read again one by one. With
/// other contents for the last member, all other members must be as they were.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/ArchiveEdit.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

/// Replaces the contents of the last member and requires that all others are as
/// they were. Of a thin archive no member has contents to replace.
static void changeLast(StringRef data, llvm::ArrayRef<ArchiveMember> members) {
  NewMemberContents changed = {members.back().offset, {'x'}};
  auto changes = replaceMembers(data, changed);
  if (!changes) // Its symbol table is damaged, or it is thin.
    return requireText(changes.takeError());
  std::string written;
  uint64_t at = 0;
  for (const Replacement &change : *changes) {
    require(change.offset >= at && change.offset + change.size <= data.size());
    written += data.slice(at, change.offset);
    written.append(change.bytes.begin(), change.bytes.end());
    at = change.offset + change.size;
  }
  written += data.drop_front(at);
  auto after = readArchiveMembers({written, "dir/lib.a"});
  require(bool(after) && after->size() == members.size());
  for (const auto &[before, now] : llvm::zip(members, *after)) {
    require(now.name == before.name);
    require(&before == &members.back() ? now.data.starts_with("x")
                                       : now.data == before.data);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  llvm::MemoryBufferRef buffer(data, "dir/lib.a");
  const auto load = [&](StringRef part) { requirePart(part, data); };
  auto members = readArchiveMembers(buffer, load);
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
        readArchiveMemberAt(buffer, member.offset, load);
    require(bool(again) && again->data() == member.data.data() &&
            again->size() == member.data.size());
  }
  if (!members->empty())
    changeLast(data, *members);
  return 0;
}
