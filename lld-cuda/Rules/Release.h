//===- Release.h - Table of nvlink releases ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of nvlink's releases that are known (Releases.def), and
/// RuleRequest, the choices of the command line from which the rules of a link
/// (LinkRules.h) are made. The readers of the command line fill a RuleRequest;
/// SettleRules.cpp and the messages about releases look releases up.
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

/// The releases, the oldest first. Behaviors.def says with them since and until
/// which release a behaviour exists; Never is later than all releases.
enum class ReleaseId : uint8_t {
#define RELEASE(ID, ...) ID,
#include "Releases.def"
  Never,
  First = 0,
};

/// A row of Releases.def. Rows live as long as the program.
struct Release {
  ReleaseId id;
  llvm::StringLiteral name;    ///< As users write it: "13.0.88".
  unsigned toolkit;            ///< 10 * major + minor.
  llvm::StringLiteral version; ///< As it is in .note.nv.tkinfo.
  llvm::StringLiteral build;
  llvm::StringLiteral builtOn; ///< As `nvlink -V` says.
  unsigned copyright;          ///< The last year that `nvlink -V` names.
  unsigned ptx;                ///< The newest version of PTX, times ten.
  uint16_t finalizer;          ///< The number its finalizer gives itself, or 0.
};

/// Returns all releases that are known, the oldest first.
llvm::ArrayRef<Release> releases();
const Release &newestRelease();
/// Returns the release whose rules a link follows unless its inputs were made
/// by a newer one.
const Release &defaultRelease();

enum class Behavior : uint8_t; // LinkRules.h

/// Returns the behaviour with that name in Behaviors.def, or nullopt.
std::optional<Behavior> findBehavior(llvm::StringRef name);

/// What the command line says about the rules.
struct RuleRequest {
  const Release *release = &defaultRelease();
  bool relocatable = false;
  /// --nvlink-compat: the output has the bytes that the reference linker
  /// writes, its mistakes included.
  bool exact = false;
  bool reallocatesScoreboards = false; ///< --reschedule
  bool namesReference = false;         ///< --nvlink-note
  std::vector<Behavior> behaviors;     ///< --nvlink-behavior
};

} // namespace lld::cuda

#endif
