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
///  1. --rename-prefix, --wrap, --defsym: names in each object.
///  2. --exclude-libs with a library's name: what others define, too, gets a
///     name of its own in the library's objects. Then members of archives are
///     chosen, which names decide.
///  3. --exclude-libs=ALL, --localize, --export, version scripts: which symbols
///     are local in the output.
///  4. After the merge these become local: localizeSymbols().
///
/// Symbols that host code finds by name stay as they are: kernels, and
/// variables that host code refers to. So do those that the driver knows, and
/// arrays in shared memory that all functions have in common.
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
  /// Steps 1 and 2.
  void rename();
  void separateNamed();
  /// Reports an error for bitcode and LTO IR, in which names can't be changed.
  /// Called when members of archives have been chosen.
  void refuseBitcode();
  /// Step 3, once it is known which objects are linked.
  void separate();

  bool isLocal(llvm::StringRef name) const {
    return local.contains(llvm::CachedHashStringRef(name));
  }

  /// An option, or a part of one, that has matched nothing.
  struct Unused {
    SymbolOperation operation;
    llvm::StringRef value;
  };
  std::vector<Unused> findUnused() const;

private:
  struct PrefixRule {
    llvm::StringRef prefix, written;
    llvm::SmallVector<llvm::StringRef, 0> files;     ///< None: all inputs.
    llvm::DenseSet<llvm::CachedHashStringRef> names; ///< What they define.
    bool appliesTo(const InputFile &file) const;
  };
  struct Redirection {
    llvm::StringRef to;
    llvm::StringRef written; ///< In the option; empty: not to be told.
    bool isUsed = false;
  };
  struct VisibilityRule {
    SymbolPattern pattern;
    NameForm form;
    bool isGlobal;
    SymbolOperation operation;
    bool isUsed = false;
  };
  struct Library {
    llvm::StringRef name; ///< As --exclude-libs has it.
    bool isUsed = false;
  };
  /// Where a name is defined, of the objects that are linked.
  struct Definers {
    bool isKept = false;    ///< It can't be anybody's own,
    llvm::StringRef why;    ///< which is told like this.
    bool isForHost = false; ///< That is the reason.
    bool isCommon = false;  ///< Somewhere without a place.
    /// The excluded libraries that define it, NoScope for all others.
    llvm::SmallVector<unsigned, 1> places, strongPlaces;
  };
  static constexpr unsigned NoScope = ~0u;
  /// An excluded library among the inputs.
  struct Scope {
    const InputFile *file = nullptr;
    bool isNamed = false; ///< Not by ALL.
    std::string suffix;
    /// Names in its objects that are others there.
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

/// Returns whether `name` of the command line means `file`: it is the file's
/// path, or the last components of the path.
bool isCalled(const InputFile &file, llvm::StringRef name);

/// Returns whether other objects may refer to a symbol and it can be renamed:
/// it is neither one that the driver knows nor an array that all functions
/// share.
bool isOrdinarySymbol(const CubinFile &cubin, unsigned symbol);

/// Returns whether the symbol is the definition of a kernel.
bool isKernelDefinition(const CubinFile &cubin, unsigned symbol);

} // namespace lld::cuda

#endif
