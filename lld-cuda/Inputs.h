//===- Inputs.h - First stage: what a link is made from ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A link has four stages, each of which one phase fills and later ones only
/// read: Inputs > Program > Layout > Numbered. This is the first: options,
/// files and what is in them, and the rules, once settleRules() has made them.
/// The passes of Input/ and Lto/ fill it when inputs are read; all later passes
/// read it. It also refers to what every pass uses and no stage owns: messages,
/// memory, outputs. Ctx owns it; the LinkJob must outlive it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUTS_H
#define LLD_CUDA_INPUTS_H

#include "LinkJob.h"
#include "LinkMemory.h"
#include "Pool.h"
#include "Rules/LinkRules.h"
#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace lld::cuda {

class CompileCache;
class SourcePlaces;
class RequiredKernels;
class Stages;
class SymbolControl;
struct InputFile;
struct LinkOutputs;
struct OptionFile;

/// Why a member of an archive was taken: `by` refers to `symbol`.
struct MemberExtraction {
  llvm::StringRef by, member, symbol;
};

/// What many threads count while they read.
struct InputCounts {
  /// How many inputs were not read at once; see InputBuffer.h.
  std::atomic<unsigned> openInputs{0};
  /// What inputs have been decompressed to, together.
  std::atomic<uint64_t> decompressed{0};
  std::atomic<bool> hasLayers{false}; ///< [layer-object]
};

/// What every pass of one link may use, and none owns.
struct LinkTools {
  LinkTools();
  ~LinkTools();

  LinkMemory memory;
  InputCounts counts;
  const std::unique_ptr<LinkOutputs> outputs; ///< Written at the end.
  const std::unique_ptr<Stages> clock;        ///< How far the link is.
  const std::unique_ptr<CompileCache> compileCache;
  /// For explanations; null until one asks.
  std::shared_ptr<SourcePlaces> sourcePlaces;
};

struct Inputs {
  Inputs(LinkJob &job, LinkTools &tools);
  ~Inputs();
  Inputs(const Inputs &) = delete;
  Inputs &operator=(const Inputs &) = delete;

  LinkJob &job;
  LinkTools &tools;
  const Config &config = job.config;
  llvm::raw_ostream &out = job.printed();
  Diagnostics &diag = job.diag;
  LinkMemory &memory = tools.memory;
  InputCounts &counts = tools.counts;
  Stages &clock = *tools.clock;

  /// What the command line says about the release, by which inputs are read.
  const LinkRelease reading{config.release};
  /// settleRules() makes it; no pass after that.
  LinkRelease settled{config.release};
  const LinkRules &rules = settled.rules;

  /// There is enough work to start threads; see Parallel.h.
  bool largeLink = false;
  /// There is nothing left to link: ptxas or LTO has made the output.
  bool outputDone = false;

  Pool<InputFile> files;
  std::vector<MemberExtraction> extractions; ///< In order; see LazyMembers.cpp.
  std::vector<std::string> missingLibraries; ///< -l options without a file.
  /// What options do with symbols; null: there is no such option.
  std::unique_ptr<SymbolControl> symbolControl;
  std::unique_ptr<RequiredKernels> requiredKernels; ///< Null: none.
  std::vector<OptionFile> optionFiles; ///< That options on symbols name.

  unsigned sm() const { return config.arch.number; }
  /// Returns whether the output has a Mercury view, i.e. holds its code a
  /// second time in NVIDIA's "Mercury" form (docs/reference/mercury.md).
  bool isMercury() const { return config.arch.isMercury(); }
  bool isRelocatable() const { return config.relocatable; }
  /// The file has the header of CUDA 12; from sm_100 on that of 13 is as old
  /// as the architectures [cuda12-file], [mercury12-file].
  bool writesOldHeader() const {
    return rules.writesOldFiles() && !isMercury();
  }
  bool countsBarriersInFlags() const {
    return rules.countsBarriersInFlags() && !isMercury();
  }
  /// Dead code and shared symbols are kept [dead-code-kept].
  bool keepsDeadCode() const {
    return config.relocatable || config.debug || config.preserveRelocs;
  }
  bool keepsDebugShared() const {
    return config.debug && !config.suppressDebugInfo;
  }
};

} // namespace lld::cuda

#endif
