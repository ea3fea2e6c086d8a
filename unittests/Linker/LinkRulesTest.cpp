//===- LinkRulesTest.cpp - Which behaviours a link has --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules/LinkRules.h"
#include "gtest/gtest.h"

using namespace lld::cuda;

namespace {

RuleRequest request(bool relocatable, bool exact) {
  RuleRequest r;
  r.relocatable = relocatable;
  r.exact = exact;
  return r;
}

TEST(LinkRules, TheLastLinkResolvesAndARelocatableOneDoesNot) {
  EXPECT_TRUE(LinkRules(request(false, false)).resolvesReferences());
  EXPECT_FALSE(LinkRules(request(true, false)).resolvesReferences());
  EXPECT_TRUE(LinkRules(request(false, false)).reversesReadingOrder());
  EXPECT_FALSE(LinkRules(request(true, false)).reversesReadingOrder());
}

TEST(LinkRules, MistakesAreMadeOnRequestOnly) {
  EXPECT_FALSE(LinkRules(request(false, false)).mixesUpSameNames());
  EXPECT_TRUE(LinkRules(request(false, true)).mixesUpSameNames());
  EXPECT_TRUE(LinkRules(request(true, true)).resolvesReferences());
  EXPECT_FALSE(LinkRules(request(false, true)).dropsNotesOfInputs());
}

TEST(LinkRules, OptionsAskForOneBehaviour) {
  RuleRequest scoreboards;
  scoreboards.reallocatesScoreboards = true;
  EXPECT_TRUE(LinkRules(scoreboards).reallocatesScoreboards());
  EXPECT_FALSE(LinkRules(scoreboards).namesReferenceInNote());
  RuleRequest note;
  note.namesReference = true;
  EXPECT_TRUE(LinkRules(note).namesReferenceInNote());
  EXPECT_TRUE(LinkRules(note).saysNothingElse());
  EXPECT_FALSE(LinkRules(note).reallocatesScoreboards());
}

TEST(LinkRules, BehavioursAreAskedForByName) {
  EXPECT_EQ(findBehavior("PlacesCommons"), Behavior::PlacesCommons);
  EXPECT_FALSE(findBehavior("placesCommons"));
  RuleRequest r = request(true, false);
  r.behaviors = {Behavior::PlacesCommons};
  EXPECT_TRUE(LinkRules(r).placesCommons());
  EXPECT_FALSE(LinkRules(r).resolvesReferences());
  // What a final link never does it doesn't do on request.
  r = request(false, false);
  r.behaviors = {Behavior::RenamesLiterals};
  EXPECT_FALSE(LinkRules(r).renamesLiterals());
}

const Release *named(llvm::StringRef name) {
  for (const Release &r : releases())
    if (r.name == name)
      return &r;
  return nullptr;
}

TEST(LinkRules, ABehaviourBeginsAndEndsWithARelease) {
  RuleRequest older, newer;
  older.release = named("13.1.115");
  newer.release = named("13.2.51");
  EXPECT_TRUE(LinkRules(older).reversesNewExterns());
  EXPECT_FALSE(LinkRules(newer).reversesNewExterns());
  EXPECT_FALSE(LinkRules(older).unitesLanguages());
  EXPECT_TRUE(LinkRules(newer).unitesLanguages());
  EXPECT_TRUE(LinkRules(newer).isSince(132));
  EXPECT_FALSE(LinkRules(newer).isSince(133));
  EXPECT_EQ(LinkRules().release().name, "13.0.88");
}

TEST(LinkRules, ReleasesStandByAge) {
  unsigned toolkit = 0;
  for (const Release &r : releases()) {
    EXPECT_LE(toolkit, r.toolkit);
    // 13.0 takes PTX 9.0, 12.4 takes 8.4, and so on; 12.9 takes 8.8.
    if (r.toolkit < 129) {
      EXPECT_LE(r.ptx - 80, r.toolkit - 120) << r.name.str();
    }
    if (r.toolkit >= 130) {
      EXPECT_EQ(r.ptx - 90, r.toolkit - 130) << r.name.str();
    }
    toolkit = r.toolkit;
    EXPECT_TRUE(r.version.ends_with(r.name)) << r.name.str();
  }
  EXPECT_EQ(&newestRelease(), &releases().back());
}

} // namespace
