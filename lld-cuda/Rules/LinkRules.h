//===- LinkRules.h - The rules that a link goes by --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a link does where releases of the reference linker, or it and what is
/// right, differ: Releases.def has the releases, Behaviors.def the ways. Made
/// when the command line is read, and again when the inputs are, if they choose
/// the release (ReleaseChoice.h). A pass asks a question by its name:
///
///     if (ctx.rules.placesCommons()) ...
///
/// and knows no release, no flavour and no mode.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RULES_LINKRULES_H
#define LLD_CUDA_RULES_LINKRULES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <vector>

namespace lld::cuda {

/// By age. Never: later than all.
enum class ReleaseId : uint8_t {
#define RELEASE(ID, ...) ID,
#include "Releases.def"
  Never,
  First = 0,
};

struct Release {
  ReleaseId id;
  llvm::StringLiteral name;    ///< As users write it: "13.0.88".
  unsigned toolkit;            ///< 10 * major + minor.
  llvm::StringLiteral version; ///< As in .note.nv.tkinfo.
  llvm::StringLiteral build;
  llvm::StringLiteral builtOn; ///< Of `nvlink -V`.
  unsigned copyright;          ///< The same: the last year.
  unsigned ptx;                ///< The newest version of PTX, times ten.
  uint16_t finalizer;          ///< What its finalizer calls itself, or 0.
};

/// All releases that are known, the oldest first.
llvm::ArrayRef<Release> releases();
const Release &newestRelease();
/// Whose rules a link goes by whose inputs name none that is newer.
const Release &defaultRelease();

enum class Behavior : uint8_t {
#define BEHAVIOR(ID, ...) ID,
#include "Behaviors.def"
  Count
};

/// By its name in Behaviors.def.
std::optional<Behavior> findBehavior(llvm::StringRef name);

/// What the command line says about the rules.
struct RuleRequest {
  const Release *release = &defaultRelease();
  bool relocatable = false;
  /// The reference's very bytes, its mistakes included: --nvlink-compat.
  bool exact = false;
  bool reallocatesScoreboards = false; ///< --reschedule
  bool namesReference = false;         ///< --nvlink-note
  std::vector<Behavior> behaviors;     ///< --nvlink-behavior
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

#define BEHAVIOR(ID, QUESTION, ...)                                            \
  bool QUESTION() const { return has(Behavior::ID); }
#include "Behaviors.def"

private:
  bool has(Behavior b) const { return behaviors.has(size_t(b)); }

  const Release *reference;
  BehaviorSet behaviors;
};

} // namespace lld::cuda

#endif
