//===- SectionKinds.cpp - Facts about sections, looked up by kind ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The compiler expands the rows of SectionKinds.def into constant tables here,
/// so a lookup by kind costs no more than an index. The linker's merge
/// (MergeSections.cpp, OutputSection.cpp) calls getContentKind() for the kind
/// of an input section when it chooses the output section: the type decides for
/// all of CUDA's own types, and the name only for PROGBITS sections that aren't
/// loaded, such as .debug_frame. getSectionBucket() tells the place of a
/// section in the output's order, and cubin-size asks it what a section's bytes
/// are for. It believes a section's flags more than its kind: one that can be
/// written although its kind can't is placed with the data.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/SectionKinds.h"
#include <array>

using namespace llvm;

namespace lld::cuda::elf {

static constexpr std::array<SectionFacts, SectionKindCount + 1> Facts = {{
#define SECTION_KIND(KIND, BUCKET, NAME, TYPE, FLAGS, ALIGN, ENTSIZE, LINK,    \
                     INFO, SYMBOL, WRITTEN)                                    \
  {NAME,                                                                       \
   TYPE,                                                                       \
   SectionBucket::BUCKET,                                                      \
   SectionLink::LINK,                                                          \
   SectionInfo::INFO,                                                          \
   SectionSymbol::SYMBOL,                                                      \
   SectionWritten::WRITTEN,                                                    \
   ALIGN,                                                                      \
   ENTSIZE,                                                                    \
   FLAGS},
#include "lld-cuda/BinaryFormat/SectionKinds.def"
    // SectionKind::Other: what its input says.
    {"*", SHT_NULL, SectionBucket::Records, SectionLink::None,
     SectionInfo::None, SectionSymbol::Always, SectionWritten::Contributed, 0,
     0, 0}}};

static constexpr std::array<TwinFacts, SectionKindCount + 1> makeTwins() {
  std::array<TwinFacts, SectionKindCount + 1> twins = {};
#define MERCURY_TWIN(KIND, NAME, TYPE, FLAGS, ALIGN, BYTES)                    \
  twins[size_t(SectionKind::KIND)] = {                                         \
      NAME, TYPE, TwinBytes::BYTES, ALIGN, /*isRenamed=*/false, FLAGS};
#define RENAMED_TWIN(KIND, NAME, TYPE, FLAGS, ALIGN, BYTES)                    \
  twins[size_t(SectionKind::KIND)] = {                                         \
      NAME, TYPE, TwinBytes::BYTES, ALIGN, /*isRenamed=*/true, FLAGS};
#include "lld-cuda/BinaryFormat/SectionKinds.def"
  return twins;
}

constexpr std::array<SectionFacts, SectionKindCount + 1> SectionFactsTable =
    Facts;
constexpr std::array<TwinFacts, SectionKindCount + 1> TwinFactsTable =
    makeTwins();

/// A name of the table from an offset to the `*`.
static constexpr StringRef trimName(StringRef name, size_t begin) {
  const bool isPattern = name.data()[name.size() - 1] == '*';
  return StringRef(name.data() + begin, name.size() - begin - isPattern);
}

static constexpr RenamedSection Renamed[] = {
#define RENAMED_TWIN(KIND, NAME, ...)                                          \
  {SectionKind::KIND, trimName(Facts[size_t(SectionKind::KIND)].name, 0),      \
   trimName(StringLiteral(NAME), sizeof(".nv.merc") - 1)},
#include "lld-cuda/BinaryFormat/SectionKinds.def"
};

ArrayRef<RenamedSection> getRenamedSections() { return Renamed; }

/// Types of CUDA's: all that the table has are in the range.
constexpr uint32_t FirstType = SHT_CUDA_INFO;
constexpr size_t TypeCount = 0x100;

/// The kinds of what inputs contribute, by type. Mostly the type says it all;
/// the last row is the general one.
static constexpr std::array<SectionKind, TypeCount> makeContentKinds() {
  std::array<SectionKind, TypeCount> kinds = {};
  for (SectionKind &kind : kinds)
    kind = SectionKind::Other;
  for (unsigned type = SHT_CUDA_CONSTANT_B0; type <= SHT_CUDA_CONSTANT_B17;
       ++type)
    kinds[type - FirstType] = SectionKind::OtherConstants;
  for (size_t i = 0; i != SectionKindCount; ++i)
    if (Facts[i].written == SectionWritten::Contributed &&
        Facts[i].type >= FirstType)
      kinds[Facts[i].type - FirstType] = SectionKind(i);
  return kinds;
}
static constexpr std::array<SectionKind, TypeCount> ContentKinds =
    makeContentKinds();

SectionKind getContentKind(StringRef name, uint32_t type, uint64_t flags) {
  if (type >= FirstType && type < FirstType + TypeCount)
    return ContentKinds[type - FirstType];
  if (type == SHT_NOTE)
    return SectionKind::OtherNote;
  // For a generic section, the flags tell what is in it.
  if (type != SHT_PROGBITS || flags & SHF_ALLOC)
    return SectionKind::Other;
  for (size_t i = size_t(SectionKind::DebugFrame);
       i != size_t(SectionKind::OtherDebug); ++i)
    if (Facts[i].name == name)
      return SectionKind(i);
  return SectionKind::OtherDebug;
}

SectionBucket getUnusualBucket(uint32_t type, uint64_t flags) {
  if (!(flags & SHF_ALLOC))
    return type == SHT_PROGBITS ? SectionBucket::Debug : SectionBucket::Records;
  if (flags & SHF_EXECINSTR)
    return SectionBucket::Text;
  if (!(flags & SHF_WRITE))
    return SectionBucket::ReadOnly;
  return isNoBits(type, flags) ? SectionBucket::NoBits : SectionBucket::Data;
}

} // namespace lld::cuda::elf
