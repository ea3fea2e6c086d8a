//===- CodeEditTest.cpp - Edits of code against nvlink's results ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares with what nvlink 13.0.88 made of functions that ptxas compiled for
/// sm_100 to sm_121. The files in Inputs/Finalizer hold a function's parts as
/// they came in and as they came out, in hexadecimal:
///
///   function NAME IS-ENTRY DEBUG CASE   DEBUG: 1 -g, 2 other -g objects
///   code OLD NEW          bytes of .text
///   masked OFFSETS        of old instructions with a resolved relocation
///   capmerc OLD NEW R     bytes of .nv.capmerc.text; R: with relocations
///   info CODE OLD NEW     payload of a record of .nv.info
///   frame BASE AT OLD NEW CIE and FDE; AT is the relocated address
///   line AT OLD NEW       a line table of this function alone
///   table OFFSETS OLD NEW .nv.constant2
///   registers NAME OLD NEW  .nv_debug_info_reg_sass of this function alone
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/FinalCode/Debug.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::sass;

namespace {

using Bytes = SmallVector<uint8_t, 0>;

Bytes unhex(StringRef text) {
  std::string s = fromHex(text);
  return Bytes(s.begin(), s.end());
}

std::string hex(ArrayRef<uint8_t> bytes) {
  return toHex(bytes, /*LowerCase=*/true);
}

uint64_t number(StringRef text) {
  uint64_t value = 0;
  EXPECT_FALSE(text.getAsInteger(16, value)) << text.str();
  return value;
}

/// The bits that tell the hardware how to schedule an instruction.
constexpr uint64_t SchedulingBits = ((1ull << 21) - 1) << 41;
/// Where relocations patch an instruction.
constexpr uint64_t AddressBits = ~0ull << 32;

/// Waits on scoreboards that nvlink numbers anew.
constexpr unsigned DEPBAR = 0x91a;

/// Checks one function of a file, line by line.
class FunctionChecker {
public:
  FunctionChecker(StringRef name, bool isKernel, StringRef debug)
      : name(name), options{isKernel, debug == "1", debug != "0"} {}

  void check(ArrayRef<StringRef> words);

  StringRef name;
  unsigned changed = 0;

private:
  void setMasks(ArrayRef<StringRef> offsets);
  void compareCode();
  void checkCapmerc(StringRef oldHex, StringRef newHex, bool relocated);
  void checkInfo(StringRef code, StringRef oldHex, StringRef newHex);
  void checkFrame(ArrayRef<StringRef> words);
  void checkLine(ArrayRef<StringRef> words);
  void checkTable(StringRef offsets, StringRef oldHex, StringRef newHex);
  DebugFunction function() const {
    return {true, 1, edit.isEmpty() ? nullptr : &edit};
  }

