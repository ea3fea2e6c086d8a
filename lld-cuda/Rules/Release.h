//===- Release.h - Releases of the reference linker -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rows of Releases.def, and what a command line can say about the rules of
/// a link (LinkRules.h), which are made from it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RULES_RELEASE_H
#define LLD_CUDA_RULES_RELEASE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
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
  llvm::StringLiteral builtOn; ///< As `nvlink -V` says.
  unsigned copyright;          ///< The last year that `nvlink -V` names.
  unsigned ptx;                ///< The newest version of PTX, times ten.
  uint16_t finalizer;          ///< What its finalizer calls itself, or 0.
};

/// All releases that are known, the oldest first.
llvm::ArrayRef<Release> releases();
const Release &newestRelease();
/// Whose rules a link goes by whose inputs name none that is newer.
const Release &defaultRelease();

enum class Behavior : uint8_t; // LinkRules.h

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

} // namespace lld::cuda

#endif
