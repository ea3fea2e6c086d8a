//===- ResolutionTest.cpp - Which of two definitions counts ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A row for each pair of mentions. What is expected is what nvlink was seen to
/// do: [weak-selection], [common-and-definition], [common-size-and-alignment],
/// [relocation-in-lost-variable]; for bitcode [lto-bitcode-prevailing].
///
//===----------------------------------------------------------------------===//

#include "Merge/Resolution.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "llvm/ADT/ArrayRef.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;

namespace {

constexpr uint8_t Weak = STB_WEAK, Strong = STB_GLOBAL;

TEST(Resolution, MentionsAgreeOnKindAndSpace) {
  constexpr KindFacts function = {true, false, 0},
                      kernel = {true, false, STO_CUDA_ENTRY},
                      global = {false, true, STO_CUDA_GLOBAL},
                      managed = {false, true, STO_CUDA_GLOBAL | 4},
                      constant = {false, true, STO_CUDA_CONSTANT};
  struct {
    KindFacts first, later;
    Agreement result;
  } const cases[] = {
      {function, function, Agreement::Agree},
      {kernel, kernel, Agreement::Agree},
      {function, kernel, Agreement::OtherKind},
      {kernel, function, Agreement::OtherKind},
      {global, managed, Agreement::Agree},
      {global, constant, Agreement::OtherSpace},
      {function, global, Agreement::OtherSpace},
      {global, function, Agreement::OtherSpace},
  };
  for (const auto &c : cases)
    EXPECT_EQ(compareKinds(c.first, c.later), c.result) << &c - cases;
}

// [weak-selection]
TEST(Resolution, Functions) {
  struct {
    FunctionDefinition inForce, later;
    Resolution result;
  } const cases[] = {
      // binding, alias, registers, virtual architecture
      {{Strong, false, 8, 90}, {Strong, false, 8, 90}, Resolution::Duplicate},
      {{Strong, false, 99, 50}, {Weak, false, 8, 90}, Resolution::Keep},
      {{Weak, false, 8, 90}, {Strong, false, 99, 50}, Resolution::Replace},
      {{Weak, false, 8, 90}, {Weak, false, 8, 90}, Resolution::Keep},
      {{Weak, false, 9, 90}, {Weak, false, 8, 50}, Resolution::Replace},
      {{Weak, false, 8, 50}, {Weak, false, 9, 90}, Resolution::Keep},
      {{Weak, false, 8, 80}, {Weak, false, 8, 90}, Resolution::Replace},
      {{Weak, false, 8, 90}, {Weak, false, 8, 80}, Resolution::Keep},
      // The code of an alias can't be exchanged.
      {{Weak, true, 8, 90}, {Strong, false, 8, 90}, Resolution::Duplicate},
      {{Weak, false, 8, 90}, {Strong, true, 8, 90}, Resolution::Duplicate},
      {{Weak, true, 8, 90}, {Weak, false, 9, 90}, Resolution::Keep},
      {{Strong, false, 8, 90}, {Weak, true, 8, 90}, Resolution::Keep},
  };
  for (const auto &c : cases)
    EXPECT_EQ(resolveFunctions(c.inForce, c.later), c.result) << &c - cases;
}

using Place = VariableStorage;

struct VariableCase {
  VariableFacts inForce, later;
  Resolution result;
};

void check(llvm::ArrayRef<VariableCase> cases) {
  for (const VariableCase &c : cases)
    EXPECT_EQ(resolveVariables(c.inForce, c.later), c.result)
        << "row " << &c - cases.begin();
}

// [weak-variables]
TEST(Resolution, VariablesWithAPlaceOfTheirOwn) {
  check({
      {{Place::Undefined, Strong, 4},
       {Place::Zeroed, Weak, 4},
       Resolution::Define},
      {{Place::Zeroed, Strong, 4},
       {Place::Undefined, Strong, 4},
       Resolution::Keep},
      {{Place::Initialised, Strong, 4},
       {Place::Initialised, Strong, 4},
       Resolution::Duplicate},
      {{Place::Elsewhere, Weak, 4},
       {Place::Elsewhere, Strong, 4},
       Resolution::Replace},
      {{Place::Elsewhere, Strong, 4},
       {Place::Elsewhere, Weak, 4},
       Resolution::Keep},
      {{Place::Zeroed, Weak, 4}, {Place::Zeroed, Weak, 4}, Resolution::Keep},
      // [relocation-in-lost-variable]
      {{Place::Initialised, Weak, 4},
       {Place::Initialised, Weak, 4},
       Resolution::KeepAndForget},
      {{Place::Initialised, Strong, 4},
       {Place::Initialised, Weak, 4},
       Resolution::Keep},
  });
}

// [common-and-definition]
TEST(Resolution, Commons) {
  check({
      {{Place::Undefined, Strong, 0},
       {Place::Common, Strong, 4},
       Resolution::Define},
      {{Place::Common, Strong, 4},
       {Place::Common, Strong, 8},
       Resolution::EnlargeCommon},
      {{Place::Initialised, Strong, 4},
       {Place::Common, Strong, 4},
       Resolution::Keep},
      {{Place::Common, Strong, 4},
       {Place::Initialised, Strong, 4},
       Resolution::ReplaceCommon},
      {{Place::Common, Strong, 4},
       {Place::Initialised, Weak, 4},
       Resolution::ReplaceCommon},
      {{Place::Common, Strong, 4},
       {Place::Zeroed, Strong, 4},
       Resolution::PlaceBoth},
      {{Place::Common, Strong, 4}, {Place::Zeroed, Weak, 4}, Resolution::Keep},
      {{Place::Zeroed, Strong, 4},
       {Place::Common, Strong, 4},
       Resolution::Duplicate},
      {{Place::Zeroed, Weak, 4},
       {Place::Common, Strong, 4},
       Resolution::PlaceBoth},
  });
}

// [common-size-errors]
TEST(Resolution, Sizes) {
  enum Errors { None, Differ, Larger, Both };
  struct {
    VariableFacts inForce, later;
    Errors before, since; ///< 13.3
  } const cases[] = {
      {{Place::Zeroed, Strong, 4},
       {Place::Undefined, Strong, 8},
       Differ,
       Differ},
      {{Place::Zeroed, Strong, 4}, {Place::Undefined, Strong, 0}, None, None},
      {{Place::Undefined, Strong, 0}, {Place::Zeroed, Strong, 4}, None, None},
      {{Place::Zeroed, Strong, 4}, {Place::Zeroed, Strong, 8}, Differ, Differ},
      {{Place::Common, Strong, 4}, {Place::Common, Strong, 8}, None, None},
      {{Place::Common, Strong, 4}, {Place::Initialised, Strong, 8}, None, None},
      {{Place::Common, Strong, 8},
       {Place::Initialised, Strong, 4},
       Larger,
       Larger},
      {{Place::Initialised, Strong, 4},
       {Place::Common, Strong, 8},
       Larger,
       Larger},
      {{Place::Initialised, Strong, 8}, {Place::Common, Strong, 4}, None, None},
      {{Place::Common, Strong, 8}, {Place::Zeroed, Strong, 4}, Differ, Both},
      {{Place::Common, Strong, 4}, {Place::Zeroed, Weak, 8}, Differ, Differ},
      {{Place::Zeroed, Strong, 4}, {Place::Common, Strong, 8}, Differ, Differ},
      {{Place::Zeroed, Weak, 8}, {Place::Common, Strong, 4}, Differ, Differ},
      {{Place::Elsewhere, Strong, 4},
       {Place::Common, Strong, 8},
       Differ,
       Differ},
  };
  for (const auto &c : cases)
    for (bool isSince : {false, true}) {
      const SizeErrors errors = compareSizes(c.inForce, c.later, isSince);
      const Errors expected = isSince ? c.since : c.before;
      EXPECT_EQ(errors.differ, expected == Differ || expected == Both)
          << "row " << &c - cases;
      EXPECT_EQ(errors.commonIsLarger, expected == Larger || expected == Both)
          << "row " << &c - cases;
    }
}

// [merge-errors-add-up]
TEST(Resolution, CommonsOfOtherMemorySpaces) {
  check({
      {{Place::Elsewhere, Strong, 4},
       {Place::Common, Strong, 4},
       Resolution::Duplicate},
      {{Place::Elsewhere, Weak, 4},
       {Place::Common, Strong, 4},
       Resolution::Keep},
  });
}

// [shared-second-formal-array]
TEST(Resolution, FormallyDefinedArraysDefineNothing) {
  check({{{Place::Undefined, Strong, 0},
          {Place::FormalArray, Strong, 0},
          Resolution::Keep}});
}

// [lto-bitcode-prevailing]
TEST(Resolution, Bitcode) {
  constexpr BitcodeFacts unknown = {false, false, BitcodeRank::None},
                         weakInCubin = {true, false, BitcodeRank::None},
                         strongInCubin = {true, true, BitcodeRank::None};
  auto after = [](BitcodeRank rank) {
    return BitcodeFacts{false, false, rank};
  };
  struct {
    BitcodeFacts known;
    BitcodeRank later;
    Resolution result;
  } const cases[] = {
      {unknown, BitcodeRank::Weak, Resolution::Define},
      {after(BitcodeRank::Weak), BitcodeRank::Weak, Resolution::Keep},
      {after(BitcodeRank::Weak), BitcodeRank::Common, Resolution::Replace},
      {after(BitcodeRank::Common), BitcodeRank::Weak, Resolution::Keep},
      {after(BitcodeRank::Common), BitcodeRank::Strong, Resolution::Replace},
      {after(BitcodeRank::Strong), BitcodeRank::Strong, Resolution::Duplicate},
      {after(BitcodeRank::Strong), BitcodeRank::Weak, Resolution::Keep},
      {weakInCubin, BitcodeRank::Strong, Resolution::Define},
      {weakInCubin, BitcodeRank::Common, Resolution::Keep},
      {strongInCubin, BitcodeRank::Weak, Resolution::Keep},
      {strongInCubin, BitcodeRank::Strong, Resolution::Duplicate},
  };
  for (const auto &c : cases)
    EXPECT_EQ(resolveBitcode(c.known, c.later), c.result) << &c - cases;
}

} // namespace
