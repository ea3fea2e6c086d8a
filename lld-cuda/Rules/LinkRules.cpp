//===- LinkRules.cpp - Which behaviours a link has ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LinkRules is the set of behaviours that a link has, a bit for each row of
/// Behaviors.def. It follows from the release, from whether it is a link with
/// -r, and from what the command line asks for. The drivers make it when the
/// options are read, settleRules() anew if the inputs choose the release. The
/// compiler works the tables out for every release, so a link only joins a few
/// words of bits. A row that is missing in one of the two tables, Behaviors.def
/// and Questions.def, is an error of the build.
///
//===----------------------------------------------------------------------===//

#include "Rules/LinkRules.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lld::cuda {

namespace {
enum class BehaviorUse : uint8_t { Never, Always, OnRequest };

struct BehaviorRow {
  Behavior id;
  ReleaseId since, until;
  BehaviorUse final, relocatable;
};
} // namespace

static constexpr Release Releases[] = {
#define RELEASE(ID, NAME, TOOLKIT, VERSION, BUILD, BUILT_ON, COPYRIGHT, PTX,   \
                FINALIZER)                                                     \
  {ReleaseId::ID, NAME,      TOOLKIT, VERSION,  BUILD,                         \
   BUILT_ON,      COPYRIGHT, PTX,     FINALIZER},
#include "Rules/Releases.def"
};

static constexpr BehaviorRow Behaviors[] = {
#define BEHAVIOR(ID, SINCE, UNTIL, FINAL, RELOCATABLE, ...)                    \
  {Behavior::ID, ReleaseId::SINCE, ReleaseId::UNTIL, BehaviorUse::FINAL,       \
   BehaviorUse::RELOCATABLE},
#include "Rules/Behaviors.def"
};

static constexpr bool hasOneRowForEach() {
  BehaviorSet seen;
  for (const BehaviorRow &row : Behaviors) {
    if (seen.has(size_t(row.id)))
      return false;
    seen.add(size_t(row.id));
  }
  return std::size(Behaviors) == size_t(Behavior::Count);
}
static_assert(hasOneRowForEach(),
              "Questions.def and Behaviors.def don't have the same rows");

ArrayRef<Release> releases() { return Releases; }
const Release &newestRelease() { return Releases[std::size(Releases) - 1]; }
const Release &defaultRelease() {
  return Releases[size_t(ReleaseId::V13_0_88)];
}

std::optional<Behavior> findBehavior(StringRef name) {
  static constexpr StringLiteral names[] = {
#define QUESTION(BEHAVIOR, NAME) #BEHAVIOR,
#include "Rules/Questions.def"
  };
  const StringLiteral *found = find(names, name);
  if (found == std::end(names))
    return std::nullopt;
  return Behavior(found - std::begin(names));
}

struct PolicyMasks {
  BehaviorSet always, onRequest;
};

static constexpr PolicyMasks masksOf(ReleaseId release, bool isRelocatable) {
  PolicyMasks masks;
  for (const BehaviorRow &row : Behaviors) {
    if (release < row.since || release >= row.until)
      continue;
    const BehaviorUse policy = isRelocatable ? row.relocatable : row.final;
    if (policy == BehaviorUse::Always)
      masks.always.add(size_t(row.id));
    else if (policy == BehaviorUse::OnRequest)
      masks.onRequest.add(size_t(row.id));
  }
  return masks;
}

namespace {
/// Made by the compiler: each link asks for some of them.
struct AllMasks {
  PolicyMasks final[std::size(Releases)], relocatable[std::size(Releases)];
  constexpr AllMasks() : final(), relocatable() {
    for (size_t i = 0; i != std::size(Releases); ++i) {
      final[i] = masksOf(Releases[i].id, false);
      relocatable[i] = masksOf(Releases[i].id, true);
    }
  }
};
} // namespace
static constexpr AllMasks Masks;

LinkRules::LinkRules(const RuleRequest &request) : reference(request.release) {
  const size_t i = size_t(reference->id);
  const PolicyMasks &masks =
      request.relocatable ? Masks.relocatable[i] : Masks.final[i];
  BehaviorSet asked;
  if (request.exact)
    asked.addAll();
  for (Behavior b : request.behaviors)
    asked.add(size_t(b));
  behaviors = masks.always;
  behaviors.addAsked(masks.onRequest, asked);
  // Options that ask for one behaviour alone.
  if (request.reallocatesScoreboards)
    behaviors.add(size_t(Behavior::ReallocatesScoreboards));
  if (request.namesReference) {
    behaviors.add(size_t(Behavior::NamesReferenceInNote));
    behaviors.add(size_t(Behavior::SaysNothingElse));
  }
}

} // namespace lld::cuda
