//===- PruneFile.cpp - Removes device code from a file --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-prune's main() calls pruneFile() for each file. Pruner takes a cubin,
/// a fatbin, a host object, a linked program or an archive of such files, and
/// adds the new contents to OutputChunks. An object with a single fatbin
/// becomes shorter. In a linked file addresses are fixed, so a fatbin keeps its
/// place and its size, and zeros take the room of what was removed. pruneFile()
/// also lists the images that the result must have, which main() compares with
/// what was written (Verify.h). Anything that can't be read is an error, and
/// the file stays as it is.
///
//===----------------------------------------------------------------------===//

#include "PruneFile.h"
#include "PeFile.h"
#include "PruneFatbin.h"
#include "ShortenObject.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/ArchiveEdit.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "lld-cuda/Object/HostObject.h"
#include "lld-cuda/Support/Parallel.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace lld::cuda {
namespace {

bool startsLikeFatbin(StringRef data) {
  return data.size() >= 4 &&
         support::endian::read32le(data.data()) == FatbinMagic;
}

/// Whether a cubin is code for a device link. One by itself, in no section that
/// says so, has to be looked at.
bool isRelocatable(const FatbinEntry &entry, StringRef section) {
  if (entry.kind != FatbinKind::ELF && entry.kind != FatbinKind::Mercury)
    return false;
  if (!section.empty())
    return section == "__nv_relfatbin";
  SmallVector<uint8_t, 0> decoded;
  StringRef data = entry.payload;
  if (entry.isCompressed()) {
    if (Error e = decompress(entry, decompressLimit(), decoded)) {
      consumeError(std::move(e));
      return false; // What can't be read stays.
    }
    data = toStringRef(ArrayRef(decoded));
  }
  Expected<CubinFile> cubin = CubinFile::create(MemoryBufferRef(data, ""));
  if (cubin)
    return cubin->header().e_type == ELF::ET_REL;
  consumeError(cubin.takeError());
  return false;
}

class Pruner {
public:
  Pruner(const Selection &selection, PruneResult &result)
      : selection(selection), result(result) {}

  StringSet<> ownImages;

  bool keeps(const FatbinEntry &entry, StringRef section) const {
    const bool asks = selection.dropsRelocatable || selection.usesOwnImage ||
                      !selection.linked.empty();
    return selection.keeps(entry, asks && isRelocatable(entry, section),
                           ownImages);
  }

  /// Images that were written anew, by their old places.
  DenseMap<std::pair<const char *, uint64_t>, RewrittenEntry> rewritten;

  /// Adds what the file becomes to the output.
  Error file(StringRef data, OutputChunks &out) {
    if (isCubin(data))
      return cubin(data, out);
    if (startsLikeFatbin(data))
      return fatbinFile(data, out);
    if (isHostFile(data))
      return hostFile(data, out);
    out.add(data);
    return Error::success();
  }

  Error archive(MemoryBufferRef buffer, OutputChunks &out) {
    if (isThinArchive(buffer.getBuffer()))
      return createStringError("a thin archive has no members of its own; "
                               "prune the files that it names");
    Expected<std::vector<ArchiveMember>> members = readArchiveMembers(buffer);
    if (!members)
      return members.takeError();
    std::vector<NewMemberContents> changed;
    for (const ArchiveMember &member : *members) {
      OutputChunks chunks;
      if (Error e = file(member.data, chunks))
        return createStringError(member.name + ": " + toString(std::move(e)));
      std::string bytes = chunks.flatten();
      if (bytes != member.data)
        changed.push_back(
            {member.offset, SmallVector<char, 0>(bytes.begin(), bytes.end())});
    }
    Expected<std::vector<Replacement>> changes =
        replaceMembers(buffer.getBuffer(), changed);
    if (!changes)
      return changes.takeError();
    return replace(buffer.getBuffer(), *changes, out);
  }

private:
  Expected<PrunedFatbin>
  fatbin(StringRef data, StringRef section,
         unsigned threads = availableProcessors()) const {
    return pruneFatbin(
        data, selection,
        [&](const FatbinEntry &entry) { return keeps(entry, section); },
        threads);
  }

  void count(StringRef data, const PrunedFatbin &pruned) {
    PruneCounts &counts = result.counts;
    counts.kept += pruned.kept;
    counts.dropped += pruned.dropped;
    counts.rewritten += pruned.rewritten.size();
    counts.kernelsDropped += pruned.kernelsDropped;
    counts.bytesDropped += int64_t(data.size()) - int64_t(pruned.bytes.size());
    for (const RewrittenEntry &entry : pruned.rewritten)
      rewritten[{entry.oldPayload, entry.oldOffset}] = entry;
  }

