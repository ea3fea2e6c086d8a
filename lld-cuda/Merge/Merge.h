//===- Merge.h - Merging one object into the link ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The merge of one object (a cubin) into the Program. mergeFile() in Link.cpp
/// calls mergeObject() for each object in the order of the inputs, after inputs
/// are read and before memory is laid out, unless a MergeBatch takes the
/// object. An object is merged in passes over its tables: functions, variables,
/// contents, relocations, call graph, attributes. Their order, and within each
/// the order of the input's tables, decides the order in which sections and
/// symbols are created and with it every order in the output (rule
/// [merge-passes] of docs/reference).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MERGE_MERGE_H
#define LLD_CUDA_MERGE_MERGE_H

#include "Input/ObjectFile.h"
#include "Program.h"
#include "lld-cuda/BinaryFormat/NvInfo.h"
#include "llvm/ADT/SmallBitVector.h"

namespace lld::cuda {

struct LoadedCubin;
struct VariableFacts;

/// Returns whether a section has contents of its own that a link carries over
/// [section-written]. `textOwner` is that of the object's facts.
/// MergeSections.cpp.
bool isContent(const Inputs &inputs, const CubinFile &file,
               llvm::ArrayRef<uint32_t> textOwner, unsigned section);
/// Returns the output section for all input sections with that name and header,
/// if it exists and they can be added to it; else null. MergeSections.cpp.
OutputSection *findCommonSection(const Program &program, llvm::StringRef name,
                                 const Elf_Shdr &shdr);

/// What the merge carries from one object to the next. One for each link.
struct MergeState {
  uint32_t relocationSequence = 0; ///< Groups of relocations read so far.
  uint32_t infoSequence = 0;       ///< Attributes read so far.
  /// With -r, where each edge of the call graph is written once: the edges of
  /// the objects so far.
  llvm::DenseSet<std::pair<Function *, Function *>> knownCalls, knownTakes;
  /// The register counts of the current object's REGCOUNT records, indexed by
  /// symbol; empty if nobody asks for them. It is here so that its
  /// memory is reused.
  std::vector<uint32_t> registerCounts;
  /// The sum of the sizes and alignments, in bytes, of all memory without
  /// contents in the inputs; below MaxMemory.
  uint64_t memoryTotal = 0;
  /// The generations of tcgen05 code in the objects so far, which can't be
  /// mixed: bit 0 for CUDA 12, bit 1 for CUDA 13.
  uint8_t fragmentGenerations = 0;
};

/// The merge of one object. mergeObject() creates one and calls run(). The
/// private functions are grouped by the file that defines and explains them.
class Merger {
public:
  /// `registerCounts` has the object's register counts, indexed by symbol. All
  /// arguments must outlive the Merger.
  Merger(const Inputs &inputs, Program &program, MergeState &state,
         ObjectFile &obj, llvm::ArrayRef<uint32_t> registerCounts)
      : Merger(inputs, program, state, obj, registerCounts, program) {}

  void run();

  // The merge of a plain object in two parts (MergeBatch.h).
  /// Does what the list of the object's decisions says. `functions` and
  /// `variables` are what is known of those in the list: of functions their
  /// entries in Program::named, empty where the object is the first to mention
  /// the function, or null for local ones.
  void decide(const Decisions &decisions, llvm::ArrayRef<Symbol **> functions,
              llvm::ArrayRef<Symbol *> variables);
  /// Does everything else, and adds to `made` what it creates. May be called in
  /// another thread than decide(), at the same time as for other objects.
  /// The sequence numbers are those of MergeState where the object begins.
  static void follow(const Inputs &inputs, Program &program, ObjectFile &obj,
                     uint32_t relocationSequence, uint32_t infoSequence,
                     Creations &made);

private:
  Merger(const Inputs &inputs, Program &program, MergeState &state,
         ObjectFile &obj, llvm::ArrayRef<uint32_t> registerCounts,
         Creations &made)
      : inputs(inputs), program(program), made(made), state(state), obj(obj),
        file(obj.file), registerCounts(registerCounts) {}

  // MergeBatch.cpp
  void decideFunctions(llvm::ArrayRef<Decisions::Name> rows,
                       llvm::ArrayRef<Symbol **> known);
  void decideSection(const Decisions::SharedSection &row);
  void createDefinitions();
  void createConstants();
  void createInfoAndRelocations();
  void addRecords();

  // MergeFunctions.cpp
  void mergeFunctions();
  void mergeFunction(unsigned symbolIndex);
  void addNamelessSymbol(const Function &f);
  void addNativeCallee(unsigned i);
  void addInnerFunction(unsigned owner, unsigned symbolIndex);
  bool isInnerFunction(unsigned symbolIndex) const;
  /// Returns the symbol index of the function whose section also contains
  /// symbol `symbolIndex`, an inner function or alias; 0 if there is none.
  uint32_t otherOwner(unsigned symbolIndex) const;
  void defineFunction(Function &f, unsigned symbolIndex);
  void takeDefinition(Function &f, unsigned symbolIndex);
  void createCode(Function &f, unsigned symbolIndex);
  Function &makeFunction(unsigned symbolIndex);
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
  static void markIfNamedAfter(OutputSection &sec, llvm::StringRef prefix,
                               const Function &f);
  void resolveAliases();

