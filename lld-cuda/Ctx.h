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
#include "CodeEdit.h"
#include "Config.h"
#include "Diagnostics.h"
#include "InputFiles.h"
#include "ObjectFile.h"
#include "Pool.h"
#include "Stats.h"
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
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace lld::cuda {

/// Why a member of an archive was taken.
struct Extraction {
  llvm::StringRef by, member, symbol;
};

/// A shared variable in the list of module-level shared variables; a symbol
/// may stand in it twice (spec: layout, section 4.2).
struct SharedListEntry {
  Variable *variable;
  uint64_t size;
  uint64_t align;
};

/// The driver's own part in front of .nv.shared.reserved.0, in bytes (spec:
/// layout, section 4.8).
constexpr uint64_t DriverSharedSize = 64;

struct Ctx {
  explicit Ctx(llvm::raw_ostream &out, llvm::raw_ostream &err)
      : out(out), diag(err, config) {}
  Ctx(const Ctx &) = delete;
  Ctx &operator=(const Ctx &) = delete;

  Config config;
  llvm::raw_ostream &out;
  Diagnostics diag;
  bool disableOutput = false;
  /// Inputs are copied, not mapped: InputMode::Read.
  bool copyInputs = false;
  /// What all inputs may be decompressed to, together; less what has been.
  mutable std::atomic<uint64_t> decompressBudget{0};
  /// Enough work to start threads for; see Parallel.h.
  bool largeLink = false;
  /// There is nothing left to link: ptxas or LTO has made the output.
  bool outputDone = false;
  /// The process ends with the link.
  bool ownsProcess = false;

  llvm::BumpPtrAllocator arena;
  llvm::StringSaver saver{arena};

  std::deque<InputFile> inputs;
  std::vector<Extraction> extractions;       ///< In order; see LazyMembers.cpp.
  std::vector<std::string> missingLibraries; ///< -l options without a file.
  std::deque<ObjectFile> objects;            ///< In merge order.

  // The output while it is built. The orders of creation decide the output's
  // orders (spec: ELF output, section 3).
  Pool<OutputSection> sectionStorage;
  std::vector<OutputSection *> sections; ///< Creation order.
  std::vector<Symbol *> locals;          ///< Written in front: local and weak.
  std::vector<Symbol *> globals;         ///< Written behind.
  Pool<Function> functions;              ///< Creation order.
  Pool<Variable> variables;
  llvm::DenseMap<llvm::CachedHashStringRef, Symbol *> named;
  llvm::DenseMap<llvm::CachedHashStringRef, OutputSection *> sectionsByName;
  /// In order of first appearance.
  llvm::MapVector<llvm::CachedHashStringRef, uint32_t> prototypeStrings;
  /// Of .nv.info, in reading order, by view.
  std::array<std::vector<InfoRecord>, 2> globalInfoRecords;
  std::vector<Variable *> commons; ///< First appearance order.
  std::vector<SharedListEntry> sharedList;
  std::vector<Variable *> reservedShared; ///< Of .nv.shared.reserved.0.
  std::vector<Variable *> textures, samplers, surfaces; ///< First appearance.
  std::vector<Variable *> constantSizeSymbols;          ///< .nv.ptx.const0.size
  /// Entries of unified tables in the output, with their symbols.
  std::vector<std::pair<uint8_t *, Symbol *>> unifiedEntries;
  bool anyDynamicShared = false;
  /// A kernel filter or host references decide which kernels stay.
  bool prunesKernels = false;
  /// st_value of symbol 0; see LayoutConstants.cpp.
  uint64_t nullSymbolValue = 0;
  /// -r writes every edge of the call graph once: those already known.
  llvm::DenseSet<std::pair<Function *, Function *>> knownCalls, knownTakes;
  /// Sizes and alignments of all memory without contents that inputs ask for.
  uint64_t memoryTotal = 0;
  uint32_t relocationSequence = 0;
  /// Where texture slots begin in every kernel's parameter bank.
  uint64_t textureBase = 0;
  uint32_t infoSequence = 0;
  /// Bit 0: fragments of tensor memory code of 12.x; bit 1: of 13.0.
  uint8_t fragmentGenerations = 0;

  CallGraph callGraph;
  Stages stages;
  std::deque<CodeEdit> codeEdits; ///< That functions refer to.

  // The output's fixed sections.
  OutputSection *shstrtab = nullptr, *strtab = nullptr, *symtab = nullptr,
                *symtabShndx = nullptr, *tkinfo = nullptr, *cuinfo = nullptr,
                *nvinfo = nullptr, *compat = nullptr, *callgraph = nullptr,
                *prototype = nullptr, *debugShared = nullptr,
                *mercurySymtab = nullptr, *mercurySymtabShndx = nullptr;

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
  /// -r the way it is right: everything that a later link needs to place data
  /// stays, in the order in which it was read. nvlink resolves much at once,
  /// and wrongly (docs/nvlink-compatibility.md).
  bool keepsForRelink() const {
    return config.relocatable && !config.nvlinkCompat;
  }
  /// Dead code and shared symbols are kept.
  bool keepsDeadCode() const {
    return config.relocatable || config.debug || config.preserveRelocs;
  }
  bool keepsDebugShared() const {
    return config.debug && !config.suppressDebugInfo;
  }

  /// Uninitialised memory that lives as long as the link. Thread-safe.
  uint8_t *allocate(size_t size) {
    std::lock_guard<std::mutex> lock(arenaMutex);
#if LLVM_ADDRESS_SANITIZER_BUILD
    // Each in a block of its own, whose bounds are checked.
    return blocks.emplace_back(new uint8_t[size]).get();
#else
    return byteArena.Allocate<uint8_t>(size);
#endif
  }
  llvm::ArrayRef<uint8_t> save(llvm::ArrayRef<char> bytes) {
    uint8_t *p = allocate(bytes.size());
    std::uninitialized_copy(bytes.begin(), bytes.end(), p);
    return {p, bytes.size()};
  }
  /// Keeps a buffer as long as the link lives. Thread-safe.
  llvm::ArrayRef<uint8_t> keep(llvm::SmallVector<char, 0> bytes) {
    std::lock_guard<std::mutex> lock(arenaMutex);
    keptBuffers.push_back(std::move(bytes));
    return llvm::ArrayRef(
        reinterpret_cast<const uint8_t *>(keptBuffers.back().data()),
        keptBuffers.back().size());
  }
  /// Live, defined entries in creation order.
  std::vector<Function *> entries();
  /// Also those that --kernels-used left out but that stay, because device code
  /// launches them: they get their memory all the same (spec: seams, 16).
  std::vector<Function *> kernels();

private:
  std::mutex arenaMutex;
  /// Of patched code and tables. Slabs of the usual 4 KB would be half empty
  /// where each holds one table of 2 KB.
  llvm::BumpPtrAllocatorImpl<llvm::MallocAllocator, 64 << 10, 4 << 10>
      byteArena;
  std::deque<llvm::SmallVector<char, 0>> keptBuffers;
#if LLVM_ADDRESS_SANITIZER_BUILD
  std::vector<std::unique_ptr<uint8_t[]>> blocks;
#endif
};

// Creating sections and symbols. Outputs.cpp.

/// A new section with its section symbol. `symbolLast`: the caller adds the
/// section symbol with addSectionSymbol() later.
OutputSection *createSection(Ctx &ctx, llvm::StringRef name, uint32_t type,
                             uint64_t flags, uint64_t align,
                             uint64_t entsize = 0, Function *owner = nullptr,
                             bool symbolLater = false);
void addSectionSymbol(Ctx &ctx, OutputSection &sec);
/// The section of that name that is shared by all inputs, created when missing;
/// its alignment becomes at least `align`.
OutputSection *getNamedSection(Ctx &ctx, llvm::StringRef name, uint32_t type,
                               uint64_t flags, uint64_t align,
                               uint64_t entsize = 0);
OutputSection *findNamedSection(Ctx &ctx, llvm::StringRef name);
/// .nv.shared.<kernel>
OutputSection *createSharedSection(Ctx &ctx, Function &kernel);

/// From sm_100 on: functions whose code the finalizer knows by the name of an
/// alias that stands in front of them in the symbol table. DebugFrame.cpp.
llvm::DenseSet<Function *> findFunctionsKnownByAlias(const Ctx &ctx);

/// --preserve-relocs: where resolved relocations of `target` are listed.
/// ResolvedRelocations.cpp.
void createResolvedRelocationSection(Ctx &ctx, OutputSection &target);
/// Shared variables that are in a final link's symbol table for these
/// relocations only are marked there; the debugger sees them unmarked.
bool isKeptForRelocations(const Ctx &ctx, const Variable &v);

} // namespace lld::cuda

#endif
