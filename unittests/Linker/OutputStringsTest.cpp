//===- OutputStringsTest.cpp - Names that are only once in a table --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tests of string tables that don't look up names which the merge has marked
/// as unique, and of sections that exist by name only (Companions.h). A name
/// must be in a table once, whoever else has it [string-section-names].
///
//===----------------------------------------------------------------------===//

#include "Output/OutputStrings.h"
#include "BuiltLink.h"
#include "Companions.h"
#include "Merge/Merge.h"
#include "Numbered.h"
#include "llvm/ADT/StringExtras.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;
using namespace lld::cuda::test;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {

struct NamedLink : BuiltLink {
  NamedLink() { createFixedSections(ctx.inputs, ctx.program); }

  /// A kernel like those that the merge creates.
  Function &markedKernel(StringRef name) {
    Function &k = kernel(name);
    k.hasUniqueName = true;
    ctx.program.named[hashed(name)] = &k;
    markUniqueName(*k.text);
    k.info = section(SectionKind::FunctionInfo, ".nv.info.", k);
    markUniqueName(*k.info);
    noteCompanion(*k.info);
    k.constant0 = section(SectionKind::Parameters, ".nv.constant0.", k);
    markUniqueName(*k.constant0);
    noteCompanion(*k.constant0);
    return k;
  }
  bool hasConflict(StringRef name) {
    OutputStrings table(ctx.program, /*trustsMarks=*/true, 4, 64);
    table.add(name);
    return table.hasConflict();
  }
  void number() {
    ctx.program.callGraph.build(ctx.program);
    decideWrittenSections(ctx.inputs, ctx.program);
    assignNumbers(ctx.inputs, ctx.program, ctx.numbered);
    buildStringTables(ctx.inputs, ctx.program, ctx.numbered);
  }
  static std::vector<StringRef> namesIn(const OutputSection &table) {
    const StringRef bytes = llvm::toStringRef(table.parts.front().bytes);
    llvm::SmallVector<StringRef> names;
    bytes.drop_front().drop_back().split(names, '\0');
    return {names.begin(), names.end()};
  }
  static size_t count(const OutputSection &table, StringRef name) {
    return llvm::count(namesIn(table), name);
  }
  static StringRef at(const OutputSection &table, uint32_t offset) {
    return reinterpret_cast<const char *>(table.parts.front().bytes.data()) +
           offset;
  }
};

std::vector<StringRef> namesOf(ArrayRef<OutputSection *> sections) {
  std::vector<StringRef> names;
  for (const OutputSection *sec : sections)
    names.push_back(sec->name);
  return names;
}

std::vector<StringRef> namesOf(ArrayRef<Symbol *> symbols) {
  std::vector<StringRef> names;
  for (const Symbol *s : symbols)
    names.push_back(s->name);
  return names;
}

} // namespace

TEST(OutputStrings, AppendsMarkedNames) {
  NamedLink link;
  OutputStrings table(link.ctx.program, /*trustsMarks=*/true, 4, 64);
  const Function &k = link.markedKernel("k");
  EXPECT_EQ(table.addUnique(k.name), 1u);
  EXPECT_EQ(table.add("other"), 3u);
  EXPECT_EQ(table.add("other"), 3u);
  table.addCompanion(*k.info, false);
  table.addCompanion(*k.constant0->symbol, false);
  EXPECT_FALSE(table.hasConflict());
  const llvm::SmallVector<char, 0> bytes = table.takeContents();
  EXPECT_EQ(StringRef(bytes.data(), bytes.size()),
            StringRef("\0k\0other\0.nv.shared.k\0.rel.nv.constant0.k\0", 42));
}

TEST(OutputStrings, FindsMarkedNames) {
  NamedLink link;
  link.markedKernel("k");
  for (StringRef name : {"k", ".text.k", ".nv.info.k", ".nv.constant0.k",
                         ".nv.shared.k", ".rel.nv.constant0.k"})
    EXPECT_TRUE(link.hasConflict(name)) << name.str();
  for (StringRef name :
       {"kk", ".text.kk", ".rela.text.k", ".rel.text.k", ".nv.constant2.k",
        ".nv.constant0.", ".text", ".rela.nv.constant0.k", ".nv.info"})
    EXPECT_FALSE(link.hasConflict(name)) << name.str();
}

