//===- SymbolControl.h - Options that control symbols -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The class that carries out the options of ld.cuda that rename symbols or
/// make them local. Link.cpp calls read() before inputs are read,
/// InputFiles.cpp steps 1 and 2 when they are read, and Link.cpp step 3 before
/// the merge; Merge/LocalizeSymbols.cpp does step 4 after it. Symbols are
/// renamed in the objects, so that the merge resolves names as usual.
/// Relocations, call graph, prototypes and attributes follow, since they refer
/// to symbols by number. The steps are:
///
///  1. --rename-prefix, --wrap and --defsym rename symbols of objects.
///  2. --exclude-libs with a library's name: a symbol of the library that other
///     inputs define, too, gets a unique name in the library's objects. After
///     this step members of archives are chosen, by the new names.
///  3. --exclude-libs=ALL, --localize, --export and version scripts decide
///  which
///     symbols are local in the output.
///  4. After the merge localizeSymbols() makes these symbols local.
///
/// Symbols that host code finds by name are never changed: kernels, and
/// variables that host code refers to. Neither are symbols that the driver
/// knows, and extern arrays in shared memory, which all functions share.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_SYMBOLCONTROL_H
#define LLD_CUDA_INPUT_SYMBOLCONTROL_H

#include "Input/InputFiles.h"
#include "Input/NamePatterns.h"
#include "Input/SymbolPatterns.h"
#include "Inputs.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace lld::cuda {

/// For variables in shared memory, the kernel of the same object in whose
/// section, .nv.shared.K, they are.
class KernelsOfSections {
public:
  explicit KernelsOfSections(const CubinFile &cubin) : cubin(cubin) {}

  /// Returns the index of the kernel's symbol, or 0 if the symbol isn't in the
  /// shared memory of a kernel.
  unsigned find(unsigned symbol);

  const CubinFile &cubin;

private:
  /// Kernels by name. Filled by the first call of find().
  std::optional<llvm::DenseMap<llvm::StringRef, unsigned>> byName;
};

/// The options on symbols of one link. Exists only if there are any.
class SymbolControl {
public:
  explicit SymbolControl(Inputs &inputs) : inputs(inputs) {}

  /// Reads the options. Returns false, with the error reported, if one is
  /// invalid.
  bool read();
  void rename();        ///< Step 1.
  void separateNamed(); ///< Step 2.
  /// Reports an error for bitcode and LTO IR, in which names can't be changed.
  /// Called when members of archives have been chosen.
  void refuseBitcode();
  /// Step 3, once it is known which objects are linked.
  void separate();

  /// Returns whether step 3 has made the name local. LocalizeSymbols.cpp asks.
  bool isLocal(llvm::StringRef name) const {
    return local.contains(llvm::CachedHashStringRef(name));
  }

  /// An option, or a part of its value, that has matched nothing.
  struct Unused {
    SymbolOperation operation;
    llvm::StringRef value;
  };
  /// Returns what has matched nothing, for warnings. Called after the merge.
  std::vector<Unused> findUnused() const;

private:
  /// A --rename-prefix option.
  struct PrefixRule {
    /// What is put before names, and the option's value, for messages.
    llvm::StringRef prefix, written;
    /// The inputs that it names. If there are none, it applies to all inputs.
    llvm::SmallVector<llvm::StringRef, 0> files;
    llvm::DenseSet<llvm::CachedHashStringRef> names; ///< What these define.
    bool appliesTo(const InputFile &file) const;
  };
  /// What --wrap or --defsym does with one name.
  struct Redirection {
    llvm::StringRef to;
    /// The option's value, for the warning that it is unused. If it is empty,
    /// there is no such warning.
    llvm::StringRef written;
    bool isUsed = false;
  };
  /// A pattern of --localize, --export or a version script.
  struct VisibilityRule {
    SymbolPattern pattern;
    NameForm form;
    bool isGlobal;
    SymbolOperation operation;
    bool isUsed = false;
  };
  struct Library {
    llvm::StringRef name; ///< As it is in the value of --exclude-libs.
    bool isUsed = false;
  };
  /// Which of the linked inputs define a name.
  struct Definers {
    bool isKept = false;    ///< It can't be renamed or made local.
    llvm::StringRef why;    ///< The reason, for messages.
    bool isForHost = false; ///< The reason is that host code refers to it.
    bool isCommon = false;  ///< In one of them it is common.
    /// The inputs that define it: indices in `scopes` of excluded libraries,
    /// and NoScope for all other inputs.
    llvm::SmallVector<unsigned, 1> places, strongPlaces;
  };
  static constexpr unsigned NoScope = ~0u;
  /// An excluded library among the inputs.
  struct Scope {
    const InputFile *file = nullptr;
    bool isNamed = false; ///< It was excluded by its name, not by ALL.
    std::string suffix;   ///< What names get that are unique to it.
    /// The new names in its objects.
    llvm::DenseMap<llvm::CachedHashStringRef, llvm::StringRef> renamed;
  };

