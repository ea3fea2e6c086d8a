//===- LinkRules.h - The rules that a link follows --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The set of behaviours that a link has where releases of the reference linker
/// (nvlink) differ from each other, or from what is right. All passes ask it
/// (as Inputs::rules). The drivers make it when the command line is read, and
/// inputs are read by those rules (Inputs::reading); settleRules() makes it
/// anew when the inputs are read, since they may choose the release
/// (ReleaseChoice.h).
///
/// Releases.def has the releases, Behaviors.def the behaviours, and
/// Questions.def the questions of passes. A pass asks by a question's name and
/// never about the release, the flavour or the mode:
///
///     if (inputs.rules.placesCommons()) ...
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RULES_LINKRULES_H
#define LLD_CUDA_RULES_LINKRULES_H

#include "Rules/ReleaseChoice.h"
#include <cstddef>
#include <cstdint>

namespace lld::cuda {

/// The behaviours, one for each row of Questions.def.
enum class Behavior : uint8_t {
#define QUESTION(BEHAVIOR, NAME) BEHAVIOR,
#include "Questions.def"
  Count
};

/// A set of behaviours, with one bit for each.
class BehaviorSet {
public:
  constexpr void add(size_t i) { words[i / WordBits] |= bit(i); }
  constexpr bool has(size_t i) const { return words[i / WordBits] & bit(i); }
  /// Adds the behaviours of `o` that are also in `asked`.
  constexpr void addAsked(const BehaviorSet &o, const BehaviorSet &asked) {
    for (size_t i = 0; i != NumWords; ++i)
      words[i] |= o.words[i] & asked.words[i];
  }
  constexpr void addAll() {
    for (uint64_t &word : words)
      word = ~uint64_t(0);
  }

private:
  static constexpr size_t WordBits = 64;
  static constexpr size_t NumWords =
      (size_t(Behavior::Count) + WordBits - 1) / WordBits;
  static constexpr uint64_t bit(size_t i) {
    return uint64_t(1) << i % WordBits;
  }

  uint64_t words[NumWords] = {};
};

/// The rules of one link. Never changes once it is made.
class LinkRules {
public:
  LinkRules() : LinkRules(RuleRequest()) {}
  explicit LinkRules(const RuleRequest &request);

  const Release &release() const { return *reference; }
  /// Returns whether the release is of that toolkit (10 * major + minor) or a
  /// later one. For tables that say since which toolkit a row is valid.
  bool isSince(unsigned toolkit) const { return reference->toolkit >= toolkit; }

#define QUESTION(BEHAVIOR, NAME)                                               \
  bool NAME() const { return has(Behavior::BEHAVIOR); }
#include "Questions.def"

private:
  bool has(Behavior b) const { return behaviors.has(size_t(b)); }

  const Release *reference;
  BehaviorSet behaviors;
};

/// What has been chosen about the release so far, and the rules that follow.
struct LinkRelease {
  explicit LinkRelease(ReleaseChoice choice)
      : choice(std::move(choice)), rules(this->choice.request) {}
  ReleaseChoice choice;
  LinkRules rules;
};

} // namespace lld::cuda

#endif