// A local function of another object has the name of a kernel.
TEST(OutputStrings, LocalSymbolSharesMarkedName) {
  NamedLink link;
  const Function &k = link.markedKernel("k");
  Function &local = link.function("k");
  local.binding = STB_LOCAL;
  link.ctx.program.globals.pop_back();
  link.ctx.program.locals.push_back(&local);
  link.number();
  const OutputSection &strings = *link.ctx.program.strtab;
  EXPECT_EQ(link.count(strings, "k"), 1u);
  EXPECT_EQ(k.nameOffset, local.nameOffset);
  EXPECT_EQ(link.at(strings, k.nameOffset), "k");
  EXPECT_EQ(link.count(*link.ctx.program.shstrtab, ".text.k"), 1u);
  EXPECT_EQ(link.at(*link.ctx.program.shstrtab, k.text->nameOffset), ".text.k");
  EXPECT_EQ(k.text->nameOffset, local.text->nameOffset);
}

TEST(OutputStrings, NotedCompanionsAreNamed) {
  NamedLink link;
  link.markedKernel("k");
  link.number();
  const std::vector<StringRef> sections =
                                   link.namesIn(*link.ctx.program.shstrtab),
                               symbols = link.namesIn(*link.ctx.program.strtab);
  const auto last = [](const std::vector<StringRef> &names, size_t count) {
    return std::vector<StringRef>(names.end() - count, names.end());
  };
  EXPECT_EQ(last(sections, 5),
            (std::vector<StringRef>{".text.k", ".nv.info.k", ".nv.shared.k",
                                    ".nv.constant0.k", ".rel.nv.constant0.k"}));
  EXPECT_EQ(
      last(symbols, 6),
      (std::vector<StringRef>{".text.k", ".nv.info.k", ".nv.shared.k",
                              ".rel.nv.constant0.k", ".nv.constant0.k", "k"}));
}

TEST(Companions, GetTheirPlaces) {
  NamedLink link;
  Function &k = link.markedKernel("k");
  Program &program = link.ctx.program;
  link.markedKernel("l");
  const size_t sections = program.sections.size() - 6,
               locals = program.locals.size() - 6;
  OutputSection *shared = getSharedSection(link.ctx.inputs, program, k);
  ASSERT_TRUE(shared);
  EXPECT_EQ(getSharedSection(link.ctx.inputs, program, k), shared);
  EXPECT_EQ(shared->owner, &k);
  OutputSection *slots = getTextureSlots(link.ctx.inputs, program, k);
  ASSERT_TRUE(slots);
  EXPECT_EQ(slots->target, k.constant0);
  placeCompanions(program);
  EXPECT_EQ(
      namesOf(ArrayRef(program.sections).drop_front(sections)),
      (std::vector<StringRef>{".text.k", ".nv.info.k", ".nv.shared.k",
                              ".nv.constant0.k", ".rel.nv.constant0.k",
                              ".text.l", ".nv.info.l", ".nv.constant0.l"}));
  EXPECT_EQ(
      namesOf(ArrayRef(program.locals).drop_front(locals)),
      (std::vector<StringRef>{".text.k", ".nv.info.k", ".nv.shared.k",
                              ".rel.nv.constant0.k", ".nv.constant0.k",
                              ".text.l", ".nv.info.l", ".nv.constant0.l"}));
}

// Companions count in the order of creation, by which .symtab_shndx exists.
TEST(Companions, CountAsSections) {
  NamedLink link;
  const Function &k = link.markedKernel("k");
  link.number();
  EXPECT_EQ(k.info->creationIndex, k.text->creationIndex + 1);
  EXPECT_EQ(k.constant0->creationIndex, k.text->creationIndex + 3);
}
