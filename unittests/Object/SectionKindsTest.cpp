//===- SectionKindsTest.cpp - Section kinds against nvlink's outputs ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Walks all outputs of nvlink that the corpus has: every section must be of a
/// kind that SectionKinds.def has, with the header and the place that its row
/// tells.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/SectionKinds.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <optional>
#include <set>

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::elf;

namespace {

class Image {
public:
  explicit Image(const CubinFile &file) : file(file) {}
  /// Why a section isn't as its row tells; empty if it is.
  std::string check(unsigned section);
  std::set<SectionKind> seen, seenTwins;

private:
  std::string compare(SectionKind kind, unsigned section) const;
  std::string compareTwin(SectionKind kind, unsigned section) const;
  bool comparesLinks(SectionKind kind, unsigned section, StringRef rest) const;
  bool isInOrder(unsigned section, SectionKind kind) const;
  bool isTwin(const Elf_Shdr &shdr) const {
    return shdr.sh_flags & SHF_CUDA_MERCURY;
  }
  /// The symbol table is the first twin: nvlink 13.5 wrote the file.
  bool hasSymbolsInFront() const {
    const Elf_Shdr *first = find_if(
        file.sections(), [&](const Elf_Shdr &shdr) { return isTwin(shdr); });
    return first != file.sections().end() &&
           first->sh_type == SHT_CUDA_MERC_SYMTAB;
  }
  StringRef nameOf(unsigned section) const {
    return section < file.sections().size() ? file.sectionName(section) : "?";
  }

  const CubinFile &file;
  std::optional<SectionKind> last;
  bool isWrittenAnew = false;
};

} // namespace

/// The rest of a name that fits a row's: what stands for the `*`.
static std::optional<StringRef> matchName(StringRef name, StringRef pattern) {
  if (!pattern.consume_back("*"))
    return name == pattern ? std::optional<StringRef>("") : std::nullopt;
  if (!name.consume_front(pattern))
    return std::nullopt;
  return name;
}

/// A final link has ordinary types for data [section-types-in-images].
static bool fitsType(uint32_t type, const SectionFacts &facts, bool isImage) {
  const bool isBank = facts.bucket == SectionBucket::ReadOnly ||
                      facts.bucket == SectionBucket::Appended;
  if (isImage && (isBank || facts.type == SHT_CUDA_GLOBAL_INIT))
    return type == SHT_PROGBITS;
  if (isImage && facts.bucket == SectionBucket::NoBits)
    return type == SHT_NOBITS;
  return type == facts.type;
}

bool Image::comparesLinks(SectionKind kind, unsigned section,
                          StringRef rest) const {
  const Elf_Shdr &shdr = file.sections()[section];
  const SectionFacts &facts = getSectionFacts(kind);
  const bool mercury = isTwin(shdr);
  const StringRef link = nameOf(shdr.sh_link), info = nameOf(shdr.sh_info);
  const std::string prefix = mercury ? ".nv.capmerc" : "";
  StringRef stub = rest;
  const std::string code = stub.consume_front("__cuda_uf_stub_")
                               ? (prefix + ".nv.uft.rel." + stub).str()
                               : (prefix + ".text." + rest).str();
  switch (facts.link) {
  case SectionLink::None:
    if (shdr.sh_link)
      return false;
    break;
  case SectionLink::Strings:
    if (link != ".strtab")
      return false;
    break;
  case SectionLink::UnifiedTable:
    if (hasSymbolsInFront())
      break;
    [[fallthrough]];
  case SectionLink::Symbols:
    if (link != (mercury ? ".nv.merc.symtab" : ".symtab"))
      return false;
    break;
  case SectionLink::ToolkitNote:
    if (link != ".note.nv.tkinfo")
      return false;
    break;
  }
  const CubinSymbolTable &symbols =
      mercury ? file.mercurySymtab() : file.symtab();
  switch (facts.info) {
  case SectionInfo::None:
    return shdr.sh_info == 0;
  case SectionInfo::FirstGlobal:
    return shdr.sh_info <= symbols.symbols.size();
  case SectionInfo::Code:
    // Not of a kernel that was left out, whose shared section stays.
    return info == code || shdr.sh_info == 0;
  case SectionInfo::Function: {
    const uint32_t symbol = shdr.sh_info & 0xffffff;
    return symbol < symbols.symbols.size() &&
           symbols.symbols[symbol].getType() == STT_FUNC;
  }
  case SectionInfo::Target:
    if (kind == SectionKind::TextureSlots)
      return info == (".nv.constant0." + rest).str();
    if (!mercury)
      return info == rest;
    return info == (".nv.merc" + rest).str() ||
           info == (".nv.capmerc" + rest).str();
  case SectionInfo::Compat:
    return shdr.sh_info == 0 || info == ".nv.compat";
  }
  return false;
}

std::string Image::compare(SectionKind kind, unsigned section) const {
  const Elf_Shdr &shdr = file.sections()[section];
  const SectionFacts &facts = getSectionFacts(kind);
  std::optional<StringRef> rest = matchName(nameOf(section), facts.name);
  if (!rest)
    return "another name";
  if (!fitsType(shdr.sh_type, facts, file.header().e_type == ET_EXEC))
    return "another type";
  // Older compilers don't set SHF_INFO_LINK, and count barriers.
  uint64_t known = ~uint64_t(0);
  if (facts.bucket == SectionBucket::ReadOnly || kind == SectionKind::CubinNote)
    known &= ~uint64_t(SHF_INFO_LINK);
  if (kind == SectionKind::Code)
    known &= ~uint64_t(SHF_CUDA_BARRIER_MASK);
  if ((shdr.sh_flags ^ facts.flags) & known)
    return "other flags";
  // Code for sm_50 to sm_62 has lines of 32 bytes.
  const bool isShortLine = kind == SectionKind::Code && file.hasOldHeader() &&
                           shdr.sh_addralign == 32;
  if (facts.align && shdr.sh_addralign != facts.align && !isShortLine)
    return "another alignment";
  if (shdr.sh_entsize != facts.entsize)
    return "another entry size";
  return comparesLinks(kind, section, *rest) ? "" : "other links";
}

