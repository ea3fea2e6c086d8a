//===- RegisterFileTest.cpp - The list for crt/link.stub -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expectations are the files that nvlink 13.0.88 writes for such inputs.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Input/InputFiles.h"
#include "Output/SaveFile.h"
#include "Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileUtilities.h"
#include "gtest/gtest.h"
#include <unistd.h>

using namespace lld::cuda;
using namespace llvm;

namespace {

struct Link {
  LinkJob job{nulls(), nulls()};
  Ctx ctx{job};

  InputUnit &add(Registration registration) {
    ctx.inputs.files.emplace_back().units.emplace_back();
    InputUnit &unit = ctx.inputs.files.back().units.back();
    unit.host.registration = registration;
    return unit;
  }
  void addPath(StringRef path) { add(Registration::Path).label = path; }
  void addIds(StringRef ids) {
    add(Registration::ModuleIds).host.moduleIds = ids;
  }
  void addDefinitions(StringRef ids) {
    add(Registration::Definitions).host.moduleIds = ids;
  }

  std::string registerFile() {
    SmallString<128> path;
    EXPECT_FALSE(sys::fs::createTemporaryFile("lld-cuda", "reg.c", path));
    FileRemover remover(path);
    job.config.registerFile = std::string(path);
    writeRegisterFile(ctx.inputs, ctx.program);
    commitOutputs(ctx.inputs);
    EXPECT_EQ(ctx.inputs.diag.exitStatus(), 0);
    auto buffer = MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "<cannot be read>";
  }
};

template <size_t N> StringRef ids(const char (&text)[N]) {
  return StringRef(text, N);
}

TEST(RegisterFile, Empty) {
  EXPECT_EQ(Link().registerFile(), "#define NUM_PRELINKED_OBJECTS 0\n");
}

// [register-file]
TEST(RegisterFile, FirstIdsInOrderThenFurtherIdsInReverse) {
  Link link;
  link.addIds(ids("_a\0_a2\0_a3"));
  link.addIds(ids("_b\0\0\0_b2"));
  link.addIds(ids("_c"));
  EXPECT_EQ(link.registerFile(), "#define NUM_PRELINKED_OBJECTS 6\n"
                                 "DEFINE_REGISTER_FUNC(_a)\n"
                                 "DEFINE_REGISTER_FUNC(_b)\n"
                                 "DEFINE_REGISTER_FUNC(_c)\n"
                                 "DEFINE_REGISTER_FUNC(_b2)\n"
                                 "DEFINE_REGISTER_FUNC(_a3)\n"
                                 "DEFINE_REGISTER_FUNC(_a2)\n");
}

TEST(RegisterFile, PathsAreMangledUnresolved) {
  Link link;
  link.addPath("/w/sub dir/../q+r.1.cubin");
  link.addPath("/w/\xc3\xa9.o");
  EXPECT_EQ(link.registerFile(),
            "#define NUM_PRELINKED_OBJECTS 2\n"
            "DEFINE_REGISTER_FUNC(_w_sub_dir____q_r_1_cubin)\n"
            "DEFINE_REGISTER_FUNC(_w____o)\n");
}

TEST(RegisterFile, RelativePathsBeginWithTheCurrentDirectory) {
  SmallString<128> directory;
  ASSERT_FALSE(sys::fs::current_path(directory));
  std::string mangled;
  for (char c : directory)
    mangled += isAlnum(c) ? c : '_';
  Link link;
  link.addPath("./a.o");
  EXPECT_EQ(link.registerFile(), "#define NUM_PRELINKED_OBJECTS 1\n"
                                 "DEFINE_REGISTER_FUNC(" +
                                     mangled + "___a_o)\n");
}

TEST(RegisterFile, DefinitionsRemoveFirstIdsWhereverTheyStand) {
  Link link;
  link.addDefinitions(ids("def _a\0def _b2"));
  link.addIds(ids("_a"));
  link.addIds(ids("_b\0_b2"));
  link.addIds(ids("_c"));
  link.addDefinitions(ids("def _c"));
  EXPECT_EQ(link.registerFile(), "#define NUM_PRELINKED_OBJECTS 2\n"
                                 "DEFINE_REGISTER_FUNC(_b)\n"
                                 "DEFINE_REGISTER_FUNC(_b2)\n");
}

TEST(RegisterFile, ListThatBeginsWithNul) {
  Link link;
  link.addIds(ids("\0\0_b"));
  EXPECT_EQ(link.registerFile(), "#define NUM_PRELINKED_OBJECTS 2\n"
                                 "DEFINE_REGISTER_FUNC()\n"
                                 "DEFINE_REGISTER_FUNC(_b)\n");
}

TEST(RegisterFile, DroppedSystemLibraryIsAbsent) {
  Link link;
  link.addIds(ids("_a"));
  link.addIds(ids("_cudadevrt"));
  link.ctx.inputs.files.back().dropped = true;
  EXPECT_EQ(link.registerFile(), "#define NUM_PRELINKED_OBJECTS 1\n"
                                 "DEFINE_REGISTER_FUNC(_a)\n");
}

TEST(RegisterFile, ReversedAndNotFilteredIfNothingIsLinked) {
  Link link;
  link.addIds(ids("_a\0_a2\0_a3"));
  link.addDefinitions(ids("def _b"));
  link.addIds(ids("_b"));
  link.addIds(ids("_cudadevrt"));
  link.ctx.inputs.files.back().systemLibrary = true;
  link.ctx.inputs.outputDone = true;
  EXPECT_EQ(link.registerFile(), "#define NUM_PRELINKED_OBJECTS 4\n"
                                 "DEFINE_REGISTER_FUNC(_b)\n"
                                 "DEFINE_REGISTER_FUNC(_a)\n"
                                 "DEFINE_REGISTER_FUNC(_a3)\n"
                                 "DEFINE_REGISTER_FUNC(_a2)\n");
}

} // namespace
