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
/// decide the output's orders (rule [merge-passes] of docs/reference). Ctx owns
/// it; it lives until the outputs are written. Words in brackets below are
/// rules of docs/reference, too.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PROGRAM_H
#define LLD_CUDA_PROGRAM_H

#include "CallGraph.h"
#include "NameHash.h"
#include "Pool.h"
#include "Rules/LinkRules.h"
#include "Symbols.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace lld::cuda {

struct Inputs;
struct NativeCallees;
struct ObjectFile;

/// An entry of the list of module-level shared variables, by which
/// LayoutShared.cpp places them. A variable may have two entries [shared-list].
struct SharedListEntry {
  Variable *variable;
  uint64_t size;
  uint64_t align;
};

/// Sections and local symbols in the order of their creation. Owns the
/// sections; section symbols are in the memory of the link.
struct Creations {
  Pool<OutputSection> sectionStorage;
  /// All sections but twins (Twins.h).
  std::vector<OutputSection *> sections;
  /// The symbols that the output's table lists first: local ones and, under
  /// some releases' rules, weak ones.
  std::vector<Symbol *> locals;
};

/// Owns functions, variables, objects and sections; pointers to them stay valid
/// as long as it lives. Other symbols are in the memory of the link.
struct Program : Creations {
  Program();
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  Pool<ObjectFile> objects; ///< In merge order.

  std::vector<Symbol *> globals; ///< The symbols that follow `locals`.
  /// What was created apart, in other threads (Merge/MergeBatch.h): their lists
  /// are empty now, since all sections and symbols are in those of the program.
  Pool<Creations> parts;
  size_t objectsInBatches = 0; ///< How many objects were merged so.
  Pool<Function> functions;    ///< In the order of their creation.
  Pool<Variable> variables;
  /// The functions and variables that aren't local, by name.
  llvm::DenseMap<llvm::CachedHashStringRef, Symbol *> named;
  /// The sections that getNamedSection() has made.
  llvm::DenseMap<llvm::CachedHashStringRef, OutputSection *> sectionsByName;
  /// The prototypes of functions and indirect calls, in the order in which they
  /// were read, with their offsets in .strtab.
  llvm::MapVector<llvm::CachedHashStringRef, uint32_t> prototypeStrings;
  /// The records of .nv.info, in the order in which they were read, indexed by
  /// View.
  std::array<InfoRecords, 2> globalInfoRecords;
  /// Indices of the functions before which releases of CUDA 12 have a node
  /// without a name in the call graph [cuda12-nameless-symbols].
  std::vector<unsigned> namelessNodes;
  std::vector<Variable *> commons; ///< In the order in which they were read.
  std::vector<SharedListEntry> sharedList;
  /// The variables in .nv.shared.reserved.0, memory of the system.
  std::vector<Variable *> reservedShared;
  // Texture, sampler and surface references, in the order in which they were
  // read.
  std::vector<Variable *> textures, samplers, surfaces;
  std::vector<Variable *> constantSizeSymbols; ///< .nv.ptx.const0.size
  /// Entries of the tables of unified functions and variables in the output,
  /// with the symbols whose numbers finishUnifiedTables() writes into them.
  std::vector<std::pair<uint8_t *, Symbol *>> unifiedEntries;
  /// What sh_link of .nv.uft.entry and .nv.udt.entry says under rules that
  /// don't name the symbol table [unified-table-link], if an object has such a
  /// table.
  std::optional<uint32_t> functionTableLink, variableTableLink;
  /// The lists of --preserve-relocs by their names, and those of further local
  /// functions of one name with the list of the first, which they are added to.
  llvm::DenseMap<llvm::CachedHashStringRef, OutputSection *> resolvedLists;
  std::vector<std::pair<OutputSection *, OutputSection *>> addedLists;
  const std::unique_ptr<NativeCallees> nativeCallees;
  bool anyDynamicShared = false;   ///< An object has an extern shared array.
  bool purgesDebugEntries = false; ///< A function has debugPurgedBefore set.
  /// Some of `globalInfoRecords` may describe definitions that another one has
  /// replaced.
  bool mayHaveOutdatedRecords = false;
  /// Sections are Companion::Created: placeCompanions() has something to do.
  bool hasUnplacedCompanions = false;
  /// The final link removes kernels, because options or the references of host
  /// code say which are used.
  bool prunesKernels = false;
  /// The value of symbol 0, which nvlink leaves other than 0 by accident
  /// [null-symbol-value].
  uint64_t nullSymbolValue = 0;
  CallGraph callGraph;

  // The sections that every output begins with, or that have one place in it.
  OutputSection *shstrtab = nullptr, *strtab = nullptr, *symtab = nullptr,
                *symtabShndx = nullptr, *tkinfo = nullptr, *cuinfo = nullptr,
                *nvinfo = nullptr, *compat = nullptr, *debugShared = nullptr;