std::string Image::compareTwin(SectionKind kind, unsigned section) const {
  const Elf_Shdr &shdr = file.sections()[section];
  const TwinFacts &twin = getTwinFacts(kind);
  std::optional<StringRef> rest = matchName(nameOf(section), twin.name);
  if (!twin || !rest)
    return "another name";
  if (shdr.sh_type != twin.type)
    return "another type";
  if (shdr.sh_flags != (twin.flags | SHF_CUDA_MERCURY))
    return "other flags";
  if (twin.align && shdr.sh_addralign != twin.align)
    return "another alignment";
  // ptxas 13.5 gives the twins of stubs none.
  if (shdr.sh_entsize != getSectionFacts(kind).entsize &&
      !(kind == SectionKind::Stub && !shdr.sh_entsize))
    return "another entry size";
  return comparesLinks(kind, section, *rest) ? "" : "other links";
}

/// Native sections by bucket; then the parameter banks; then the twins, in the
/// order that [mercury-appended] tells, or since 13.5 by bucket, too, which the
/// symbol table in front shows [file-of-finalizer].
bool Image::isInOrder(unsigned section, SectionKind kind) const {
  static constexpr SectionBucket Twins[] = {
      SectionBucket::Text,     SectionBucket::Debug,
      SectionBucket::Records,  SectionBucket::Relocations,
      SectionBucket::ReadOnly, SectionBucket::Data,
      SectionBucket::NoBits,   SectionBucket::Tables};
  constexpr long FirstTwin = 100;
  auto rankOf = [&](unsigned s, SectionKind k) {
    const SectionBucket bucket = getSectionFacts(k).bucket;
    if (isTwin(file.sections()[s]) && isWrittenAnew)
      return FirstTwin + long(bucket);
    return isTwin(file.sections()[s])
               ? FirstTwin + (find(Twins, bucket) - std::begin(Twins))
               : long(bucket);
  };
  return !last || rankOf(section - 1, *last) <= rankOf(section, kind);
}

std::string Image::check(unsigned section) {
  if (file.sectionName(section) == OldCubinNoteName)
    return ""; // CubinNote by another name [mercury12-file].
  const bool twin = isTwin(file.sections()[section]);
  std::string problem = "no row has its name";
  for (size_t i = 0; i != SectionKindCount; ++i) {
    const SectionKind kind = SectionKind(i);
    std::string found =
        twin ? compareTwin(kind, section) : compare(kind, section);
    if (found == "another name")
      continue;
    if (found.empty() && twin && !isTwin(file.sections()[section - 1]))
      isWrittenAnew = kind == SectionKind::Symbols;
    if (found.empty() && !isInOrder(section, kind))
      found = "stands after a section of a later bucket";
    problem = found;
    if (!found.empty())
      continue;
    (twin ? seenTwins : seen).insert(kind);
    last = kind;
    return "";
  }
  return problem;
}

// [section-kinds], [section-buckets]
TEST(SectionKinds, AreThoseOfNvlinksOutputs) {
  std::set<SectionKind> seen, seenTwins;
  std::error_code error;
  unsigned count = 0;
  for (sys::fs::recursive_directory_iterator
           it(LLDCUDA_UNITTEST_INPUTS "/../../test/corpus/Expected", error),
       end;
       it != end && !error; it.increment(error)) {
    if (!StringRef(it->path()).ends_with(".cubin"))
      continue;
    auto buffer = MemoryBuffer::getFile(it->path());
    ASSERT_TRUE(buffer) << it->path();
    if (!isCubin((*buffer)->getBuffer()))
      continue;
    Expected<CubinFile> file = CubinFile::create((*buffer)->getMemBufferRef());
    ASSERT_TRUE(bool(file)) << it->path() << toString(file.takeError());
    ++count;
    Image image(*file);
    for (unsigned i = 1; i != file->sections().size(); ++i)
      EXPECT_EQ(image.check(i), "") << it->path() << ": section " << i << " '"
                                    << file->sectionName(i).str() << "'";
    seen.insert(image.seen.begin(), image.seen.end());
    seenTwins.insert(image.seenTwins.begin(), image.seenTwins.end());
  }
  EXPECT_GT(count, 500u);
  // All others have been looked at.
  const std::set<SectionKind> unseen = {
      SectionKind::ExtendedIndices, // test/benchmarks/many-sections.test
      SectionKind::OtherNote, SectionKind::OtherConstants, SectionKind::Local};
  for (size_t i = 0; i != SectionKindCount; ++i) {
    const SectionKind kind = SectionKind(i);
    if (kind != SectionKind::ImageHeaders) { // Looks like Parameters.
      EXPECT_NE(seen.count(kind), unseen.count(kind))
          << getSectionFacts(kind).name.str();
    }
    if (getTwinFacts(kind)) {
      EXPECT_NE(seenTwins.count(kind), unseen.count(kind))
          << getTwinFacts(kind).name.str();
    }
  }
}
