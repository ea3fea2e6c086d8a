//===- Inputs.cpp - Finding the cubins in files ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the cubins in a file and shows a visitor everything on the way:
/// members of archives, host objects, fatbins and their entries. cubin-dump's
/// main() calls visitFile() for each input that it prints; of a wheel, all
/// members that may have device code are visited. The kind of a file is told by
/// its first bytes. Nesting is bounded: an archive in an archive, or a fatbin
/// in a fatbin, is not opened.
///
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "lld-cuda/Finished/Files.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "lld-cuda/Support/Limits.h"
#include "lld-cuda/Support/RegularFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lld::cuda {
namespace {

class Walker final : public FileVisitor {
public:
  explicit Walker(InputVisitor &visitor) : visitor(visitor) {}

  /// What the user has named; of a wheel all members that may have device code.
  void visitNamed(StringRef path) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
        readRegularFileOrStdin(path);
    if (!buffer)
      return visitor.error(path, errorCodeToError(buffer.getError()));
    SmallString<128> room;
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, room);
    visitContents(**buffer, path, {room.str().str(), getMemoryLimit()}, *this);
  }

  void file(const MemoryBuffer &contents, StringRef label,
            bool isAsked) override {
    visitTop(MemoryBufferRef(contents.getBuffer(), label), /*inArchive=*/false);
  }

  void error(StringRef label, Error e) override {
    visitor.error(label, std::move(e));
  }

private:
  void visitThinMember(StringRef path, StringRef label) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = readRegularFile(path);
    if (!buffer)
      return visitor.error(label, errorCodeToError(buffer.getError()));
    visitTop(MemoryBufferRef((*buffer)->getBuffer(), label),
             /*inArchive=*/true);
  }

  void visitTop(MemoryBufferRef buffer, bool inArchive) {
    StringRef data = buffer.getBuffer();
    if (isCubin(data))
      visitor.cubin(buffer);
    else if (isFatbin(data))
      visitFatbin(buffer.getBufferIdentifier(), data);
    else if (isHostFile(data))
      visitHostObject(buffer);
    else if (isArchive(data) && !inArchive)
      visitArchive(buffer);
    else if (inArchive &&
             identify_magic(data) == file_magic::coff_import_library)
      return; // Windows' libraries have such members beside objects.
    else
      visitor.error(buffer.getBufferIdentifier(),
                    createStringError("not a cubin, fatbin, host object or "
                                      "archive"));
  }

  static bool isFatbin(StringRef data) {
    return data.size() >= 4 &&
           support::endian::read32le(data.data()) == FatbinMagic;
  }

  void visitArchive(MemoryBufferRef buffer) {
    StringRef label = buffer.getBufferIdentifier();
    Expected<std::vector<ArchiveMember>> members = readArchiveMembers(buffer);
    if (!members)
      return visitor.error(label, members.takeError());
    visitor.archive(label, *members);
    for (const ArchiveMember &member : *members) {
      std::string memberLabel = (label + ":" + member.name).str();
      if (member.thinPath.empty())
        visitTop(MemoryBufferRef(member.data, memberLabel), /*inArchive=*/true);
      else
        visitThinMember(member.thinPath, memberLabel);
    }
  }

  void visitHostObject(MemoryBufferRef buffer) {
    StringRef label = buffer.getBufferIdentifier();
    Expected<HostObject> object = HostObject::create(buffer);
    if (!object)
      return visitor.error(label, object.takeError());
    // All fatbins are shown, also those that no link takes: of whole programs
    // and of linked files.
    std::vector<EmbeddedFatbin> fatbins =
        findEmbeddedFatbins(buffer.getBuffer(), [&](Error e) {
          visitor.error(label, std::move(e));
        });
    visitor.hostObject(label, *object, fatbins);
    for (size_t i = 0; i != fatbins.size(); ++i)
      visitFatbin((label + ":fatbin" + Twine(i)).str(), fatbins[i].data);
  }

  void visitFatbin(StringRef label, StringRef data) {
    Expected<FatbinReader> fatbin = FatbinReader::create(data);
    if (!fatbin)
      return visitor.error(label, fatbin.takeError());
    visitor.fatbin(label, *fatbin);
    for (size_t i = 0; i != fatbin->entries().size(); ++i)
      visitEntry((label + ":entry" + Twine(i)).str(), fatbin->entries()[i]);
  }

  void visitEntry(StringRef label, const FatbinEntry &entry) {
    if (entry.kind != FatbinKind::ELF && entry.kind != FatbinKind::Mercury)
      return;
    SmallVector<uint8_t, 0> decoded;
    StringRef data = entry.payload;
    if (entry.isCompressed()) {
      if (Error error = decompress(entry, decompressLimit(), decoded))
        return visitor.error(label, std::move(error));
      data = toStringRef(ArrayRef(decoded));
    }
    if (isCubin(data))
      return visitor.cubin(MemoryBufferRef(data, label));
    visitor.error(label, createStringError("the entry is not a cubin"));
  }

  InputVisitor &visitor;
};

} // namespace

void visitFile(StringRef path, InputVisitor &visitor) {
  Walker(visitor).visitNamed(path);
}

} // namespace lld::cuda
