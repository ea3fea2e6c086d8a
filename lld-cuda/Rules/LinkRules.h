//===- LinkRules.h - The rules that a link goes by --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a link does where releases of the reference linker, or it and what is
/// right, differ: Releases.def has the releases, Behaviors.def the ways, and
/// Questions.def what passes ask. Made once the inputs are read, since they may
/// choose the release (ReleaseChoice.h); they themselves are read by what the
/// command line says (Inputs::reading). A pass asks a question by its name:
///
///     if (inputs.rules.placesCommons()) ...
///
/// and knows no release, no flavour and no mode.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RULES_LINKRULES_H
#define LLD_CUDA_RULES_LINKRULES_H

#include "Rules/ReleaseChoice.h"
#include <cstddef>
#include <cstdint>

namespace lld::cuda {

enum class Behavior : uint8_t {
#define QUESTION(BEHAVIOR, NAME) BEHAVIOR,
#include "Questions.def"
  Count
};

/// A bit for each behaviour.
class BehaviorSet {
public:
  constexpr void add(size_t i) { words[i / WordBits] |= bit(i); }
  constexpr bool has(size_t i) const { return words[i / WordBits] & bit(i); }
  /// Adds those of `o` that are in `asked`.
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

class LinkRules {
public:
  LinkRules() : LinkRules(RuleRequest()) {}
  explicit LinkRules(const RuleRequest &request);

  const Release &release() const { return *reference; }
  /// For tables that say since which toolkit (10 * major + minor) a row holds.
  bool isSince(unsigned toolkit) const { return reference->toolkit >= toolkit; }

#define QUESTION(BEHAVIOR, NAME)                                               \
  bool NAME() const { return has(Behavior::BEHAVIOR); }
#include "Questions.def"

private:
  bool has(Behavior b) const { return behaviors.has(size_t(b)); }

  const Release *reference;
  BehaviorSet behaviors;
};

/// A release that was chosen, or as far as one is, and its rules.
struct LinkRelease {
  explicit LinkRelease(ReleaseChoice choice)
      : choice(std::move(choice)), rules(this->choice.request) {}
  ReleaseChoice choice;
  LinkRules rules;
};

} // namespace lld::cuda

#endif
