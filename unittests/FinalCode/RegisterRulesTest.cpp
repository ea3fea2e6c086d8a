//===- RegisterRulesTest.cpp - What frames say of moved registers ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/RegisterRules.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::sass;

namespace {

using RegisterMove = std::pair<unsigned, unsigned>; ///< Destination and source.

/// Code of MOVs, and a capmerc section in which `records` says how many of them
/// each joined pair has; others stand for themselves.
class MovingFunction {
public:
  MovingFunction(ArrayRef<RegisterMove> moves, ArrayRef<unsigned> records) {
    code.resize(moves.size() * InstructionSize);
    for (size_t i = 0; i != moves.size(); ++i)
      Instruction{0x7202 | moves[i].first << 16 |
                      uint64_t(moves[i].second) << 32,
                  0xfe40000000f00}
          .write(code.data() + i * InstructionSize);
    size_t covered = 0;
    std::vector<uint8_t> bytes;
    for (unsigned count : records) {
      if (count > 1)
        bytes.insert(bytes.end(),
                     {uint8_t((count & 1) << 7 | 0x51), uint8_t(count >> 1)});
      const size_t begin = bytes.size();
      bytes.insert(bytes.end(), {1, 0, 0x0a, 0x0a});
      bytes.resize(begin + 16);
      covered += count;
    }
    const size_t plain = moves.size() - covered;
    const uint32_t bitmap = ((1u << plain) - 1) << records.size();
    for (uint32_t word :
         {1u, 0xc0000001u, uint32_t(records.size() + plain), bitmap})
      for (unsigned i = 0; i != 4; ++i)
        capmerc.push_back(word >> 8 * i);
    capmerc.insert(capmerc.end(), bytes.begin(), bytes.end());
  }

  /// As text: "10: undefined 8".
  std::vector<std::string> rules() const {
    std::vector<std::string> result;
    for (const RegisterRule &r : cantFail(findRegisterRules(code, capmerc))) {
      std::string text = utohexstr(r.offset, /*LowerCase=*/true) + ":";
      for (uint8_t byte : r.instruction)
        text += " " + utohexstr(byte, /*LowerCase=*/true);
      result.push_back(text);
    }
    return result;
  }

private:
  std::vector<uint8_t> code, capmerc;
};

using RuleTexts = std::vector<std::string>;

} // namespace

// The moves of HeCBench's parallelMatch in corpus order, and what ptxas 13.5.37
// and nvlink 13.4.92 say of them: 7 is undefined, 9 register, 8 same_value. R4
// gets the value of R20 twice, of which nothing is said.
// [debug-register-rules]
TEST(RegisterRules, ValuesAreFollowedThroughPairs) {
  const MovingFunction f({{8, 20},
                          {9, 11},
                          {4, 20},
                          {5, 13},
                          {12, 20},
                          {13, 9},
                          {4, 20},
                          {5, 7},
                          {8, 20},
                          {9, 5}},
                         {2, 2, 2, 2, 2});
  EXPECT_EQ(f.rules(),
            (RuleTexts{"0: 7 88 80 80 28", "10: 7 89 80 80 28",
                       "20: 7 84 80 80 28", "30: 7 85 80 80 28",
                       "40: 7 8c 80 80 28", "50: 9 8d 80 80 28 85 80 80 28",
                       "70: 7 8d 80 80 28", "90: 8 8b 80 80 28"}));
}

// Of several registers the one with the smallest number is told, though R10
// still has its value.
TEST(RegisterRules, TheFirstRegisterIsTold) {
  const MovingFunction f({{4, 10}, {5, 10}, {5, 6}}, {2, 1});
  EXPECT_EQ(f.rules().back(), "20: 9 8a 80 80 28 84 80 80 28");
}

TEST(RegisterRules, OtherMovesDontCount) {
  EXPECT_EQ(MovingFunction({{8, 20}, {9, 11}, {4, 5}}, {2}).rules().size(), 2u);
  EXPECT_TRUE(MovingFunction({{8, 20}, {9, 11}}, {}).rules().empty());
}

// A MOV from a uniform register among what one Mercury instruction became, as
// nvlink 13.5.37 has it in moe_shuffle: WARPSYNC, ELECT, MOV R14,
// ENDCOLLECTIVE.
TEST(RegisterRules, MovesOfElectionsCount) {
  std::vector<uint8_t> code(4 * InstructionSize);
  const uint64_t words[] = {0xf0c7348, 0x4f782f, 0x4f000e7c02, 0x791b};
  for (unsigned i = 0; i != 4; ++i)
    Instruction{words[i], 0}.write(code.data() + i * InstructionSize);
  std::vector<uint8_t> capmerc = {1, 0, 0, 0, 1, 0, 0,    0xc0, 1,    0,
                                  0, 0, 0, 0, 0, 0, 0x51, 0x02, 0x02, 0x64};
  capmerc.resize(capmerc.size() + 30);
  const auto rules = cantFail(findRegisterRules(code, capmerc));
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].offset, 0x20u);
  EXPECT_EQ(rules[0].instruction,
            (SmallVector<uint8_t, 16>{7, 0x8e, 0x80, 0x80, 0x28}));
  // Those of other runs don't.
  constexpr size_t ClassAt = 19;
  capmerc[ClassAt] = 0x22;
  EXPECT_TRUE(cantFail(findRegisterRules(code, capmerc)).empty());
}

TEST(RegisterRules, DamagedRecordsAreAnError) {
  std::vector<uint8_t> code(InstructionSize);
  Expected<std::vector<RegisterRule>> rules = findRegisterRules(code, {});
  EXPECT_FALSE(bool(rules));
  consumeError(rules.takeError());
}
