//===- Inputs.h - First stage: options and input files ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The first of the four stages of a link, each of which one phase fills and
/// later ones only read: Inputs > Program > Layout > Numbered. It holds the
/// options, the input files and what is in them, and the rules, once
/// settleRules() has made them. The passes of Input/ and Lto/ fill it when
/// inputs are read; all later passes read it. It also refers to what every pass
/// uses and no stage owns: messages, memory, outputs. Ctx owns it; the LinkJob
/// must outlive it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUTS_H
#define LLD_CUDA_INPUTS_H

#include "FactMemory.h"
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

/// Why a member of an archive is linked: the object `by` refers to `symbol`.
struct MemberExtraction {
  llvm::StringRef by, member, symbol;
};

/// Counters that the threads that read inputs share.
struct InputCounts {
  /// The number of inputs that are read piece by piece; see InputBuffer.h.
  std::atomic<unsigned> openInputs{0};
  /// The number of bytes to which inputs were decompressed, all together.
  std::atomic<uint64_t> decompressed{0};
  /// An input is a layer: a host object with the result of a link with -r (rule
  /// [layer-object] of docs/reference).
  std::atomic<bool> hasLayers{false};
};

/// Objects that every pass of a link may use. A member of Ctx.
struct LinkTools {
  LinkTools();
  ~LinkTools();

  LinkMemory memory;
  FactMemory factMemory{memory.shared};
  InputCounts counts;
  /// The files that the link makes. commitOutputs() puts them in place.
  const std::unique_ptr<LinkOutputs> outputs;
  const std::unique_ptr<Stages> clock; ///< Measures and shows progress.
  const std::unique_ptr<CompileCache> compileCache;
  /// The source lines of code, for explanations. Null before the first is used.
  std::shared_ptr<SourcePlaces> sourcePlaces;
};

/// `job` and `tools` must outlive it.
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
  FactMemory &factMemory = tools.factMemory;
  InputCounts &counts = tools.counts;
  Stages &clock = *tools.clock;

  /// The release that the options choose, by whose rules inputs are read.
  const LinkRelease reading{config.release};
  /// The release by whose rules objects are linked. settleRules() sets it when
  /// the inputs are read; no later pass changes it.
  LinkRelease settled{config.release};
  const LinkRules &rules = settled.rules; ///< Those of `settled`.

  /// How many threads are worth their start: 1 if the link is small. See
  /// worthThreads() in Parallel.h.
  unsigned worthThreads = 1;
  /// The merge takes several objects at once (Merge/MergeBatch.h).
  bool mergesBatches = false;
  /// The output is ready without a link, since ptxas or LTO has made it.
  bool outputDone = false;

  Pool<InputFile> files;
  /// The members of archives that were chosen, in the order of their choice;
  /// see LazyMembers.cpp.
  std::vector<MemberExtraction> extractions;
  /// The names of -l options for which no file was found.
  std::vector<std::string> missingLibraries;
  /// Carries out options on symbols; null if there is no such option.
  std::unique_ptr<SymbolControl> symbolControl;
  /// Checks --require-kernels; null without that option.
  std::unique_ptr<RequiredKernels> requiredKernels;
  /// The files that options name, such as version scripts.
  std::vector<OptionFile> optionFiles;

  unsigned sm() const { return config.arch.number; }
  /// Returns whether the output has a Mercury view, i.e. holds its code a
  /// second time in NVIDIA's "Mercury" form (docs/reference/mercury.md).
  bool isMercury() const { return config.arch.isMercury(); }
  bool isRelocatable() const { return config.relocatable; }
  /// Returns whether the output has the ELF header of CUDA 12. From sm_100 on
  /// CUDA 12 writes the header of CUDA 13, too [cuda12-file], [mercury12-file].
  bool writesOldHeader() const {
    return rules.writesOldFiles() && !isMercury();
  }
  /// Returns whether the number of barriers that a function uses is in sh_flags
  /// of its code, not in an attribute.
  bool countsBarriersInFlags() const {
    return rules.countsBarriersInFlags() && !isMercury();
  }
  /// Returns whether sh_link of the tables of unified functions and variables
  /// names a section that has nothing to do with them [unified-table-link].
  bool mislinksUnifiedTables() const {
    return isMercury() && rules.mislinksUnifiedTables();
  }
  /// Returns whether unreachable functions are kept [dead-code-kept].
  bool keepsDeadCode() const {
    return config.relocatable || config.debug || config.preserveRelocs;
  }
  /// Returns whether shared variables stay in the symbol table for debuggers.
  bool keepsDebugShared() const {
    return config.debug && !config.suppressDebugInfo;
  }
};

} // namespace lld::cuda

#endif
