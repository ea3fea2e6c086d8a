//===- Merge.h - Merging one object into the link ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The merge of one object (a cubin) into the Program. mergeFile() in Link.cpp
/// calls mergeObject() for each object in the order of the inputs, after inputs
/// are read and before memory is laid out. An object is merged in passes over
/// its tables: functions, variables, contents, relocations, call graph,
/// attributes. Their order, and within each the order of the input's tables,
/// decides the order in which sections and symbols are created and with it
/// every order in the output (rule [merge-passes] of docs/reference).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MERGE_MERGE_H
#define LLD_CUDA_MERGE_MERGE_H

#include "Input/ObjectFile.h"
#include "Program.h"
#include "llvm/ADT/SmallBitVector.h"
#include <array>

namespace lld::cuda {

struct LoadedCubin;
struct VariableFacts;

/// What the merge carries from one object to the next.
struct MergeState {
  uint32_t relocationSequence = 0; ///< Groups of relocations so far.
  uint32_t infoSequence = 0;       ///< Attributes so far.
  /// -r writes every edge of the call graph once: those already known.
  llvm::DenseSet<std::pair<Function *, Function *>> knownCalls, knownTakes;
  /// Notes that were right: the last ones of a toolkit and others. Objects of
  /// one compiler have the same.
  std::array<llvm::ArrayRef<uint8_t>, 2> checkedNotes;
  /// By symbol index of the current object: registers that its records tell.
  /// Kept for its memory.
  std::vector<uint32_t> registerCounts;
  /// Sizes and alignments of all memory without contents that inputs ask for.
  uint64_t memoryTotal = 0;
  /// Bit 0: fragments of tensor memory code of 12.x; bit 1: of 13.0.
  uint8_t fragmentGenerations = 0;
};

class Merger {
public:
  /// `registerCounts`: by symbol index, from REGCOUNT records.
  Merger(const Inputs &inputs, Program &program, MergeState &state,
         ObjectFile &obj, llvm::ArrayRef<uint32_t> registerCounts)
      : inputs(inputs), program(program), state(state), obj(obj),
        file(obj.file), registerCounts(registerCounts) {}

  void run();

private:
  // MergeFunctions.cpp
  void mergeFunctions();
  void mergeFunction(unsigned symbolIndex);
  void addNamelessSymbol(const Function &f);
  void addNativeCallee(unsigned i);
  void addInnerFunction(unsigned owner, unsigned symbolIndex);
  bool isInnerFunction(unsigned symbolIndex) const;
  /// The function whose section the symbol stands in; 0 if that is itself.
  uint32_t otherOwner(unsigned symbolIndex) const;
  void defineFunction(Function &f, unsigned symbolIndex);
  Function &createFunction(unsigned symbolIndex);
  bool checkMention(const Symbol &existing, unsigned symbolIndex);
  void reportNotDeclaredGlobal(unsigned symbolIndex);
  static bool isDefinedForErrors(const Symbol &s);
  void redefineFunction(Function &f, unsigned symbolIndex);
  void replaceFunction(Function &f, unsigned symbolIndex);
  uint32_t registerCount(unsigned symbolIndex) const;
  uint32_t headerRegisters(unsigned symbolIndex) const;
  void setMercuryText(Function &f, unsigned symbolIndex);
  void createInfoSection(Function &f, llvm::StringRef name);
  void resolveAliases();

  // MergeVariables.cpp
  void mergeVariables();
  Symbol *findAsBefore(unsigned i, llvm::StringRef name) const;
  void mergeVariable(unsigned i);
  void renameLiteral(Variable &v);
  void addLocalVariable(unsigned symbolIndex);
  void addVariable(unsigned symbolIndex, llvm::StringRef name, Symbol *&slot);
  void resolveVariable(Variable &v, unsigned symbolIndex);
  VariableFacts factsOfInput(unsigned symbolIndex) const;
  void checkManaged(const Symbol &existing, unsigned symbolIndex);
  void reportSizes(const Symbol &v, unsigned symbolIndex);
  void reportCommonIsLarger(const Variable &v);
  void reportOtherSpace(const Symbol &existing, unsigned symbolIndex);
  void makeCommon(Variable &v, const Elf_Sym &sym);
  void addCommonPlace(Variable &v, const Elf_Sym &sym);
  void defineVariable(Variable &v, unsigned symbolIndex);
  void defineShared(Variable &v, unsigned symbolIndex);
  bool takeSharedAlignment(Variable &v, const Elf_Sym &sym);
  void defineReservedShared(Variable &v, unsigned symbolIndex);
  void place(Variable &v, const Elf_Sym &sym,
             const SectionPlacement &placement);

