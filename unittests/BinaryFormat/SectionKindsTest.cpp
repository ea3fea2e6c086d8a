//===- SectionKindsTest.cpp - The table of section kinds ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What must hold between the rows and columns. unittests/Object compares the
/// rows with what nvlink wrote.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/SectionKinds.h"
#include "llvm/ADT/StringMap.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace {

template <typename Visit> void forEachKind(Visit visit) {
  for (size_t i = 0; i != SectionKindCount; ++i)
    visit(SectionKind(i), getSectionFacts(SectionKind(i)));
}

// [section-buckets], [section-kinds]
TEST(SectionKinds, RowsAreInTheOrderOfTheFile) {
  SectionBucket last = SectionBucket::Tables;
  forEachKind([&](SectionKind, const SectionFacts &facts) {
    EXPECT_GE(facts.bucket, last) << facts.name.str();
    last = facts.bucket;
  });
}

TEST(SectionKinds, NamesAreUnique) {
  StringMap<unsigned> fixed;
  forEachKind([&](SectionKind kind, const SectionFacts &facts) {
    if (facts.hasFixedName())
      ++fixed[facts.name];
    if (const TwinFacts &twin = getTwinFacts(kind))
      ++fixed[twin.name];
  });
  for (const auto &entry : fixed)
    EXPECT_EQ(entry.second, 1u) << entry.first().str();
}

TEST(SectionKinds, FlagsFitTheBucket) {
  forEachKind([](SectionKind kind, const SectionFacts &facts) {
    if (facts.bucket != SectionBucket::Appended &&
        facts.bucket != SectionBucket::Tables &&
        facts.bucket != SectionBucket::Relocations) {
      EXPECT_EQ(getSectionBucket(SectionKind::Other, facts.type, facts.flags),
                facts.bucket)
          << facts.name.str();
    }
    EXPECT_EQ(getSectionBucket(kind, facts.type, facts.flags), facts.bucket)
        << facts.name.str();
  });
}

// sh_info names a section where SHF_INFO_LINK says so, but of the texture slots
// below sm_100. Constants of other banks have no compiler.
TEST(SectionKinds, InfoLink) {
  forEachKind([](SectionKind kind, const SectionFacts &facts) {
    if (kind == SectionKind::TextureSlots ||
        kind == SectionKind::OtherConstants)
      return;
    EXPECT_EQ(bool(facts.flags & SHF_INFO_LINK),
              facts.info == SectionInfo::Code ||
                  facts.info == SectionInfo::Target)
        << facts.name.str();
  });
}

// A twin has its native section's flags, but Mercury code isn't executed.
TEST(SectionKinds, TwinsHaveTheFlagsOfTheirNativeSections) {
  forEachKind([](SectionKind kind, const SectionFacts &facts) {
    if (const TwinFacts &twin = getTwinFacts(kind)) {
      EXPECT_EQ(twin.flags,
                facts.bucket == SectionBucket::Text ? 0 : facts.flags)
          << twin.name.str();
    }
  });
}

// A twin is called as its native section, unless nvlink renames that.
TEST(SectionKinds, TwinsAreNamedAfterTheirNativeSections) {
  forEachKind([](SectionKind kind, const SectionFacts &facts) {
    const TwinFacts &twin = getTwinFacts(kind);
    if (!twin)
      return;
    StringRef name = twin.name;
    EXPECT_TRUE(name.consume_front(".nv.merc") ||
                name.consume_front(".nv.capmerc"));
    for (const RenamedSection &r : getRenamedSections())
      if (r.kind == kind) {
        EXPECT_TRUE(name.consume_front(r.merge));
        EXPECT_TRUE(StringRef(facts.name).starts_with(r.native));
        EXPECT_TRUE(name == "" || name == "*");
        return;
      }
    EXPECT_EQ(name, facts.name);
  });
}

TEST(SectionKinds, RenamedSections) {
  ASSERT_EQ(getRenamedSections().size(), 4u);
  EXPECT_EQ(getRenamedSections()[1].native, ".nv.constant2.");
  EXPECT_EQ(getRenamedSections()[1].merge, ".nv.constant.optimizer.");
  EXPECT_EQ(getRenamedSections()[2].native, ".nv.constant3");
  EXPECT_EQ(getRenamedSections()[2].merge, ".nv.constant.user");
}

TEST(SectionKinds, ContentsOfInputs) {
  forEachKind([](SectionKind kind, const SectionFacts &facts) {
    EXPECT_EQ(getContentKind(facts.name, facts.type, facts.flags) == kind,
              facts.written == SectionWritten::Contributed)
        << facts.name.str();
  });
  auto kindOf = [](StringRef name, uint32_t type, uint64_t flags) {
    return getContentKind(name, type, flags);
  };
  EXPECT_EQ(kindOf(".debug_abbrev", SHT_PROGBITS, 0), SectionKind::OtherDebug);
  EXPECT_EQ(kindOf(".debug_frame", SHT_PROGBITS, SHF_ALLOC),
            SectionKind::Other);
  EXPECT_EQ(kindOf(".nv.constant17", SHT_CUDA_CONSTANT_B17, SHF_ALLOC),
            SectionKind::OtherConstants);
  EXPECT_EQ(kindOf(".nv.constant0.k", SHT_CUDA_CONSTANT_B0, SHF_ALLOC),
            SectionKind::Parameters);
  EXPECT_EQ(kindOf(".any", SHT_CUDA_GLOBAL_INIT, 0), SectionKind::GlobalInit);
  EXPECT_EQ(kindOf(".any", 0x70000006, 0), SectionKind::Other);
}

// An input whose flags contradict the type stands where the flags say.
TEST(SectionKinds, FlagsOfInputsDecide) {
  EXPECT_EQ(getSectionBucket(SectionKind::GlobalInit, SHT_CUDA_GLOBAL_INIT,
                             SHF_ALLOC),
            SectionBucket::ReadOnly);
  EXPECT_EQ(
      getSectionBucket(SectionKind::Literals, SHT_CUDA_CONSTANT_B2, SHF_ALLOC),
      SectionBucket::ReadOnly);
  EXPECT_EQ(getSectionBucket(SectionKind::Literals, SHT_CUDA_CONSTANT_B2, 0),
            SectionBucket::Records);
}

} // namespace
