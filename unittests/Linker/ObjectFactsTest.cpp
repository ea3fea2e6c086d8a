//===- ObjectFactsTest.cpp - What an object says by itself ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input/ObjectFacts.h"
#include "FactMemory.h"
#include "Input/CheckObject.h"
#include "LinkMemory.h"
#include "Object/CubinTestUtils.h"
#include "lld-cuda/BinaryFormat/NvInfo.h"
#include "lld-cuda/Object/Note.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;
using test::CalleeSymbol, test::KernelSymbol, test::SymbolCount,
    test::VariableSymbol, test::Text, test::Global;
using test::SmallCubin;
using namespace llvm;

namespace {

/// The section that tests turn into one of attributes.
constexpr unsigned InfoSection = test::CallGraph;

struct Facts : testing::Test {
  /// Of an architecture whose cubins have no Mercury view.
  Facts() { cubin.header().e_flags = 90 << 8; }
  const ObjectFacts &find() {
    return *findObjectFacts(cantFail(cubin.read()), /*isMercury=*/false,
                            memory);
  }
  /// Makes InfoSection a section of attributes with these bytes.
  void setRecords(ArrayRef<uint32_t> words) {
    cubin.shdr(InfoSection).sh_type = SHT_CUDA_INFO;
    cubin.shdr(InfoSection).sh_size = words.size() * sizeof(uint32_t);
    for (unsigned i = 0; i != words.size(); ++i)
      cubin.word(InfoSection, i) = words[i];
  }
  /// The header of a record with a payload of that many words.
  static uint32_t header(uint8_t code, unsigned words) {
    return EIFMT_SVAL | code << 8 | words * sizeof(uint32_t) << 16;
  }

  SmallCubin cubin;
  SharedArena arena;
  FactMemory memory{arena};
};

TEST_F(Facts, CodeBelongsToTheFunctionOfItsName) {
  const ObjectFacts &facts = find();
  EXPECT_EQ(facts.textOwner[Text], KernelSymbol);
  EXPECT_EQ(facts.textOwner[Global], 0u);
  uint64_t total = 0;
  EXPECT_EQ(checkObject(cantFail(cubin.read()), facts, false, memory, total),
            std::nullopt);
  EXPECT_TRUE(facts.isSound);
  EXPECT_FALSE(facts.definesWeakFunction);
}

TEST_F(Facts, CodeOfAnotherNameBelongsToNobody) {
  cubin.symbol(KernelSymbol).st_name = cubin.symbol(CalleeSymbol).st_name;
  EXPECT_EQ(find().textOwner[Text], 0u);
}

TEST_F(Facts, AWeakFunctionIsNoted) {
  cubin.symbol(KernelSymbol).setBinding(STB_WEAK);
  EXPECT_TRUE(find().definesWeakFunction);
}

TEST_F(Facts, AddsUpMemoryWithoutContents) {
  // Padding may take as much as the alignment.
  EXPECT_EQ(find().memory, (uint64_t(1) << 40) + 1);
}

TEST_F(Facts, TheSumOfAllObjectsIsLimited) {
  const ObjectFacts &facts = find();
  const CubinFile file = cantFail(cubin.read());
  uint64_t total = MaxMemory - facts.memory - 1;
  EXPECT_FALSE(checkObject(file, facts, false, memory, total));
  EXPECT_EQ(total, MaxMemory - 1);
  total = MaxMemory - facts.memory;
  const std::optional<std::string> why =
      checkObject(file, facts, false, memory, total);
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("'.nv.global'"), std::string::npos) << *why;
  EXPECT_EQ(total, MaxMemory - facts.memory); // As it was.
}

TEST_F(Facts, AnObjectThatCantBeMergedIsntSound) {
  cubin.symbol(VariableSymbol).st_shndx = Text; // Code holds no variables.
  const ObjectFacts &facts = find();
  EXPECT_FALSE(facts.isSound);
  uint64_t total = 0;
  EXPECT_TRUE(checkObject(cantFail(cubin.read()), facts, false, memory, total));
}