  /// A cubin by itself stays, whatever its architecture. But patterns of
  /// targets that fit it are used; it doesn't say which variant it is for.
  void matchTargets(StringRef data) const {
    Expected<CubinFile> file = CubinFile::create(MemoryBufferRef(data, ""));
    if (!file)
      return consumeError(file.takeError());
    FatbinEntry entry = {};
    entry.kind = FatbinKind::ELF;
    entry.arch.number = file->smNumber();
    for (auto suffix : {elf::Architecture::None, elf::Architecture::Accelerated,
                        elf::Architecture::Family}) {
      entry.arch.suffix = suffix;
      selection.keeps(entry, /*isRelocatable=*/false, ownImages);
    }
  }

  Error cubin(StringRef data, OutputChunks &out) {
    ++result.counts.kept;
    matchTargets(data);
    if (selection.cubins.empty()) {
      out.add(data);
      return Error::success();
    }
    Expected<std::optional<PrunedCubin>> pruned =
        pruneCubin(data, selection.cubins);
    if (!pruned)
      return pruned.takeError();
    if (!*pruned) {
      out.add(data);
      return Error::success();
    }
    SmallVector<char, 0> &bytes = (*pruned)->bytes;
    rewritten[{data.data(), 0}] = {
        data.data(), 0, 0, bytes.size(),
        xxh3_64bits(StringRef(bytes.data(), bytes.size()))};
    ++result.counts.rewritten;
    result.counts.kernelsDropped += (*pruned)->kernelsDropped;
    result.counts.bytesDropped += int64_t(data.size()) - int64_t(bytes.size());
    out.own(std::move(bytes));
    return Error::success();
  }

  /// Fatbins one behind the other.
  Error fatbinFile(StringRef data, OutputChunks &out) {
    Expected<uint64_t> size = getFatbinSize(data);
    if (!size)
      return size.takeError();
    Expected<PrunedFatbin> pruned = fatbin(data.take_front(*size), "");
    if (!pruned)
      return pruned.takeError();
    count(data.take_front(*size), *pruned);
    out.own(std::move(pruned->bytes));
    out.add(data.drop_front(*size));
    return Error::success();
  }

  Error hostFile(StringRef data, OutputChunks &out) {
    Error failure = Error::success();
    std::vector<EmbeddedFatbin> fatbins =
        findEmbeddedFatbins(data, [&](Error e) {
          failure = joinErrors(std::move(failure), std::move(e));
        });
    if (failure)
      return failure;
    Expected<HostObject> object =
        HostObject::create(MemoryBufferRef(data, "object"));
    if (!object)
      return object.takeError();
    if (object->fileType == ELF::ET_REL && fatbins.size() == 1)
      return shortenObject(data, fatbins.front(), out);
    return blank(data, fatbins, out);
  }

  /// Puts a shorter fatbin into the one section of an object that has one.
  Error shortenObject(StringRef data, const EmbeddedFatbin &embedded,
                      OutputChunks &out) {
    Expected<PrunedFatbin> pruned = fatbin(embedded.data, embedded.section);
    if (!pruned)
      return pruned.takeError();
    count(embedded.data, *pruned);
    if (!pruned->isChanged()) {
      out.add(data);
      return Error::success();
    }
    const StringRef contents(pruned->bytes.data(), pruned->bytes.size());
    Expected<SmallVector<char, 0>> bytes =
        isCoffObject(data) ? shortenCoffSection(data, embedded, contents)
                           : shortenSection(data, embedded, contents);
    if (!bytes)
      return bytes.takeError();
    if (Error e = checkSections(data, StringRef(bytes->data(), bytes->size())))
      return e;
    out.own(std::move(*bytes));
    return Error::success();
  }

  /// All fatbins pruned, in the order of their offsets.
  Expected<std::vector<PrunedFatbin>>
  pruneAll(ArrayRef<const EmbeddedFatbin *> fatbins) const {
    std::vector<std::optional<Expected<PrunedFatbin>>> made(fatbins.size());
    // Many fatbins are pruned several at once; with few, the images of each
    // are.
    const unsigned all = availableProcessors();
    const unsigned outer = fatbins.size() < all ? 1 : all;
    parallelForEach(outer, fatbins.size(), [&](size_t i) {
      made[i].emplace(
          fatbin(fatbins[i]->data, fatbins[i]->section, all / outer));
    });
    // Only the first error is returned.
    Error failure = Error::success();
    std::vector<PrunedFatbin> result;
    for (std::optional<Expected<PrunedFatbin>> &pruned : made) {
      Error e = pruned->takeError();
      if (!e)
        result.push_back(std::move(**pruned));
      else if (failure)
        consumeError(std::move(e));
      else
        failure = std::move(e);
    }
    if (failure)
      return failure;
    return result;
  }

