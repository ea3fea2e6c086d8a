//===- NoteCommandTest.cpp - Commands in notes, shortened -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/NoteCommand.h"
#include "CubinTestUtils.h"

using namespace lld::cuda;
using namespace lld::cuda::test;
using llvm::StringRef;

namespace {

constexpr llvm::StringLiteral File = "application ptx input ";

std::optional<std::string> drop(StringRef cubin, StringRef text = File) {
  return dropFromNoteCommand({cubin, "cubin"}, text);
}

/// ptxas wrote both: what it compiled was in a file, or a word of its command.
void expectSame(const std::string &arch) {
  std::string file = readInput("Cubin/debugged-file." + arch + ".cubin");
  std::string text = readInput("Cubin/debugged-text." + arch + ".cubin");
  ASSERT_NE(file, text);
  EXPECT_TRUE(drop(file) == text);
}

// [ptx-compiled]
TEST(NoteCommand, FileIsDroppedAsIfPtxasHadNoneSm90) { expectSame("sm_90"); }

TEST(NoteCommand, FileIsDroppedAsIfPtxasHadNoneSm100) { expectSame("sm_100"); }

TEST(NoteCommand, WhatIsNotThereIsNotDropped) {
  EXPECT_FALSE(drop(readInput("Cubin/debugged-text.sm_90.cubin")));
  EXPECT_FALSE(drop(readInput("Cubin/debugged-file.sm_90.cubin"), "ptx"));
  EXPECT_FALSE(drop(SmallCubin().buffer().getBuffer()));
  EXPECT_FALSE(drop("no cubin"));
}

/// In a linked cubin nobody says whose record is meant.
TEST(NoteCommand, SeveralRecordsStay) {
  EXPECT_FALSE(drop(readInput("Cubin/linked.sm_90.cubin"), "-arch"));
}

TEST(NoteCommand, WithoutSegmentsTheirTableMayBeAnywhere) {
  std::string cubin = readInput("Cubin/debugged-file.sm_90.cubin");
  auto *header = reinterpret_cast<Elf_Ehdr *>(&cubin[0]);
  cubin.resize(header->e_shoff + header->e_shnum * sizeof(Elf_Shdr));
  header = reinterpret_cast<Elf_Ehdr *>(&cubin[0]);
  header->e_phnum = 0;
  header->e_phoff = uint64_t(1) << 40;
  EXPECT_TRUE(drop(cubin));
}

TEST(NoteCommand, OtherLayoutsStay) {
  std::string cubin = readInput("Cubin/debugged-file.sm_90.cubin");
  EXPECT_FALSE(drop(cubin + std::string(8, '\0')));
  // A section that begins 4 bytes later than it could.
  auto *header = reinterpret_cast<Elf_Ehdr *>(&cubin[0]);
  auto *sections = reinterpret_cast<Elf_Shdr *>(&cubin[header->e_shoff]);
  sections[header->e_shnum - 1].sh_offset += 4;
  EXPECT_FALSE(drop(cubin));
}

} // namespace
