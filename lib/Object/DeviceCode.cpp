//===- DeviceCode.cpp - Finds the device code in a file -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds cubins, fatbins and offload binaries in a file of any kind. The tools
/// call visitDeviceCode() for each file that they open (Finished/Images.cpp,
/// cubin-prune) and findEmbeddedFatbins() for programs, libraries and host
/// objects; the linker calls the latter only to explain an input without usable
/// code (OtherImages.cpp). In such files, fatbins are in sections of known
/// names, one after the other. Each begins at a multiple of 8 with its magic
/// and says how long it is, so a walk over a section reads one page for each
/// fatbin. A file without sections is searched for the magic, segment by
/// segment.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/DeviceCode.h"
#include "ObjectError.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/CoffSections.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/HostObject.h"
#include "lld-cuda/Object/OffloadBinary.h"
#include "lld-cuda/Support/RegularFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace llvm::object;

namespace lld::cuda {
namespace {

constexpr uint64_t FatbinAlignment = 8;

bool startsLikeFatbin(StringRef data) {
  return data.size() >= 4 &&
         support::endian::read32le(data.data()) == FatbinMagic;
}

/// The section of that name for fatbins that the host code registers, or those
/// for a device link; else an empty name. `isCut`: names end after 8
/// characters.
StringRef getFatbinSection(StringRef name, bool isCut) {
  static constexpr StringLiteral Sections[] = {".nv_fatbin", "__nv_relfatbin"};
  for (StringLiteral section : Sections)
    if (name == section ||
        (isCut && name == section.take_front(COFF::NameSize)))
      return section;
  return StringRef();
}

bool overlap(StringRef a, StringRef b) {
  return a.begin() < b.end() && b.begin() < a.end();
}

/// The fatbins among bytes that lie at `offset` of the file.
class FatbinSearch {
public:
  FatbinSearch(StringRef file, function_ref<void(Error)> report)
      : file(file), report(report) {}

  std::vector<EmbeddedFatbin> found;
  uint64_t zeros = 0; ///< In long runs, of sections of fatbins.

  /// All bytes are fatbins and zeros between them.
  void section(StringRef name, StringRef contents) {
    if (any_of(searched, [&](StringRef s) { return overlap(s, contents); }))
      return report(malformed("section '{0}' overlaps another one", name));
    searched.push_back(contents);
    const uint64_t start = contents.data() - file.data();
    uint64_t at = skipZeros(contents, 0);
    while (at < contents.size()) {
      StringRef rest = contents.substr(at);
      Expected<uint64_t> size = getFatbinSize(rest);
      if (size) {
        found.push_back({name, start + at, rest.take_front(*size)});
        at = skipZeros(contents, at + *size);
        continue;
      }
      report(malformed("section '{0}', offset {1:x}: {2}", name, at,
                       toString(size.takeError())));
      at = findMagic(contents, at + 1);
    }
  }

  /// Anything may be around fatbins.
  void segment(StringRef contents) {
    const size_t before = found.size();
    const uint64_t start = contents.data() - file.data();
    uint64_t at = findMagic(contents, 0);
    while (at < contents.size()) {
      StringRef rest = contents.substr(at);
      Expected<uint64_t> size = getFatbinSize(rest);
      if (size) {
        // Segments may share bytes: a fatbin counts once.
        StringRef fatbin = rest.take_front(*size);
        if (none_of(ArrayRef(found).take_front(before),
                    [&](const EmbeddedFatbin &other) {
                      return overlap(other.data, fatbin);
                    }))
          found.push_back({StringRef(), start + at, fatbin});
        at = findMagic(contents, at + *size);
      } else {
        // The magic alone may be anything.
        consumeError(size.takeError());
        at = findMagic(contents, at + 1);
      }
    }
  }

private:
  /// Skips zeros. Short runs aren't counted, since they only align the next
  /// fatbin.
  uint64_t skipZeros(StringRef contents, uint64_t from) {
    constexpr uint64_t Long = 64;
    const uint64_t end =
        std::min(contents.find_first_not_of('\0', from), contents.size());
    if (end - from >= Long)
      zeros += end - from;
    return end;
  }

  static uint64_t findMagic(StringRef contents, uint64_t from) {
    for (uint64_t at = alignTo(from, FatbinAlignment); at < contents.size();
         at += FatbinAlignment)
      if (startsLikeFatbin(contents.substr(at)))
        return at;
    return contents.size();
  }