  FinalizerOptions options;
  Bytes oldCode, newCode;
  std::vector<bool> isMasked; ///< By old instruction.
  CodeEdit edit;
};

void FunctionChecker::check(ArrayRef<StringRef> words) {
  StringRef kind = words[0];
  if (kind == "code") {
    oldCode = unhex(words[1]);
    newCode = unhex(words[2]);
    isMasked.assign(oldCode.size() / InstructionSize, false);
  } else if (kind == "masked") {
    setMasks(words.drop_front());
  } else if (kind == "capmerc") {
    checkCapmerc(words[1], words[2], words[3] == "1");
  } else if (kind == "info") {
    checkInfo(words[1], words[2], words[3]);
  } else if (kind == "frame") {
    checkFrame(words.drop_front());
  } else if (kind == "line") {
    checkLine(words.drop_front());
  } else if (kind == "table") {
    checkTable(words[1], words[2], words[3]);
  } else if (kind == "registers") {
    Bytes bytes = unhex(words[2]);
    Error e = rewriteRegisterRanges(
        bytes, [&](StringRef f) -> DebugFunction { return function(); },
        [](StringRef) { return std::vector<LocationRange>(); });
    EXPECT_FALSE(bool(e));
    EXPECT_EQ(hex(bytes), words[3].str()) << name.str();
  } else {
    FAIL() << "unknown line " << kind.str();
  }
}

void FunctionChecker::setMasks(ArrayRef<StringRef> offsets) {
  for (StringRef offset : offsets)
    isMasked.at(number(offset) / InstructionSize) = true;
}

/// The code stands in front of the capmerc section, which the plan needs.
void FunctionChecker::checkCapmerc(StringRef oldHex, StringRef newHex,
                                   bool relocated) {
  Bytes old = unhex(oldHex);
  Expected<CodeEdit> planned = planCodeEdit(oldCode, old, options);
  ASSERT_TRUE(bool(planned)) << toString(planned.takeError());
  edit = std::move(*planned);
  changed += !edit.isEmpty();
  compareCode();
  if (edit.isEmpty())
    return;
  Expected<Bytes> bytes = editCapmerc(edit, oldCode, old);
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  // Word 0 is the index of the text section.
  std::string got = hex(*bytes).substr(8), expected = newHex.substr(8).str();
  if (relocated)
    EXPECT_EQ(got.size(), expected.size()) << name.str();
  else
    EXPECT_EQ(got, expected) << name.str();
}

void FunctionChecker::compareCode() {
  ASSERT_EQ(edit.newSize(), newCode.size()) << name.str();
  Bytes code(edit.newSize());
  writeEditedCode(edit, oldCode, code.data());
  std::vector<bool> masked(newCode.size() / InstructionSize);
  for (size_t i = 0; i < isMasked.size(); ++i)
    if (isMasked[i])
      masked[edit.newOffset(i * InstructionSize) / InstructionSize] = true;
  for (size_t i = 0; i < masked.size(); ++i) {
    Instruction got = Instruction::read(code.data() + i * InstructionSize),
                expected =
                    Instruction::read(newCode.data() + i * InstructionSize);
    uint64_t low = got.low ^ expected.low, high = got.high ^ expected.high;
    if (masked[i])
      low &= ~AddressBits;
    // nvlink schedules kernels that call nothing anew.
    high &= ~SchedulingBits;
    if (got.opcode() == DEPBAR)
      low &= ~AddressBits;
    EXPECT_TRUE(!low && !high)
        << name.str() << ": instruction " << i << ": "
        << hex(ArrayRef(code).slice(i * InstructionSize, InstructionSize))
        << " instead of "
        << hex(ArrayRef(newCode).slice(i * InstructionSize, InstructionSize));
  }
}

void FunctionChecker::checkInfo(StringRef code, StringRef oldHex,
                                StringRef newHex) {
  Bytes payload = unhex(oldHex);
  if (!edit.isEmpty())
    moveInfoOffsets(edit, number(code), payload);
  EXPECT_EQ(hex(payload), newHex.str()) << name.str() << " " << code.str();
}

void FunctionChecker::checkFrame(ArrayRef<StringRef> words) {
  constexpr size_t AddressOffset = 20, PointerEnd = AddressOffset;
  Bytes frame = unhex(words[2]), expected = unhex(words[3]);
  size_t cieSize = number(words[1]) - AddressOffset;
  MutableArrayRef<uint8_t> fde = MutableArrayRef(frame).drop_front(cieSize);
  if (!edit.isEmpty()) {
    Error e = moveCallFrame(edit, ArrayRef(frame).take_front(cieSize), fde);
    EXPECT_FALSE(bool(e)) << toString(std::move(e));
  }
  EXPECT_EQ(hex(fde.drop_front(PointerEnd)),
            hex(ArrayRef(expected).drop_front(cieSize + PointerEnd)))
      << name.str();
}

void FunctionChecker::checkLine(ArrayRef<StringRef> words) {
  DebugReference reference{number(words[0]), function()};
  Expected<RebuiltLineTable> section =
      rebuildLineTable(unhex(words[1]), reference);
  ASSERT_TRUE(bool(section)) << toString(section.takeError());
  EXPECT_EQ(hex(section->bytes), words[2].str()) << name.str();
}

void FunctionChecker::checkTable(StringRef offsets, StringRef oldHex,
                                 StringRef newHex) {
  Bytes data = unhex(oldHex);
  SmallVector<StringRef, 8> words;
  if (offsets != "-")
    offsets.split(words, ',');
  SmallVector<uint64_t, 8> numbers;
  for (StringRef word : words)
    numbers.push_back(number(word));
  if (!edit.isEmpty())
    moveJumpTable(edit, data, numbers);
  EXPECT_EQ(hex(data), newHex.str()) << name.str();
}

/// Checks every function of a file; returns how many of them change.
unsigned checkFile(const Twine &path) {
  auto buffer = MemoryBuffer::getFile(path);
  EXPECT_TRUE(bool(buffer)) << path.str();
  if (!buffer)
    return 0;
  SmallVector<StringRef, 0> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::optional<FunctionChecker> checker;
  unsigned changed = 0;
  for (StringRef line : lines) {
    SmallVector<StringRef, 8> words;
    line.split(words, ' ');
    if (words[0] != "function") {
      checker->check(words);
      continue;
    }
    if (checker)
      changed += checker->changed;
    checker.emplace(words[1], words[2] == "1", words[3]);
  }
  return changed + (checker ? checker->changed : 0);
}

std::string input(StringRef name) {
  return (Twine(LLDCUDA_UNITTEST_INPUTS "/Finalizer/") + name).str();
}

// [mercury-code-edits]
TEST(Finalizer, AsNvlink) { EXPECT_GE(checkFile(input("functions.txt")), 17u); }

} // namespace