  // MergeVariables.cpp
  void mergeVariables();
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
  bool isContent(unsigned section) const {
    return lld::cuda::isContent(inputs, file, obj.textOwner, section);
  }
  OutputSection *getCommonSection(unsigned section, uint64_t flags);
  /// `isNamed` is false for literals of which no symbol is in the link.
  SectionPlacement contribute(unsigned section, bool isNamed = true);
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
  void noteTableLink(unsigned section);
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
  template <typename Keep, typename Change>
  llvm::Error readInfo(llvm::ArrayRef<uint8_t> contents, View view, Function *f,
                       Keep keep, Change change);
  llvm::Error readRecords(llvm::ArrayRef<uint8_t> &contents, uint32_t &count,
                          View view, Function *f);
  llvm::Error mergeRecords(unsigned section, View view, Function *f);
  void mergeInfo(unsigned section);
  void internPrototype(llvm::StringRef prototype);

  const Elf_Sym &sym(unsigned i) const { return file.symtab().symbols[i]; }
  llvm::StringRef symName(unsigned i) const {
    return file.symtab().name(sym(i));
  }
  llvm::StringRef labelOf(unsigned ordinal) const {
    return program.objects[ordinal].label;
  }
  /// Set and test a bit for a symbol of this object. Bits get their memory when
  /// the first is set, since most objects set none.
  void set(llvm::SmallBitVector &bits, unsigned symbol) const {
    if (bits.empty())
      bits.resize(file.symtab().symbols.size());
    bits.set(symbol);
  }
  static bool test(const llvm::SmallBitVector &bits, unsigned symbol) {
    return symbol < bits.size() && bits.test(symbol);
  }
  void fatal(unsigned section, llvm::Error e);
  void reportMergeFailure();
  void multipleDefinition(const Symbol &existing, unsigned i);

  bool fragmentsReported = false;
  /// The object's symbols in the order into which nvlink 13.5 sorts them before
  /// it misreads symbol numbers in some records. Empty under other rules.
  std::vector<uint32_t> sortedSymbols;
  /// How many literals of compilers this object has had so far.
  unsigned literalCount = 0;
  /// The first section of each name among those of relocations and records.
  llvm::DenseMap<llvm::CachedHashStringRef, uint32_t> firstOfName;
  const Inputs &inputs;
  Program &program;
  Creations &made; ///< Where sections of functions are created.
  MergeState &state;
  ObjectFile &obj;
  const CubinFile &file;
  llvm::ArrayRef<uint32_t> registerCounts;
  bool hasNamelessNode = false;
  /// The symbols, by index, whose definitions in this object were rejected
  /// because an earlier object has a strong one.
  llvm::SmallBitVector lostToStrong;
  /// The symbols, by index, of weak functions of which an earlier object has a
  /// weak definition, too. Either may have been rejected.
  llvm::SmallBitVector metWeak;
  /// The aliases of this object, with the symbol index of the function that
  /// each names. Resolved when all functions are known.
  llvm::SmallVector<std::pair<Function *, uint32_t>, 0> pendingAliases;
  /// The sections of shared memory without variables whose kernels
  /// --kernels-used leaves out.
  llvm::SmallVector<uint32_t, 0> prunedShared;
};

/// Returns whether the name of a symbol in Program::named can be marked
/// (Symbol::hasUniqueName): names of sections begin with a dot.
inline bool canBeUniqueName(llvm::StringRef name) {
  return !name.empty() && name.front() != '.';
}

/// Compilers begin symbol tables with what all objects name, __UFT and the
/// like. What the object before has under the same number needs no look-up:
/// returns the variable that symbol `i` of a file means by that, or null.
/// `before` has the symbols of the object before. MergeVariables.cpp.
Symbol *findAsBefore(llvm::ArrayRef<Symbol *> before, const CubinFile &file,
                     unsigned i);
/// Returns whether a symbol of an input only says that there is a variable
/// which is known. MergeVariables.cpp.
bool saysNothingNew(const Elf_Sym &in, const Symbol &existing);

/// Creates the fixed sections with which every output begins.
void createFixedSections(const Inputs &inputs, Program &program);

/// Merges one object into the link. Errors are reported; after an object with
/// errors the fatal error "merge_elf failed" ends the link.
void mergeObject(const Inputs &inputs, Program &program, MergeState &state,
                 const LoadedCubin &cubin);

/// Returns false, with an error reported, if the object has unified functions
/// or variables in a final link, which can't place them. UnifiedTables.cpp.
bool checkUnifiedSymbols(const Inputs &inputs, const ObjectFile &obj);
/// Returns whether a system library (libcudadevrt) is needed: an undefined
/// function is none of those that the driver provides [device-runtime].
bool needsSystemLibrary(const Inputs &inputs, const Program &program);

/// Returns whether a name that begins with "__U" is one of the symbols of
/// unified tables, __UFT* or __UDT*. They are undefined in every object, and
/// have no meaning without such tables.
bool isListedUnifiedTableName(llvm::StringRef name);
/// Returns whether a name of any form is one of these. Most names are ruled out
/// by their first letters.
inline bool isUnifiedTableName(llvm::StringRef name) {
  return name.starts_with("__U") && isListedUnifiedTableName(name);
}

/// Returns whether a weak name is reserved and becomes GLOBAL
/// [reserved-weak-names].
bool isReservedWeakName(llvm::StringRef name);

} // namespace lld::cuda

#endif