  StringRef file;
  function_ref<void(Error)> report;
  SmallVector<StringRef, 2> searched;
};

template <class ELFT>
Error searchSegments(const ELFFile<ELFT> &elf, StringRef file,
                     FatbinSearch &search) {
  auto segments = elf.program_headers();
  if (!segments)
    return segments.takeError();
  for (const typename ELFT::Phdr &segment : *segments)
    if (segment.p_type == ELF::PT_LOAD)
      search.segment(file.substr(segment.p_offset, segment.p_filesz));
  return Error::success();
}

/// Whether a section's bytes are read, by its name.
using SectionFilter = function_ref<bool(StringRef)>;
using SectionVisitor = function_ref<void(StringRef name, StringRef contents)>;

template <class ELFT>
Error visitSections(const ELFFile<ELFT> &elf, SectionFilter filter,
                    SectionVisitor visit) {
  Expected<typename ELFT::ShdrRange> sections = elf.sections();
  if (!sections)
    return sections.takeError();
  Expected<StringRef> names = elf.getSectionStringTable(*sections);
  if (!names)
    return names.takeError();
  for (const typename ELFT::Shdr &section : *sections) {
    Expected<StringRef> name = elf.getSectionName(section, *names);
    if (!name)
      return name.takeError();
    if (section.sh_type == ELF::SHT_NOBITS || !filter(*name))
      continue;
    Expected<ArrayRef<uint8_t>> contents = elf.getSectionContents(section);
    if (!contents)
      return contents.takeError();
    visit(*name, toStringRef(*contents));
  }
  return Error::success();
}

Error visitCoffSections(StringRef file, SectionFilter filter,
                        SectionVisitor visit) {
  if (!isCoffObject(file) && !isPeImage(file))
    return malformed("not an ELF, COFF or PE file");
  Expected<CoffSections> sections = CoffSections::create(file);
  if (!sections)
    return sections.takeError();
  for (size_t i = 1; i < sections->size(); ++i) {
    Expected<StringRef> name = sections->name(i);
    if (!name)
      return name.takeError();
    if (!filter(*name))
      continue;
    Expected<StringRef> contents = sections->contents(i, *name);
    if (!contents)
      return contents.takeError();
    visit(*name, *contents);
  }
  return Error::success();
}

/// Calls `read` with a value of the type that LLVM has for the file's ELF class
/// and byte order.
template <class Reader> Error withElfType(StringRef file, Reader read) {
  if (file.size() < ELF::EI_NIDENT)
    return malformed("the ELF header is cut off");
  const bool is64 = file[ELF::EI_CLASS] == ELF::ELFCLASS64;
  if (file[ELF::EI_DATA] == ELF::ELFDATA2MSB)
    return is64 ? read(ELF64BE()) : read(ELF32BE());
  return is64 ? read(ELF64LE()) : read(ELF32LE());
}

bool isElf(StringRef file) { return file.starts_with(ELF::ElfMagic); }

Error visitHostSections(StringRef file, SectionFilter filter,
                        SectionVisitor visit) {
  if (!isElf(file))
    return visitCoffSections(file, filter, visit);
  return withElfType(file, [&](auto form) -> Error {
    auto elf = ELFFile<decltype(form)>::create(file);
    if (!elf)
      return elf.takeError();
    return visitSections(*elf, filter, visit);
  });
}

Error searchFile(StringRef file, FatbinSearch &search) {
  bool hasSections = true;
  if (isElf(file))
    if (Error e = withElfType(file, [&](auto form) -> Error {
          auto elf = ELFFile<decltype(form)>::create(file);
          if (!elf)
            return elf.takeError();
          hasSections = elf->getHeader().e_shoff != 0;
          return hasSections ? Error::success()
                             : searchSegments(*elf, file, search);
        }))
      return e;
  if (!hasSections)
    return Error::success();
  const bool isCut = isPeImage(file);
  return visitHostSections(
      file,
      [&](StringRef name) { return !getFatbinSection(name, isCut).empty(); },
      [&](StringRef name, StringRef contents) {
        search.section(getFatbinSection(name, isCut), contents);
      });
}

/// Returns the type of a host object, see HostObject::fileType.
uint16_t getHostType(StringRef file) {
  if (!isElf(file))
    return CoffSections::getFileType(file);
  constexpr size_t TypeOffset = 16;
  const char *at = file.data() + TypeOffset;
  return file[ELF::EI_DATA] == ELF::ELFDATA2MSB ? support::endian::read16be(at)
                                                : support::endian::read16le(at);
}

class Walker {
public:
  Walker(StringRef file, DeviceCodeVisitor &visitor)
      : file(file), visitor(visitor) {}

  void visit(StringRef label, StringRef data, bool inArchive) {
    visitor.file(label, data.size());
    if (isArchive(data) && !inArchive)
      visitArchive(label, data);
    else if (isCubin(data))
      add(DevicePart::Cubin, label, "", data, 0);
    else if (startsLikeFatbin(data))
      add(DevicePart::Fatbin, label, "", data, 0);
    else if (isOffloadBinary(data))
      add(DevicePart::Offload, label, "", data, 0);
    else if (isHostFile(data))
      visitHostFile(label, data);
  }

private:
  void add(DevicePart::Kind kind, StringRef label, StringRef section,
           StringRef data, uint16_t hostType) {
    visitor.part({kind, label, section, uint64_t(data.data() - file.data()),
                  data, hostType});
  }