  // MergeSections.cpp
  void mergeContents();
  bool isContent(unsigned section) const;
  OutputSection *getCommonSection(unsigned section, uint64_t flags);
  SectionPlacement contribute(unsigned section);
  void contributeTwin(unsigned section, OutputSection &native);
  bool isParameterBank(unsigned section) const;
  void setParameterBank(unsigned section);
  OutputSection *getConstantSection(Function &f, unsigned section, bool lost);
  bool keepsParameters(unsigned section) const;
  bool sharesParameters(unsigned section) const;
  void keepSharedSize(unsigned section);
  void namePrunedShared();
  void noteSharedSection(unsigned section);
  void mergeRelocations();
  void mergeRelocationSection(unsigned section);
  OutputSection *getRelocationSection(OutputSection &target, uint32_t type);

  // SameNamedFunctions.cpp
  uint32_t getFirstOfName(unsigned section);
  bool moveRelocations(unsigned section, unsigned first);

  // UnifiedTables.cpp
  void mergeUnifiedTable(unsigned section);
  uint8_t otherOf(const Symbol &first, unsigned i, uint8_t unified) const;

  // MergeMetadata.cpp
  void mergeCallGraph(unsigned section);
  void mergePrototypes(unsigned section);
  bool isReplaced(const Function &f, uint32_t symbol) const;
  void setPrototype(Function &f, llvm::StringRef prototype);
  void checkFragments(const NvInfoRecord &record);
  void sortMisreadSymbols();
  std::optional<NvInfoRecord> misread(const NvInfoRecord &record) const;
  llvm::Error checkSymbols(size_t offset, const NvInfoRecord &record, View view,
                           bool &isKept) const;
  template <typename Take, typename Pass>
  llvm::Error readInfo(llvm::ArrayRef<uint8_t> contents, View view, Function *f,
                       Take take, Pass pass);
  llvm::Error mergeGlobalInfo(llvm::ArrayRef<uint8_t> contents, View view);
  llvm::Error mergeFunctionInfo(llvm::ArrayRef<uint8_t> contents, View view,
                                Function &f);
  void mergeInfo(unsigned section);
  void internPrototype(llvm::StringRef prototype);

  const Elf_Sym &sym(unsigned i) const { return file.symtab().symbols[i]; }
  llvm::StringRef symName(unsigned i) const {
    return file.symtab().name(sym(i));
  }
  llvm::StringRef labelOf(unsigned ordinal) const {
    return program.objects[ordinal].label;
  }
  void fatal(unsigned section, llvm::Error e);
  void multipleDefinition(const Symbol &existing, unsigned i);

  bool fragmentsReported = false;
  /// By place, the numbers of symbols as nvlink 13.5 sorts them. Empty: as they
  /// are.
  std::vector<uint32_t> sortedSymbols;
  unsigned literalCount =
      0; ///< How many compiler constants this object has had so far.
  /// Sections of relocations and of records by name, the first of each.
  llvm::DenseMap<llvm::CachedHashStringRef, uint32_t> firstOfName;
  const Inputs &inputs;
  Program &program;
  MergeState &state;
  ObjectFile &obj;
  const CubinFile &file;
  llvm::ArrayRef<uint32_t> registerCounts;
  bool hasNamelessNode = false;
  /// Bit i: the object's definition of symbol i lost, and is weak next to a
  /// strong one.
  llvm::SmallBitVector lostToStrong;
  /// Weak function symbols that met an earlier weak definition, whoever won.
  llvm::SmallBitVector metWeak;
  /// Aliases defined here, until the functions they name are all known.
  llvm::SmallVector<std::pair<Function *, uint32_t>, 0> pendingAliases;
  /// Shared memory without variables, of kernels that --kernels-used left out.
  llvm::SmallVector<uint32_t, 0> prunedShared;
};

/// Returns whether a native section describes code for a debugger.
bool isDebugSection(llvm::StringRef name);

/// Creates the fixed sections with which every output begins.
void createFixedSections(const Inputs &inputs, Program &program);

/// Merges one object into the link. Errors are reported; after an object with
/// errors the fatal error "merge_elf failed" ends the link.
void mergeObject(const Inputs &inputs, Program &program, MergeState &state,
                 const LoadedCubin &cubin);

// UnifiedTables.cpp
/// A final link can't place unified symbols.
bool checkUnifiedSymbols(const Inputs &inputs, const ObjectFile &obj);
/// What is wrong with a table's entries.
llvm::Error checkUnifiedTable(const CubinFile &file, unsigned section);

/// Returns false, with the error reported, for an object on which the merge
/// can't rely. CheckObject.cpp.
bool checkObject(const Inputs &inputs, MergeState &state,
                 const ObjectFile &obj);

/// Returns whether a system library is needed: a function is undefined that
/// may not stay so [device-runtime].
bool needsSystemLibrary(const Inputs &inputs, const Program &program);

/// __UFT*, __UDT*: undefined in every object, meaningless without unified
/// tables.
bool isListedUnifiedTableName(llvm::StringRef name);
inline bool isUnifiedTableName(llvm::StringRef name) {
  return name.starts_with("__U") && isListedUnifiedTableName(name);
}

/// Returns whether a weak name is reserved and becomes GLOBAL
/// [reserved-weak-names].
bool isReservedWeakName(llvm::StringRef name);

} // namespace lld::cuda

#endif
