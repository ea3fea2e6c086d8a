//===- InputStore.cpp - Inputs that several links share -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An InputStore keeps what several links of the same inputs need, each thing
/// made once: files by their paths, and what is in a file by the address where
/// its bytes begin. Those addresses don't change, since the store keeps the
/// files in memory. A device link has one store for all its architectures, and
/// so has each prepared input. When such a link loads its inputs, it asks the
/// store before it opens a file, reads an archive's members or decompresses an
/// image. The store remembers a failure, too, but not its reason: a link that
/// gets nothing tries for itself and reports what is wrong (SharedOrOwn). Files
/// are read into memory, never mapped.
///
//===----------------------------------------------------------------------===//

#include "Input/InputStore.h"
#include "Input/OpenFile.h"
#include "Parallel.h"
#include "lld-cuda/FinalCode/FinalCodeCache.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda;

InputStore::InputStore(bool takesStandardInput)
    : takesStandardInput(takesStandardInput) {}
InputStore::~InputStore() = default;

/// Returns the value of an Expected, or nothing if it has an error.
template <typename T> static std::optional<T> take(Expected<T> value) {
  if (value)
    return std::move(*value);
  consumeError(value.takeError());
  return std::nullopt;
}

OpenedFile InputStore::read(const std::string &path, const FileToRead &file,
                            bool lazy) {
  InputBuffer::Options options;
  // Images are put together in memory, so nothing is gained by mapping.
  options.mayMap = false;
  options.isShared = true;
  options.lazy = lazy;
  options.whole = openFiles >= MaxOpenInputs;
  OpenedFile result = readOpenFile(path, file, options);
  if (result.buffer && result.buffer->isOpen())
    ++openFiles;
  return result;
}

FileToRead InputStore::openToRead(const std::string &path,
                                  FileKinds kinds) const {
  return takesStandardInput && path == "-" ? openStandardInput()
                                           : lld::cuda::openToRead(path, kinds);
}

OpenedFile InputStore::open(const std::string &path, bool lazy) {
  return open(path, lazy, FileKinds::All);
}

OpenedFile InputStore::open(const std::string &path, bool lazy,
                            FileKinds kinds) {
  return *files.get(path, [&] {
    return std::optional(read(path, openToRead(path, kinds), lazy));
  });
}

/// In two steps, as InputLoader does: the first tells how large they are. Of
/// many files not all can be open at once.
void InputStore::read(ArrayRef<std::string> paths,
                      function_ref<unsigned()> threadsIfLarge) {
  const bool areMany = paths.size() > LargeLinkFiles;
  std::vector<FileToRead> opened(areMany ? 0 : paths.size());
  uint64_t bytes = 0;
  for (size_t i = 0; i != opened.size(); ++i) {
    opened[i] = openToRead(paths[i], FileKinds::All);
    if (opened[i].fd >= 0)
      bytes += opened[i].status.st_size;
  }
  const bool isLarge = areMany || bytes > LargeLinkBytes;
  const unsigned threads =
      isLarge ? std::min(threadsIfLarge(), worthThreads(bytes, paths.size()))
              : 1;
  parallelForEach(threads, paths.size(), [&](size_t i) {
    files.get(paths[i], [&] {
      return std::optional(read(
          paths[i], areMany ? openToRead(paths[i], FileKinds::All) : opened[i],
          /*lazy=*/false));
    });
  });
}

const std::vector<ArchiveMember> *
InputStore::getMembers(const InputBuffer &archive) {
  return archives.get(archive.getBufferStart(), [&] {
    return take(
        readArchiveMembers(archive.getMemBufferRef(),
                           [&](StringRef part) { archive.load(part); }));
  });
}

const HostObject *InputStore::getHostObject(MemoryBufferRef data,
                                            const InputBuffer *source) {
  return objects.get(data.getBufferStart(), [&] {
    return take(HostObject::create(data, [&](StringRef part) {
      if (source)
        source->load(part);
    }));
  });
}

const FatbinReader *InputStore::getFatbin(StringRef data) {
  return fatbins.get(data.data(),
                     [&] { return take(FatbinReader::create(data)); });
}

const CubinFile *InputStore::getCubin(StringRef data) {
  return cubins.get(data.data(), [&] {
    return take(CubinFile::create(MemoryBufferRef(data, "")));
  });
}

const ObjectFacts *InputStore::getFacts(const CubinFile &file, bool isMercury) {
  return *facts.get(std::pair(file.buffer().getBufferStart(), isMercury), [&] {
    return std::optional(findObjectFacts(file, isMercury, factMemory));
  });
}

std::optional<StringRef>
InputStore::getPayload(const FatbinEntry &entry,
                       function_ref<Error(uint64_t)> allow) {
  using Bytes = SmallVector<uint8_t, 0>;
  const Bytes *bytes =
      payloads.get(std::pair(entry.payload.data(), entry.imageOffset),
                   [&]() -> std::optional<Bytes> {
                     Bytes decoded;
                     if (Error e = decompress(entry, allow, decoded)) {
                       consumeError(std::move(e));
                       return std::nullopt;
                     }
                     return decoded;
                   });
  return bytes ? std::optional(toStringRef(*bytes)) : std::nullopt;
}

std::vector<std::string> InputStore::findChanged() {
  std::vector<std::string> paths;
  files.forEach([&](OpenedFile &file) {
    if (file.buffer && !file.buffer->isUnchanged())
      paths.push_back(file.buffer->getBufferIdentifier().str());
  });
  return paths;
}