  /// Returns the list to which a new symbol is added, by its binding
  /// [symbol-order-weak].
  std::vector<Symbol *> &symbolList(const LinkRules &rules, uint8_t binding) {
    const bool isInFront =
        binding == elf::STB_LOCAL ||
        (binding == elf::STB_WEAK && !rules.weakStandsWithGlobals());
    return isInFront ? locals : globals;
  }
  /// Returns the kernels that are counted (Function::isCounted), reachable and
  /// defined, in the order of their creation.
  std::vector<Function *> countedKernels();
  /// Returns all kernels that are reachable and defined: also those that
  /// --kernels-used leaves out but that device code launches, and that get
  /// memory like the others [kernels-used].
  std::vector<Function *> kernels();
  /// Returns whether there is a variable in shared memory whose place is the
  /// layout's matter.
  bool hasSharedVariables() const;
};

// Functions of OutputSection.cpp that create sections and symbols. The merge
// and the layout passes call them. Sections belong to the Program; names must
// live as long as the link.

/// Creates a section, and its section symbol unless `symbolLater` is set: then
/// the caller calls addSectionSymbol() later. `owner` is the function with
/// which the section is removed, or null.
OutputSection *createSection(const Inputs &inputs, Creations &made,
                             elf::SectionKind kind, llvm::StringRef name,
                             Function *owner = nullptr,
                             bool symbolLater = false);
void addSectionSymbol(const Inputs &inputs, Creations &made,
                      OutputSection &sec);
/// Returns a new symbol of a section. It isn't in Creations::locals yet.
Symbol *makeSectionSymbol(const Inputs &inputs, OutputSection &sec);
/// Marks the name of a section as one that no other marked section has
/// (Output/OutputStrings.h). It must be one of the prefixes in OutputOrder.cpp
/// with the marked name of a function that refers to the section, directly or
/// by its code.
void markUniqueName(OutputSection &sec);
/// Returns the only section of a kind with a fixed name. Creates it if there is
/// none, and raises its alignment to `align`.
OutputSection *getNamedSection(const Inputs &inputs, Program &program,
                               elf::SectionKind kind, uint64_t align = 0);
/// Returns the section into which the sections of that name of all inputs go.
/// Creates it, with the given header, if there is none, and raises its
/// alignment to `align`.
OutputSection *getNamedSection(const Inputs &inputs, Program &program,
                               llvm::StringRef name, uint32_t type,
                               uint64_t flags, uint64_t align,
                               uint64_t entsize);
/// Return the section that getNamedSection() would return, or null if there is
/// none.
OutputSection *findNamedSection(const Program &program, elf::SectionKind kind);
OutputSection *findNamedSection(const Program &program, llvm::StringRef name);
/// Creates .nv.shared.<kernel>, which is removed with the kernel.
OutputSection *createSharedSection(const Inputs &inputs, Creations &made,
                                   Function &kernel);
/// Creates a section of shared memory with that name. `owner` may be null.
OutputSection *createSharedSection(const Inputs &inputs, Creations &made,
                                   llvm::StringRef name, Function *owner);
/// Returns the section .nv_debug.shared. Creates it if there is none.
OutputSection *getDebugShared(const Inputs &inputs, Program &program,
                              uint64_t align);

/// Returns the alignment of an extern shared array, in bytes
/// [shared-dynamic-alignment]. LayoutShared.cpp.
uint64_t getDynamicAlignment(const Inputs &inputs, const Variable &v);
/// Returns the alignment that an extern shared array requires of all
/// module-level variables together; 1 if none. LayoutShared.cpp.
uint64_t getDeclaredAlignment(const Inputs &inputs, const Variable &v);

/// From sm_100 on: returns the functions whose code NVIDIA's finalizer knows by
/// the name of an alias, because that precedes them in the symbol table.
/// DebugFrame.cpp.
llvm::DenseSet<Function *> findFunctionsKnownByAlias(const Inputs &inputs,
                                                     const Program &program);

/// Creates the section in which --preserve-relocs lists the resolved
/// relocations of `target`. ResolvedRelocations.cpp.
void createResolvedRelocationSection(const Inputs &inputs, Program &program,
                                     OutputSection &target);
/// Adds the lists of functions that have the name of an earlier one to its
/// list. Called when they are complete. ResolvedRelocations.cpp.
void joinResolvedLists(const Inputs &inputs, Program &program);
/// Returns whether a shared variable is in a final link's symbol table only
/// because such a list refers to it. Its symbol is marked then.
/// ResolvedRelocations.cpp.
bool isKeptForRelocations(const Inputs &inputs, const Variable &v);

} // namespace lld::cuda

#endif