  // SymbolControl.cpp
  bool error(const SymbolOption &option, const llvm::Twine &what);
  bool readOption(const SymbolOption &option);
  bool addWrap(const SymbolOption &option);
  bool addDefsym(const SymbolOption &option);
  bool addPrefix(const SymbolOption &option);
  bool addLibraries(const SymbolOption &option);
  bool addScript(const SymbolOption &option);
  llvm::Error addRule(SymbolOperation operation, llvm::StringRef text,
                      bool isGlobal, bool isExact, NameForm form);
  bool checkCycles();
  void collectHostNames();
  void collectPrefixed(PrefixRule &rule);
  bool isPrefixed(const InputUnit &unit, KernelsOfSections &kernels,
                  unsigned symbol) const;
  llvm::StringRef nameFor(const InputFile &file, llvm::StringRef name,
                          bool isDefined);
  llvm::StringRef follow(llvm::StringRef name);
  bool isForHost(const InputUnit &unit, llvm::StringRef name) const;
  void renameIn(LoadedCubin &cubin,
                llvm::function_ref<llvm::StringRef(llvm::StringRef, bool)> fn);

  // SymbolScopes.cpp
  void findScopes();
  unsigned scopeOf(const InputFile &file) const;
  void collectDefiners(const InputUnit &unit, const LoadedCubin &cubin,
                       unsigned scope);
  llvm::StringRef whyKept(const InputUnit &unit, KernelsOfSections &kernels,
                          unsigned symbol) const;
  void warnShared(llvm::StringRef name, const Definers &definers);
  void decide(llvm::StringRef name, const Definers &definers);
  void hide(llvm::StringRef name, const Definers &definers);
  void makeOwn(llvm::StringRef name, const Definers &definers,
               llvm::function_ref<bool(unsigned)> isOwn);
  void collectAll(llvm::function_ref<bool(const InputUnit &)> takes);
  void renameOwn();
  void makeLocal(llvm::StringRef name, const Definers &definers);
  llvm::StringRef ownName(llvm::StringRef name, unsigned scope);
  VisibilityRule *findRule(llvm::StringRef name);

  Inputs &inputs;
  std::vector<PrefixRule> prefixes;
  llvm::StringMap<Redirection> wraps, defsyms;
  std::vector<VisibilityRule> rules;
  llvm::StringMap<llvm::SmallVector<unsigned, 1>> exactRules;
  std::vector<unsigned> globRules;
  std::vector<Library> libraries;
  bool excludesAll = false;

  NamePatterns hostNames;
  std::vector<Scope> scopes;
  unsigned sharedWarnings = 0;
  llvm::MapVector<llvm::CachedHashStringRef, Definers> definers;
  /// Names that are local in the output.
  llvm::DenseSet<llvm::CachedHashStringRef> local;
};

/// Returns the name of an operation's option.
llvm::StringRef getOption(SymbolOperation operation);

/// Returns whether `name`, from the command line, means `file`: it is the
/// file's path, or the last components of the path.
bool isCalled(const InputFile &file, llvm::StringRef name);

/// Returns whether other objects may refer to a symbol and it can be renamed:
/// it is neither one that the driver knows nor an array that all functions
/// share.
bool isOrdinarySymbol(const CubinFile &cubin, unsigned symbol);

/// Returns whether the symbol is the definition of a kernel.
bool isKernelDefinition(const CubinFile &cubin, unsigned symbol);

} // namespace lld::cuda

#endif