  void visitArchive(StringRef label, StringRef data) {
    Expected<std::vector<ArchiveMember>> members =
        readArchiveMembers(MemoryBufferRef(data, label));
    if (!members)
      return visitor.error(label, members.takeError());
    for (const ArchiveMember &member : *members) {
      std::string name = (label + ":" + member.name).str();
      if (member.thinPath.empty())
        visit(name, member.data, /*inArchive=*/true);
      else
        visitThinMember(name, member);
    }
  }

  void visitThinMember(StringRef label, const ArchiveMember &member) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
        readRegularFile(member.thinPath);
    if (!buffer)
      return visitor.error(label, errorCodeToError(buffer.getError()));
    StringRef data = (*buffer)->getBuffer();
    Walker walker(data, visitor);
    if (!member.thinOffset)
      return walker.visit(label, data, /*inArchive=*/true);
    Expected<StringRef> contents =
        readArchiveMemberAt(**buffer, member.thinOffset);
    if (!contents)
      return visitor.error(label, contents.takeError());
    walker.visit(label, *contents, /*inArchive=*/true);
  }

  void visitHostFile(StringRef label, StringRef data) {
    auto report = [&](Error e) { visitor.error(label, std::move(e)); };
    const uint16_t type = getHostType(data);
    SmallVector<StringRef, 4> seen;
    uint64_t zeros = 0;
    for (const EmbeddedFatbin &fatbin :
         findEmbeddedFatbins(data, report, &zeros)) {
      add(DevicePart::Fatbin, label, fatbin.section, fatbin.data, type);
      seen.push_back(fatbin.data);
    }
    if (zeros)
      visitor.zeros(label, zeros);
    // In a linked file, device code of these sections is in the fatbins.
    if (type != ELF::ET_REL)
      return;
    Error error = visitHostSections(
        data, [](StringRef name) { return name == ".llvm.offloading"; },
        [&](StringRef name, StringRef contents) {
          if (any_of(seen, [&](StringRef s) { return overlap(s, contents); }))
            return report(
                malformed("section '{0}' overlaps another one", name));
          seen.push_back(contents);
          add(DevicePart::Offload, label, name, contents, type);
        });
    // findEmbeddedFatbins() has reported the same error.
    consumeError(std::move(error));
  }

  StringRef file;
  DeviceCodeVisitor &visitor;
};

} // namespace

std::string getTargetName(const FatbinEntry &entry) {
  StringRef suffix = entry.arch.suffix == elf::Architecture::Accelerated ? "a"
                     : entry.arch.suffix == elf::Architecture::Family    ? "f"
                                                                         : "";
  StringRef prefix = "sm_";
  if (entry.kind == FatbinKind::PTX || entry.kind == FatbinKind::TileIR)
    prefix = "compute_";
  else if (entry.kind == FatbinKind::LTOIR)
    prefix = "lto_";
  return (prefix + Twine(entry.arch.number) + suffix).str();
}

std::vector<EmbeddedFatbin>
findEmbeddedFatbins(StringRef file, function_ref<void(Error)> report,
                    uint64_t *zeros) {
  FatbinSearch search(file, report);
  if (Error error = searchFile(file, search))
    report(std::move(error));
  if (zeros)
    *zeros = search.zeros;
  return std::move(search.found);
}

bool isHostFile(StringRef data) {
  return isHostObject(data) || isCoffObject(data) || isPeImage(data);
}

bool mayHaveDeviceCode(StringRef beginning) {
  // Of a PE file only "MZ" is in the beginning; its signature comes later.
  return isArchive(beginning) || startsLikeFatbin(beginning) ||
         isCubin(beginning) || isHostObject(beginning) ||
         isCoffObject(beginning) || beginning.starts_with("MZ") ||
         isOffloadBinary(beginning);
}

void visitDeviceCode(MemoryBufferRef file, DeviceCodeVisitor &visitor) {
  Walker(file.getBuffer(), visitor)
      .visit(file.getBufferIdentifier(), file.getBuffer(),
             /*inArchive=*/false);
}

void visitDeviceCode(StringRef path, DeviceCodeVisitor &visitor) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = readRegularFileOrStdin(path);
  if (!buffer)
    return visitor.error(path, errorCodeToError(buffer.getError()));
  visitDeviceCode(MemoryBufferRef((*buffer)->getBuffer(), path), visitor);
}

} // namespace lld::cuda