TEST_F(Facts, CountsRecords) {
  setRecords({header(EIATTR_EXTERNS, 1), CalleeSymbol,
              EIFMT_HVAL | EIATTR_MAXREG_COUNT << 8 | 255 << 16});
  const ObjectFacts::RecordCount count = find().records[InfoSection];
  ASSERT_TRUE(count.isKnown(/*losesDefinitions=*/false));
  EXPECT_TRUE(count.isKnown(/*losesDefinitions=*/true));
  EXPECT_EQ(count.count(), 2u);
  EXPECT_FALSE(count.hasVersion());
}

// [weak-selection]: a summary of a definition that is lost doesn't count.
TEST_F(Facts, SummariesDependOnWhatIsLost) {
  setRecords({header(EIATTR_REGCOUNT, 2), KernelSymbol, 40});
  const ObjectFacts::RecordCount count = find().records[InfoSection];
  ASSERT_TRUE(count.isKnown(/*losesDefinitions=*/false));
  EXPECT_EQ(count.count(), 1u);
  EXPECT_FALSE(count.isKnown(/*losesDefinitions=*/true));
}

// Their definition may be replaced, and the records with it.
TEST_F(Facts, RecordsOfWeakFunctionsAreCountedLater) {
  setRecords({header(EIATTR_EXTERNS, 1), CalleeSymbol});
  cubin.shdr(InfoSection).sh_info = Text;
  EXPECT_TRUE(find().records[InfoSection].isCounted());
  cubin.symbol(KernelSymbol).setBinding(STB_WEAK);
  EXPECT_FALSE(find().records[InfoSection].isCounted());
}

TEST_F(Facts, TheLastVersionCounts) {
  const uint32_t version = EIFMT_HVAL | EIATTR_MERCURY_ISA_VERSION << 8;
  setRecords({version | 0x101u << 16, version | 0x100u << 16});
  ObjectFacts::RecordCount count = find().records[InfoSection];
  ASSERT_TRUE(count.isKnown(false));
  EXPECT_EQ(count.count(), 2u);
  EXPECT_TRUE(count.hasVersion());
  EXPECT_TRUE(count.isOldest());
  setRecords({version | 0x100u << 16, version | 0x101u << 16});
  count = find().records[InfoSection];
  EXPECT_TRUE(count.hasVersion());
  EXPECT_FALSE(count.isOldest());
}

TEST_F(Facts, DamagedRecordsHaveNoNumber) {
  const std::vector<uint32_t> damaged[] = {
      {header(EIATTR_EXTERNS, 1), SymbolCount},          // No such symbol.
      {header(EIATTR_EXTERNS, 2), CalleeSymbol, ~0u},    // Nor this.
      {header(EIATTR_EXTERNS, 0)},                       // None at all.
      {header(EIATTR_EXTERNS, 2), CalleeSymbol},         // It is cut off.
      {header(EIATTR_REGCOUNT, 1), KernelSymbol},        // No value.
      {header(EIATTR_REGCOUNT, 2), CalleeSymbol, 40},    // Not defined here.
      {EIFMT_NVAL | EIATTR_AT_ENTRY_FRAGMENTS << 8 | 0}, // The merge looks.
  };
  for (const std::vector<uint32_t> &words : damaged) {
    setRecords(words);
    EXPECT_FALSE(find().records[InfoSection].isKnown(false)) << words[0];
  }
  // Half a header.
  setRecords({header(EIATTR_REGCOUNT, 2), KernelSymbol, 40, 0});
  cubin.shdr(InfoSection).sh_size = 14;
  EXPECT_FALSE(find().records[InfoSection].isKnown(false));
}

TEST_F(Facts, NotesAreCheckedUnlessTheyAreThoseBefore) {
  // A note without a name and contents, of an unknown type.
  std::vector<uint8_t> note(12);
  auto isRight = [&](bool isToolkit) {
    return !errorToBool(memory.checkNotes(note, isToolkit));
  };
  const bool wasRight = isRight(false);
  EXPECT_EQ(wasRight, !errorToBool(checkNotes(note)));
  EXPECT_EQ(isRight(false), wasRight);
  note.resize(11); // Cut off.
  EXPECT_FALSE(isRight(false));
  EXPECT_FALSE(isRight(true));
}

} // namespace