  /// The file as it is, but for the fatbins' bytes.
  Error blank(StringRef data, ArrayRef<EmbeddedFatbin> fatbins,
              OutputChunks &out) {
    std::vector<const EmbeddedFatbin *> order;
    for (const EmbeddedFatbin &embedded : fatbins)
      order.push_back(&embedded);
    sort(order, [](const EmbeddedFatbin *a, const EmbeddedFatbin *b) {
      return a->offset < b->offset;
    });
    Expected<std::vector<PrunedFatbin>> made = pruneAll(order);
    if (!made)
      return made.takeError();
    std::vector<Replacement> changes;
    for (auto [embedded, pruned] : zip(order, *made)) {
      count(embedded->data, pruned);
      if (!pruned.isChanged())
        continue;
      const uint64_t size = embedded->data.size();
      if (pruned.bytes.size() > size)
        return createStringError("a pruned fatbin would need " +
                                 Twine(pruned.bytes.size() - size) +
                                 " more bytes than there are in its place");
      const uint64_t left = size - pruned.bytes.size();
      changes.push_back(
          {embedded->offset, size, std::move(pruned.bytes), left});
    }
    if (!changes.empty() && isPeImage(data))
      if (Error e = addPeChanges(data, selection.removesSignature, changes))
        return e;
    return replace(data, changes, out);
  }

  /// Adds the file with `changes`, which are in the order of their offsets.
  static Error replace(StringRef data, MutableArrayRef<Replacement> changes,
                       OutputChunks &out) {
    uint64_t at = 0;
    for (Replacement &change : changes) {
      if (change.offset < at)
        return createStringError("two fatbins overlap");
      out.add(data.slice(at, change.offset));
      out.own(std::move(change.bytes));
      out.zeros(change.zeros);
      at = change.offset + change.size;
    }
    out.add(data.drop_front(at));
    return Error::success();
  }

  const Selection &selection;
  PruneResult &result;
};

/// Collects the architectures of linked code.
class LinkedTargets final : public DeviceCodeVisitor {
public:
  StringSet<> targets;
  Error failure = Error::success();

  void part(const DevicePart &part) override {
    if (part.kind == DevicePart::Cubin)
      return cubin(part);
    if (part.kind != DevicePart::Fatbin || part.section == "__nv_relfatbin")
      return;
    Expected<FatbinReader> fatbin = FatbinReader::create(part.data);
    if (!fatbin)
      return error(part.label, fatbin.takeError());
    for (const FatbinEntry &entry : fatbin->entries())
      if (entry.kind == FatbinKind::ELF && !isRelocatable(entry, part.section))
        targets.insert(getTargetName(entry));
  }

  void error(StringRef label, Error e) override {
    failure =
        joinErrors(std::move(failure),
                   createStringError(label + ": " + toString(std::move(e))));
  }

private:
  void cubin(const DevicePart &part) {
    Expected<CubinFile> file =
        CubinFile::create(MemoryBufferRef(part.data, part.label));
    if (!file)
      return error(part.label, file.takeError());
    if (file->header().e_type != ELF::ET_REL)
      targets.insert("sm_" + std::to_string(file->smNumber()));
  }
};

} // namespace

Expected<StringSet<>> listLinkedTargets(MemoryBufferRef file) {
  LinkedTargets visitor;
  visitDeviceCode(file, visitor);
  if (visitor.failure)
    return std::move(visitor.failure);
  return std::move(visitor.targets);
}

Expected<PruneResult> pruneFile(MemoryBufferRef file,
                                const Selection &selection) {
  PruneResult result;
  Pruner pruner(selection, result);
  if (selection.usesOwnImage) {
    Expected<StringSet<>> own = listLinkedTargets(file);
    if (!own)
      return own.takeError();
    pruner.ownImages = std::move(*own);
  }
  Expected<std::vector<ImageMark>> expected =
      listImages(file, [&](const FatbinEntry &entry, StringRef section) {
        return pruner.keeps(entry, section);
      });
  if (!expected)
    return expected.takeError();
  result.expected = std::move(*expected);
  StringRef data = file.getBuffer();
  Error failed = isArchive(data) ? pruner.archive(file, result.output)
                                 : pruner.file(data, result.output);
  if (failed)
    return failed;
  for (ImageMark &mark : result.expected)
    if (auto it = pruner.rewritten.find({mark.payload, mark.imageOffset});
        it != pruner.rewritten.end()) {
      mark.flags = it->second.flags;
      mark.size = it->second.size;
      mark.hash = it->second.hash;
    }
  return result;
}

} // namespace lld::cuda
