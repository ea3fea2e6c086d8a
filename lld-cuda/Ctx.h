//===- Ctx.h - The state of one link -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All state of one link; there are no globals. A pass takes what earlier
/// passes left here and adds to it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CTX_H
#define LLD_CUDA_CTX_H

#include "CallGraph.h"
#include "Config.h"
#include "LinkJob.h"
#include "Pool.h"
#include "Rules/LinkRules.h"
#include "Symbols.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/StringSaver.h"
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace lld::cuda {

// What one part of the link alone needs to know.
class CodeEdit;
class SourcePlaces;
class Stages;
struct InputFile;
struct LinkOutputs;
struct NativeCallees;

/// Why a member of an archive was taken.
struct Extraction {
  llvm::StringRef by, member, symbol;
};

/// A shared variable in the list of module-level shared variables; a symbol
/// may stand in it twice [shared-list].
struct SharedListEntry {
  Variable *variable;
  uint64_t size;
  uint64_t align;
};

/// The driver's own part in front of .nv.shared.reserved.0, in bytes
/// [shared-reserved-variables].
constexpr uint64_t DriverSharedSize = 64;

/// What a bank of constants can hold.
constexpr uint64_t MaxConstantBank = 0x10000;

struct Ctx {
  explicit Ctx(LinkJob &job);
  ~Ctx();
  Ctx(const Ctx &) = delete;
  Ctx &operator=(const Ctx &) = delete;

  LinkJob &job;
  const Config &config = job.config;
  /// What the command line says about the release, by which inputs are read.
  const LinkRelease reading{config.release};
  /// settleRules() makes it; no pass after that.
  LinkRelease settled{config.release};
  const LinkRules &rules = settled.rules;
  llvm::raw_ostream &out = job.out;
  Diagnostics &diag = job.diag;
  /// What is written at the end.
  const std::unique_ptr<LinkOutputs> outputs;
  /// How many inputs were not read at once; see InputBuffer.h.
  mutable std::atomic<unsigned> openInputs{0};
  /// What inputs have been decompressed to, together.
  mutable std::atomic<uint64_t> decompressed{0};
  mutable std::atomic<bool> hasLayers{false}; ///< [layer-object]
  /// Enough work to start threads for; see Parallel.h.
  bool largeLink = false;
  /// There is nothing left to link: ptxas or LTO has made the output.
  bool outputDone = false;

  llvm::BumpPtrAllocator arena;
  llvm::StringSaver saver{arena};

  Pool<InputFile> inputs;
  std::vector<Extraction> extractions;       ///< In order; see LazyMembers.cpp.
  std::vector<std::string> missingLibraries; ///< -l options without a file.
  Pool<ObjectFile> objects;                  ///< In merge order.

  // The output while it is built. The orders of creation decide the output's
  // orders [merge-passes].
  Pool<OutputSection> sectionStorage;
  std::vector<OutputSection *> sections; ///< Creation order.
  std::vector<Symbol *> locals;          ///< Written first: local and weak.
  std::vector<Symbol *> globals;         ///< Written after them.
  Pool<Function> functions;              ///< Creation order.
  Pool<Variable> variables;
  llvm::DenseMap<llvm::CachedHashStringRef, Symbol *> named;
  llvm::DenseMap<llvm::CachedHashStringRef, OutputSection *> sectionsByName;
  /// In order of first appearance.
  llvm::MapVector<llvm::CachedHashStringRef, uint32_t> prototypeStrings;
  /// Of .nv.info, in reading order, by view.
  std::array<std::vector<InfoRecord>, 2> globalInfoRecords;
  /// Ordinals of the functions before which CUDA 12 has a node without a name
  /// in the call graph [cuda12-nameless-symbols].
  std::vector<unsigned> namelessNodes;
  std::vector<Variable *> commons; ///< First appearance order.
  std::vector<SharedListEntry> sharedList;
  std::vector<Variable *> reservedShared; ///< Of .nv.shared.reserved.0.
  std::vector<Variable *> textures, samplers, surfaces; ///< First appearance.
  std::vector<Variable *> constantSizeSymbols;          ///< .nv.ptx.const0.size
  /// Entries of unified tables in the output, with their symbols.
  std::vector<std::pair<uint8_t *, Symbol *>> unifiedEntries;
  const std::unique_ptr<NativeCallees> nativeCallees;
  bool anyDynamicShared = false;
  /// A kernel filter or host references decide which kernels stay.
  bool prunesKernels = false;
  /// st_value of symbol 0 [null-symbol-value].
  uint64_t nullSymbolValue = 0;
  /// Where texture slots begin in every kernel's parameter bank.
  uint64_t textureBase = 0;

  /// For explanations; null until one asks.
  std::shared_ptr<SourcePlaces> sourcePlaces;
  CallGraph callGraph;
  const std::unique_ptr<Stages> stages; ///< How far the link is.
  Pool<CodeEdit> codeEdits; ///< That functions refer to.

  // The output's fixed sections.
  OutputSection *shstrtab = nullptr, *strtab = nullptr, *symtab = nullptr,
                *symtabShndx = nullptr, *tkinfo = nullptr, *cuinfo = nullptr,
                *nvinfo = nullptr, *compat = nullptr, *debugShared = nullptr;

  std::vector<OutputSection *>
      finalSections;                  ///< In header order, from index 1.
  std::vector<Symbol *> finalSymbols; ///< In table order, from index 1.
  /// Where the symbols that were created global begin.
  uint32_t firstGlobalSymbol = 0;

  /// Size of .shstrtab before the finalizer adds names; sm_100 and later.
  uint64_t mergedNamesSize = 0;

  unsigned sm() const { return config.arch.number; }
  /// The output has a Mercury view.
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
  /// Dead code and shared symbols are kept.
  bool keepsDeadCode() const {
    return config.relocatable || config.debug || config.preserveRelocs;
  }
  bool keepsDebugShared() const {
    return config.debug && !config.suppressDebugInfo;
  }

  /// Uninitialised memory that lives as long as the link. Thread-safe.
  uint8_t *allocate(size_t size) const {
    std::lock_guard<std::mutex> lock(arenaMutex);
#if LLVM_ADDRESS_SANITIZER_BUILD
    // Each in a block of its own, whose bounds are checked.
    return blocks.emplace_back(new uint8_t[size]).get();
#else
    return byteArena.Allocate<uint8_t>(size);
#endif
  }
  llvm::ArrayRef<uint8_t> save(llvm::ArrayRef<char> bytes) const {
    uint8_t *p = allocate(bytes.size());
    std::uninitialized_copy(bytes.begin(), bytes.end(), p);
    return {p, bytes.size()};
  }
  /// Keeps a buffer as long as the link lives. Thread-safe.
  llvm::ArrayRef<uint8_t> keep(llvm::SmallVector<char, 0> bytes) const {
    std::lock_guard<std::mutex> lock(arenaMutex);
    keptBuffers.emplace_back(std::move(bytes));
    return llvm::ArrayRef(
        reinterpret_cast<const uint8_t *>(keptBuffers.back().data()),
        keptBuffers.back().size());
  }
  /// Where a new symbol stands: weak ones first, or with the globals
  /// [symbol-order-weak].
  std::vector<Symbol *> &symbolList(uint8_t binding) {
    const bool isInFront =
        binding == elf::STB_LOCAL ||
        (binding == elf::STB_WEAK && !rules.weakStandsWithGlobals());
    return isInFront ? locals : globals;
  }
  /// Counted kernels that are reachable and defined, in creation order.
  std::vector<Function *> countedKernels();
  /// Also those that --kernels-used left out but that stay, because device code
  /// launches them: they get their memory all the same [kernels-used].
  std::vector<Function *> kernels();

private:
  // Bytes that a pass makes change nothing that others see.
  mutable std::mutex arenaMutex;
  /// Of patched code and tables. Slabs of the usual 4 KB would be half empty
  /// where each holds one table of 2 KB.
  mutable llvm::BumpPtrAllocatorImpl<llvm::MallocAllocator, 64 << 10, 4 << 10>
      byteArena;
  mutable Pool<llvm::SmallVector<char, 0>> keptBuffers;
#if LLVM_ADDRESS_SANITIZER_BUILD
  mutable std::vector<std::unique_ptr<uint8_t[]>> blocks;
#endif
};

// Creating sections and symbols. OutputSection.cpp.

/// A new section with its section symbol. `symbolLater`: the caller adds the
/// section symbol with addSectionSymbol() later.
OutputSection *createSection(Ctx &ctx, elf::SectionKind kind,
                             llvm::StringRef name, Function *owner = nullptr,
                             bool symbolLater = false);
void addSectionSymbol(Ctx &ctx, OutputSection &sec);
/// The only section of a kind with a fixed name, created when missing; its
/// alignment becomes at least `align`.
OutputSection *getNamedSection(Ctx &ctx, elf::SectionKind kind,
                               uint64_t align = 0);
/// The section of that name that is shared by all inputs, created when missing
/// with the header of an input's; its alignment becomes at least `align`.
OutputSection *getNamedSection(Ctx &ctx, llvm::StringRef name, uint32_t type,
                               uint64_t flags, uint64_t align,
                               uint64_t entsize);
/// Null if there is none.
OutputSection *findNamedSection(const Ctx &ctx, elf::SectionKind kind);
OutputSection *findNamedSection(const Ctx &ctx, llvm::StringRef name);
/// .nv.shared.<kernel>, which mostly dies with the kernel.
OutputSection *createSharedSection(Ctx &ctx, Function &kernel);
OutputSection *createSharedSection(Ctx &ctx, llvm::StringRef name,
                                   Function *owner);
/// .nv_debug.shared
OutputSection *getDebugShared(Ctx &ctx, uint64_t align);

/// What an extern shared array is aligned to [shared-dynamic-alignment].
/// LayoutShared.cpp.
uint64_t getDynamicAlignment(const Ctx &ctx, const Variable &v);
/// What it adds to the alignment of all module-level variables.
uint64_t getDeclaredAlignment(const Ctx &ctx, const Variable &v);

/// From sm_100 on: functions whose code the finalizer knows by the name of an
/// alias that stands before them in the symbol table. DebugFrame.cpp.
llvm::DenseSet<Function *> findFunctionsKnownByAlias(const Ctx &ctx);

/// --preserve-relocs: where resolved relocations of `target` are listed.
/// ResolvedRelocations.cpp.
void createResolvedRelocationSection(Ctx &ctx, OutputSection &target);
/// Shared variables that are in a final link's symbol table for these
/// relocations only are marked there; the debugger sees them unmarked.
bool isKeptForRelocations(const Ctx &ctx, const Variable &v);

} // namespace lld::cuda

#endif
