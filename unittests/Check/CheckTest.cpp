//===- CheckTest.cpp - --check finds mistakes of the linker ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Links of the corpus are made in memory, as they are made for a program that
/// uses the linker, and their outputs changed behind its back: CheckFaults.def.
///
//===----------------------------------------------------------------------===//

#include "Check/Check.h"
#include "Ctx.h"
#include "Driver/Driver.h"
#include "ImageEditor.h"
#include "Output/SaveFile.h"
#include "Passes.h"
#include "lld-cuda/BinaryFormat/Relocations.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <map>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda::test {
namespace {

/// The links whose outputs are changed.
struct LinkRow {
  const char *name, *architecture, *option;
  const char *inputs; ///< In test/corpus/Inputs, without their suffix.
};
const LinkRow LinkRows[] = {
    {"Final75", "sm_75", "",
     "shared/shared-static constants/constants-a constants/constants-b "
     "calls/indirect-kernel calls/indirect-table textures/textures "
     "textures/textures-other addresses/pointers variables/globals-b "
     "calls/calls-kernel calls/calls-function constants/literals"},
    {"Final90", "sm_90", "",
     "shared/shared-static constants/constants-a constants/constants-b "
     "calls/indirect-kernel calls/indirect-table textures/textures "
     "textures/textures-other addresses/pointers variables/globals-b "
     "calls/calls-kernel calls/calls-function constants/literals"},
    {"Final100", "sm_100", "",
     "shared/shared-static constants/constants-a constants/constants-b "
     "textures/textures calls/calls-kernel calls/calls-function "
     "constants/literals constants/switch code/fp64 "
     "calls/graph-calls"},
    {"Partial90", "sm_90", "-r",
     "shared/shared-static constants/constants-a calls/indirect-kernel "
     "addresses/pointers variables/globals-b calls/calls-kernel"},
};

/// A link that was made with --check, and what is left of it.
class MadeLink {
public:
  explicit MadeLink(const LinkRow &row, OutputMode outputs = OutputMode::Memory,
                    StringRef output = "out.cubin")
      : errors(text), job(errors, errors) {
    words = {"nvlink", "--check", std::string("-arch=") + row.architecture,
             "-o", output.str()};
    if (*row.option)
      words.push_back(row.option);
    SmallVector<StringRef> names;
    StringRef(row.inputs).split(names, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef name : names)
      words.push_back((LLDCUDA_UNITTEST_INPUTS "/../../test/corpus/Inputs/" +
                       name + "." + row.architecture + ".cubin")
                          .str());
    std::vector<const char *> pointers;
    for (const std::string &word : words)
      pointers.push_back(word.c_str());
    job.outputs = outputs;
    if (!prepareLinkJob(job, pointers))
      return;
    ctx = std::make_unique<Ctx>(job);
    runLink(*ctx);
  }

  /// Whether the link succeeded, and --check had nothing to say.
  bool succeeded() const { return ctx && !job.diag.exitStatus(); }
  StringRef messages() const { return text; }
  StringRef image() const {
    return ctx->tools.outputs->inMemory.front().buffer->getBuffer();
  }
  Meaning meaning() const {
    return {ctx->inputs,   ctx->program,   ctx->layout,
            ctx->numbered, ctx->resources, ctx->mercuryResources};
  }

private:
  std::vector<std::string> words;
  std::string text;
  raw_string_ostream errors;

public:
  LinkJob job;
  std::unique_ptr<Ctx> ctx;
};

MadeLink &linkOf(StringRef name) {
  static std::map<std::string, std::unique_ptr<MadeLink>> made;
  std::unique_ptr<MadeLink> &link = made[name.str()];
  for (const LinkRow &row : LinkRows)
    if (!link && row.name == name)
      link = std::make_unique<MadeLink>(row);
  return *link;
}

struct Fault {
  const char *name, *link;
  void (*change)(ImageEditor &e);
};
const Fault Faults[] = {
#define FAULT(NAME, LINK, CHANGE)                                              \
  {#NAME, #LINK, [](ImageEditor &e) { CHANGE; }},
#include "CheckFaults.def"
};

TEST(Check, SaysNothingOfWhatIsRight) {
  for (const LinkRow &row : LinkRows) {
    const MadeLink &link = linkOf(row.name);
    ASSERT_TRUE(link.succeeded()) << row.name << ": " << link.messages().str();
    EXPECT_EQ(compareImage(link.meaning(), link.image()).count(), 0u);
  }
}

TEST(Check, FindsEachFault) {
  EXPECT_GE(std::size(Faults), 50u);
  for (const Fault &fault : Faults) {
    SCOPED_TRACE(fault.name);
    const MadeLink &link = linkOf(fault.link);
    ASSERT_TRUE(link.succeeded()) << link.messages().str();
    ImageEditor editor(link.image());
    fault.change(editor);
    EXPECT_NE(editor.image(), link.image()) << "nothing was changed";
    const Findings findings = compareImage(link.meaning(), editor.image());
    EXPECT_NE(findings.count(), 0u) << "the fault isn't found";
    for (const Mismatch &f : findings.list())
      EXPECT_NE(f.expected, f.found);
  }
}

TEST(Check, NamesSymbolSectionAndOffset) {
  const MadeLink &link = linkOf("Final90");
  ImageEditor editor(link.image());
  editor.word(".text.shared_one", 0x34) += 16;
  const Findings findings = compareImage(link.meaning(), editor.image());
  ASSERT_EQ(findings.count(), 1u);
  const Mismatch &f = findings.list().front();
  EXPECT_EQ(f.symbol, "$__tile__20");
  EXPECT_EQ(f.section, ".text.shared_one");
  EXPECT_EQ(f.offset, 0x30u);
  EXPECT_EQ(f.what, "R_CUDA_ABS32_32");
}

TEST(Check, EndOfTheFile) {
  const MadeLink &link = linkOf("Final90");
  for (size_t size : {size_t(0), size_t(63), link.image().size() / 2,
                      link.image().size() - 1})
    EXPECT_NE(
        compareImage(link.meaning(), link.image().take_front(size)).count(),
        0u);
  EXPECT_NE(
      compareImage(link.meaning(), (link.image() + StringRef("\0", 1)).str())
          .count(),
      0u);
}

/// A link into a file that --check objects to.
TEST(Check, LeavesTheOldFile) {
  SmallString<128> path;
  ASSERT_FALSE(sys::fs::createTemporaryFile("check", "cubin", path));
  {
    std::error_code error;
    raw_fd_ostream(path, error) << "old";
  }
  MadeLink link(LinkRows[1], OutputMode::Files, path);
  ASSERT_TRUE(link.succeeded()) << link.messages().str();
  ImageEditor editor(linkOf("Final90").image());
  editor.symbol("small").st_value = 0;
  checkImage(link.meaning(), editor.image());
  commitOutputs(link.ctx->inputs);
  EXPECT_EQ(link.job.diag.exitStatus(), 1);
  link.job.diag.finish();
  EXPECT_NE(
      link.messages().find("Internal error: the output is wrong: 'small' in "
                           "section '.nv.constant3': st_value: expected "
                           "0x40, found 0x0"),
      StringRef::npos)
      << link.messages().str();
  EXPECT_NE(link.messages().find("--reproduce"), StringRef::npos);
  auto left = MemoryBuffer::getFile(path);
  ASSERT_TRUE(bool(left));
  EXPECT_EQ((*left)->getBuffer(), "old");
  sys::fs::remove(path);
}

} // namespace
} // namespace lld::cuda::test
