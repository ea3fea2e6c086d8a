//===- Program.h - Second stage: functions, variables, sections -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The second of a link's four stages (see Inputs.h): the functions, variables
/// and sections that the merge (Merge/) creates from the inputs. The analysis
/// and layout passes mark which of them stay and store addresses in them; the
/// passes that relocate and write the output read them. Orders of creation
/// decide the output's orders (rule [merge-passes] of docs/reference).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PROGRAM_H
#define LLD_CUDA_PROGRAM_H

#include "CallGraph.h"
#include "Inputs.h"
#include "Pool.h"
#include "Symbols.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <array>
#include <memory>
#include <vector>

namespace lld::cuda {

struct NativeCallees;
struct ObjectFile;

/// A shared variable in the list of module-level shared variables; a symbol
/// may stand in it twice [shared-list].
struct SharedListEntry {
  Variable *variable;
  uint64_t size;
  uint64_t align;
};

struct Program {
  Program();
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  Pool<ObjectFile> objects; ///< In merge order.

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
  /// Records of .nv.info, in reading order, for each view.
  std::array<std::vector<InfoRecord>, 2> globalInfoRecords;
  /// Ordinals of the functions before which CUDA 12 has a node without a name
  /// in the call graph [cuda12-nameless-symbols].
  std::vector<unsigned> namelessNodes;
  std::vector<Variable *> commons; ///< First appearance order.
  std::vector<SharedListEntry> sharedList;
  std::vector<Variable *> reservedShared; ///< Those in .nv.shared.reserved.0.
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
  CallGraph callGraph;

  // The output's fixed sections.
  OutputSection *shstrtab = nullptr, *strtab = nullptr, *symtab = nullptr,
                *symtabShndx = nullptr, *tkinfo = nullptr, *cuinfo = nullptr,
                *nvinfo = nullptr, *compat = nullptr, *debugShared = nullptr;

  /// Where a new symbol stands: weak ones first, or with the globals
  /// [symbol-order-weak].
  std::vector<Symbol *> &symbolList(const LinkRules &rules, uint8_t binding) {
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
};

// Creating sections and symbols. OutputSection.cpp.

/// A new section with its section symbol. `symbolLater`: the caller adds the
/// section symbol with addSectionSymbol() later.
OutputSection *createSection(const Inputs &inputs, Program &program,
                             elf::SectionKind kind, llvm::StringRef name,
                             Function *owner = nullptr,
                             bool symbolLater = false);
void addSectionSymbol(const Inputs &inputs, Program &program,
                      OutputSection &sec);
/// The only section of a kind with a fixed name, created when missing; its
/// alignment becomes at least `align`.
OutputSection *getNamedSection(const Inputs &inputs, Program &program,
                               elf::SectionKind kind, uint64_t align = 0);
/// The section of that name that is shared by all inputs, created when missing
/// with the header of an input's; its alignment becomes at least `align`.
OutputSection *getNamedSection(const Inputs &inputs, Program &program,
                               llvm::StringRef name, uint32_t type,
                               uint64_t flags, uint64_t align,
                               uint64_t entsize);
/// Return such a section, or null if there is none.
OutputSection *findNamedSection(const Program &program, elf::SectionKind kind);
OutputSection *findNamedSection(const Program &program, llvm::StringRef name);
/// .nv.shared.<kernel>, which mostly dies with the kernel.
OutputSection *createSharedSection(const Inputs &inputs, Program &program,
                                   Function &kernel);
OutputSection *createSharedSection(const Inputs &inputs, Program &program,
                                   llvm::StringRef name, Function *owner);
/// Returns the section .nv_debug.shared. Creates it if there is none.
OutputSection *getDebugShared(const Inputs &inputs, Program &program,
                              uint64_t align);

/// What an extern shared array is aligned to [shared-dynamic-alignment].
/// LayoutShared.cpp.
uint64_t getDynamicAlignment(const Inputs &inputs, const Variable &v);
/// What it adds to the alignment of all module-level variables.
uint64_t getDeclaredAlignment(const Inputs &inputs, const Variable &v);

/// From sm_100 on: functions whose code the finalizer knows by the name of an
/// alias that stands before them in the symbol table. DebugFrame.cpp.
llvm::DenseSet<Function *> findFunctionsKnownByAlias(const Inputs &inputs,
                                                     const Program &program);

/// --preserve-relocs: where resolved relocations of `target` are listed.
/// ResolvedRelocations.cpp.
void createResolvedRelocationSection(const Inputs &inputs, Program &program,
                                     OutputSection &target);
/// Shared variables that are in a final link's symbol table for these
/// relocations only are marked there; the debugger sees them unmarked.
bool isKeptForRelocations(const Inputs &inputs, const Variable &v);

} // namespace lld::cuda

#endif
