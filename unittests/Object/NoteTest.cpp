//===- NoteTest.cpp - Notes of cubins -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Note.h"
#include "CubinTestUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace lld::cuda;
using namespace lld::cuda::test;
using llvm::StringRef;

namespace {

llvm::ArrayRef<uint8_t> bytesOf(StringRef s) {
  return llvm::arrayRefFromStringRef(s);
}

std::string note(uint32_t type, StringRef description,
                 StringRef name = StringRef("NVIDIA Corp\0", 12)) {
  std::string s;
  append(s, name.size(), 4);
  append(s, description.size(), 4);
  append(s, type, 4);
  s += name;
  s.resize((s.size() + 3) / 4 * 4);
  return s + description.str();
}

std::string tkInfo(StringRef strings, std::vector<uint32_t> offsets) {
  std::string s;
  append(s, 2, 4);
  for (uint32_t offset : offsets)
    append(s, offset, 4);
  return s + strings.str();
}

// [note-layout]
TEST(CuInfo, ReadsAndWrites) {
  std::string data = note(1000, StringRef("\2\0\x4b\0\x82\0\0\0", 8));
  auto info = readCuInfoNote(bytesOf(data));
  ASSERT_EQ(message(info.takeError()), "");
  EXPECT_EQ(info->version, 2);
  EXPECT_EQ(info->virtualArch, 75);
  EXPECT_EQ(info->toolkit, 130);
  llvm::SmallVector<char> written;
  writeCuInfoNote(*info, written);
  EXPECT_EQ(StringRef(written.data(), written.size()), data);
}

TEST(CuInfo, Errors) {
  auto error = [](const std::string &data) {
    return message(readCuInfoNote(bytesOf(data)));
  };
  std::string good = note(1000, std::string(8, '\0'));
  EXPECT_EQ(error(good), "");
  EXPECT_EQ(error(""), "note at offset 0x0 is cut off: 0 bytes left");
  EXPECT_EQ(error(good.substr(0, 11)),
            "note at offset 0x0 is cut off: 11 bytes left");
  EXPECT_EQ(error(good.substr(0, 23)),
            "note at offset 0x0: name of 12 bytes is cut off");
  EXPECT_EQ(error(good.substr(0, 31)),
            "note at offset 0x0: description of 8 bytes is cut off: 7 left");
  EXPECT_EQ(error(note(1000, std::string(8, '\0'), "CUDA")),
            "note at offset 0x0: its name is not 'NVIDIA Corp'");
  EXPECT_EQ(error(note(2000, std::string(8, '\0'))),
            "note at offset 0x0: type 2000, expected 1000");
  EXPECT_EQ(error(note(1000, std::string(7, '\0'))),
            "note at offset 0x0: description of 7 bytes, expected 8");
  std::string huge = good;
  huge[3] = '\xff';
  EXPECT_EQ(error(huge),
            "note at offset 0x0: name of 4278190092 bytes is cut off");
}

TEST(CuInfo, OfCuda12) {
  std::string data = note(1000, StringRef("\1\0\x64\0\1\0\0\0\1\0\0\0", 12));
  auto info = readCuInfoNote(bytesOf(data));
  ASSERT_EQ(message(info.takeError()), "");
  EXPECT_EQ(info->version, 1);
  EXPECT_EQ(info->virtualArch, 100);
  EXPECT_EQ(info->toolkit, 0);
}

TEST(CompiledFor, FromTheNote) {
  std::string data = readInput("Cubin/first.sm_90.cubin");
  auto file = CubinFile::create({data, ""});
  ASSERT_EQ(message(file.takeError()), "");
  auto check = [&](unsigned toolkit, unsigned virtualArch) {
    auto result = readCompiledFor(*file);
    ASSERT_EQ(message(result.takeError()), "");
    EXPECT_EQ(result->toolkit, toolkit);
    EXPECT_EQ(result->virtualArch, virtualArch);
  };
  char &index = data[51]; // Bits 31..24 of e_flags.
  EXPECT_EQ(unsigned(index), file->findSection(".note.nv.cuinfo"));
  check(130, 75); // The PTX says .target sm_75.
  index = '\xff';
  check(130, 75);
  index = file->findSection(".note.nv.tkinfo");
  check(0, 0);
  index = '\xfe';
  check(0, 0);
}

TEST(CompiledFor, FromTheHeader) {
  std::string data = readInput("Cubin/first.sm_90.cubin");
  auto file = CubinFile::create({data, ""});
  ASSERT_EQ(message(file.takeError()), "");
  data[7] = elf::ELFOSABI_CUDA_12;
  data[20] = 124; // e_version
  data[48] = 90;  // e_flags
  data[50] = 80;
  auto result = readCompiledFor(*file);
  ASSERT_EQ(message(result.takeError()), "");
  EXPECT_EQ(result->toolkit, 124u);
  EXPECT_EQ(result->virtualArch, 80u);
}

// ptxas 12.8 and 12.9 write the toolkit's version there.
// [note-layout]
TEST(TkInfo, Versions) {
  auto error = [](char version) {
    std::string data =
        note(2000, tkInfo(StringRef("\0\0\0\0", 4), {0, 0, 0, 0, 0}));
    data[24] = version;
    return message(readTkInfoNotes(bytesOf(data)));
  };
  EXPECT_EQ(error(2), "");
  EXPECT_EQ(error('\x80'), "");
  EXPECT_EQ(error('\x81'), "");
  EXPECT_EQ(error(3), "note at offset 0x0: unknown version 3");
  EXPECT_EQ(error('\x7f'), "note at offset 0x0: unknown version 127");
  EXPECT_EQ(error('\x82'), "note at offset 0x0: unknown version 130");
}

TEST(TkInfo, SeveralRecords) {
  std::string data =
      note(2000,
           tkInfo(StringRef("f\0t\0v\0b\0c\0\0\0", 12), {0, 2, 4, 6, 8})) +
      note(2000, tkInfo(StringRef("\0\0\0\0", 4), {0, 0, 0, 0, 3}));
  auto notes = readTkInfoNotes(bytesOf(data));
  ASSERT_EQ(message(notes.takeError()), "");
  ASSERT_EQ(notes->size(), 2u);
  const TkInfoNote &first = notes->front();
  EXPECT_EQ(first.file, "f");
  EXPECT_EQ(first.tool, "t");
  EXPECT_EQ(first.toolVersion, "v");
  EXPECT_EQ(first.build, "b");
  EXPECT_EQ(first.command, "c");
  EXPECT_EQ(notes->back().command, "");
}

TEST(TkInfo, OfNvlink) {
  std::string data = readInput("Cubin/linked.sm_90.cubin");
  auto file = CubinFile::create({data, ""});
  ASSERT_EQ(message(file.takeError()), "");
  auto contents = file->contents(file->findSection(".note.nv.tkinfo"));
  auto notes = readTkInfoNotes(contents);
  ASSERT_EQ(message(notes.takeError()), "");
  // The linker's own record comes before those of its inputs.
  ASSERT_EQ(notes->size(), 3u);
  EXPECT_EQ((*notes)[0].tool, "nvlink");
  EXPECT_EQ((*notes)[0].file, "");
  EXPECT_EQ((*notes)[0].command, "-arch sm_90 ");
  EXPECT_EQ((*notes)[1].tool, "ptxas");

  llvm::SmallVector<char> written;
  for (const TkInfoNote &note : *notes)
    writeTkInfoNote(note, written);
  EXPECT_EQ(StringRef(written.data(), written.size()),
            llvm::toStringRef(contents));
}

TEST(TkInfo, NoRecord) {
  auto notes = readTkInfoNotes({});
  ASSERT_EQ(message(notes.takeError()), "");
  EXPECT_TRUE(notes->empty());
}

TEST(TkInfo, Errors) {
  auto error = [](const std::string &data) {
    return message(readTkInfoNotes(bytesOf(data)));
  };
  std::string good =
      note(2000, tkInfo(StringRef("\0\0\0\0", 4), {0, 0, 0, 0, 0}));
  EXPECT_EQ(error(good), "");
  EXPECT_EQ(error(good + "abcd"),
            "note at offset 0x34 is cut off: 4 bytes left");
  EXPECT_EQ(
      error(note(2000, std::string(23, '\0'))),
      "note at offset 0x0: description of 23 bytes, expected at least 24");
  EXPECT_EQ(error(good + note(2000, std::string(24, '\0'))),
            "note at offset 0x34: unknown version 0");
  EXPECT_EQ(
      error(note(2000, tkInfo(StringRef("\0\0\0\0", 4), {0, 0, 4, 0, 0}))),
      "note at offset 0x0: string 2 at 0x4 runs past the strings (0x4)");
  EXPECT_EQ(error(note(2000, tkInfo("abcd", {0, 0, 0, 0, 0}))),
            "note at offset 0x0: string 0 at 0x0 runs past the strings (0x4)");
  EXPECT_EQ(error(note(2000, tkInfo("", {0, 0, 0, 0, 0}))),
            "note at offset 0x0: string 0 at 0x0 runs past the strings (0x0)");
  EXPECT_EQ(error(good + note(1000, "")),
            "note at offset 0x34: type 1000, expected 2000");
}

// The padding of the last note may be missing.
TEST(TkInfo, WithoutPadding) {
  std::string data = note(2000, tkInfo(StringRef("\0", 1), {0, 0, 0, 0, 0}));
  auto notes = readTkInfoNotes(bytesOf(data));
  ASSERT_EQ(message(notes.takeError()), "");
  EXPECT_EQ(notes->size(), 1u);
}

} // namespace
