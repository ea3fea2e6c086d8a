//===- Symbols.h - Functions, variables and other symbols -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The symbols of the program that is linked: functions, variables and others.
/// The merge creates them, in the Program, which owns them; all later passes
/// read them and store their results in them. A cubin scatters one function
/// over .text.F, .nv.info.F, .nv.constant0.F, .nv.shared.F, relocations and
/// records with its symbol index. Here it is one Function, with its pieces and
/// its place in the call graph. Data is a Variable in a memory space. From
/// sm_100 on a cubin holds its code and its symbol table twice, natively and in
/// NVIDIA's "Mercury" form (the Mercury view, docs/reference/mercury.md); a
/// Symbol stands for both.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SYMBOLS_H
#define LLD_CUDA_SYMBOLS_H

#include "ArenaVector.h"
#include "InfoRecords.h"
#include "OutputSection.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace lld::cuda {

class CodeEdit;

/// A symbol of any kind. All definitions and mentions of a name that isn't
/// local share one Symbol. It lives as long as the link: Program::functions and
/// Program::variables own theirs, and all others are in LinkMemory's arena.
struct Symbol {
  enum class Kind : uint8_t {
    Section,
    Function,
    InnerFunction, ///< A function inside the section of another one, by which
                   ///< it is kept or removed: no Function, only a Symbol.
    Variable,      ///< An object, texture, sampler or surface.
    NativeCallee,  ///< A function that only native code calls, and the Mercury
                   ///< view doesn't mention; see NativeCallees.h.
  };

  Symbol(Kind kind, llvm::StringRef name, uint8_t binding, uint8_t type,
         uint8_t other)
      : name(name), kind(kind), binding(binding), type(type), other(other) {}

  llvm::StringRef name;
  Kind kind;
  uint8_t binding;
  uint8_t type;
  uint8_t other; ///< st_other: visibility, kernel bit, memory space.
  bool defined = false;
  bool named = false; ///< The output's string table gets its name.
  /// No other symbol that is so marked has the same name
  /// (Output/OutputStrings.h).
  bool hasUniqueName = false;
  /// It is a section symbol, and that section's companion is Companion::Noted.
  bool namesCompanion = false;
  /// The index in Program::objects of the object whose definition is used; as
  /// long as there is none, of the object that mentioned the symbol first.
  uint32_t definedIn = 0;
  /// The index in Program::objects of the first object with the symbol.
  uint32_t mentionedIn = 0;
  uint32_t index = 0;      ///< The index in .symtab; 0 if it isn't there.
  uint32_t nameOffset = 0; ///< The offset of the name in .strtab.
  uint32_t mercuryNameOffset = 0; ///< The same in the Mercury view's table.
  OutputSection *section = nullptr;
  /// The offset in the section, or st_value if there is no section.
  uint64_t value = 0;
  uint64_t size = 0; ///< In bytes.
  // The offset in the section and the size of a function in the Mercury view.
  uint64_t mercuryValue = 0, mercurySize = 0;

  bool isFunction() const { return kind == Kind::Function; }
  bool isVariable() const { return kind == Kind::Variable; }
  bool isSection() const { return kind == Kind::Section; }
  bool isLocal() const { return binding == elf::STB_LOCAL; }
  bool isWeak() const { return binding == elf::STB_WEAK; }
  uint8_t space() const { return other & elf::STO_CUDA_SPACE_MASK; }
};

/// A kernel or device function: its pieces and its node in the call graph.
struct Function : Symbol {
  Function(llvm::StringRef name, uint8_t binding, unsigned ordinal)
      : Symbol(Kind::Function, name, binding, elf::STT_FUNC, 0),
        ordinal(ordinal) {}

  bool isKernel() const { return other & elf::STO_CUDA_ENTRY; }
  /// Returns whether .nv.prototype of the output has a record of it.
  bool hasPrototypeRecord() const {
    return reachable && hasPrototype && !isLocal() && !addressTaken;
  }

  /// The index in Program::functions, and the node number in the call graph.
  unsigned ordinal;
  /// It is a kernel, and neither --kernels-used, -e nor the host code's
  /// references leave it out. Set by the merge, corrected by MarkReachable.cpp.
  bool isCounted = false;
  /// A counted kernel calls it, directly or through others, or its address is
  /// taken. Other functions are removed, unless dead code is kept.
  bool reachable = true;
  bool addressTaken = false;
  /// It is reachable only because its address is taken.
  bool isOnlyTaken = false;
  bool hasPrototype = false; ///< `prototype` is set.
  /// Its Mercury code is of version 1.0; see OldestCode.h.
  bool isOldest = false;
  /// How many the definition that is used needs. Set if it is weak, and with
  /// options that print it.
  uint32_t registers = 0;
  /// The virtual architecture (compute_NN) of the first definition, which
  /// decides between weak ones (rule [weak-selection] of docs/reference).
  uint32_t virtualArch = 0;
  Function *aliasOf = nullptr;

  // The function's sections, null where it has none. F is its name.
  OutputSection *text = nullptr;      ///< .text.F
  OutputSection *info = nullptr;      ///< .nv.info.F
  OutputSection *shared = nullptr;    ///< .nv.shared.F
  OutputSection *constant0 = nullptr; ///< .nv.constant0.F: the parameters.
  /// .nv.constant2.F: literals of the code.
  OutputSection *constant2 = nullptr;
  /// Other constant banks of the function, which no known compiler makes.
  llvm::SmallVector<OutputSection *, 0> otherConstants;
  /// .rel.nv.constant0.F or .rela.nv.constant0.F: the relocations of the slots
  /// for textures, which follow a kernel's parameters.
  OutputSection *textureSlots = nullptr;

  // Edges of the call graph, in the order in which they were read; the output
  // lists them in reverse [call-graph-order].
  ArenaVector<Function *> callees;
  ArenaVector<Function *> takes; ///< Functions whose addresses it takes.
  /// The prototypes of its indirect calls.
  ArenaVector<llvm::StringRef> indirectCalls;
  /// The prototype by which indirect calls find the function.
  llvm::StringRef prototype;

  /// The records of .nv.info.F, in the order in which they were read, indexed
  /// by View.
  std::array<InfoRecords, 2> infoRecords;

  // What the function's own code refers to. ScanRelocations.cpp sets it, from
  // the relocations of the definition that is used.
  llvm::SmallVector<Variable *, 0> sharedUses;
  bool usesTextures = false; ///< It uses a texture, sampler or surface.
  bool usesSamplers = false; ///< It uses a sampler or surface.
  /// It is a kernel that gets slots for textures.
  bool reachesTextures = false;
  /// The offset of a kernel's extern shared arrays, if it reaches any.
  std::optional<uint64_t> dynamicSharedOffset;
  /// With -r: the symbol that replaces all extern shared arrays in relocations
  /// of this kernel's code, as nvlink does it.
  Variable *externSharedInstance = nullptr;

  /// The variables of .nv.shared.F, in the order in which they were read, also
  /// those of definitions that lost against another.
  llvm::SmallVector<Variable *, 0> ownShared;

  /// The changes that the finalizer makes in the native code; null if none.
  const CodeEdit *edit = nullptr;

  /// RELA entries of debug sections that refer to the function belong to a
  /// definition that was replaced, if the `sequence` of their RelocationGroup
  /// is less than this [debug-replaced-entries].
  uint32_t debugPurgedBefore = 0;
};

/// An object in global, constant or shared memory, or a texture, sampler or
/// surface reference.
struct Variable : Symbol {
  Variable(llvm::StringRef name, uint8_t binding, uint8_t type, uint8_t other)
      : Symbol(Kind::Variable, name, binding, type, other) {}

  bool isCommon = false;  ///< It is common, and no object defines it.
  bool isLeftOut = false; ///< It is a constant that no code refers to.
  /// It is a symbol of the toolkit: __UFT*, __UDT* or .nv.reservedSmem.*.
  bool isReserved = false;
  /// It is an extern shared array that is in the symbol table though nothing
  /// defines it, with -g or --preserve-relocs.
  bool keptForDebugger = false;
  uint64_t alignment = 0; ///< Set for commons and shared variables.
  /// The offset of a shared variable as code sees it, without the bytes that
  /// are reserved for the system.
  std::optional<uint64_t> address;
  /// With -g: the one offset that an extern shared array has in all kernels
  /// [shared-debug-link].
  std::optional<uint64_t> debugOffset;
  /// The offset of a literal in the pool of all kernels, which exists if their
  /// literals are too large for a bank each [literals-pool].
  std::optional<uint64_t> pooledOffset;
  uint64_t textureSlot = 0;       ///< The offset in .nv.constant0.
  uint64_t textureSlotOffset = 0; ///< The offset from the first slot.

  bool isTexture() const {
    return type == elf::STT_CUDA_TEXTURE || type == elf::STT_CUDA_SAMPLER ||
           type == elf::STT_CUDA_SURFACE;
  }
  bool isShared() const {
    return !isTexture() && space() == elf::STO_CUDA_SHARED;
  }
  /// Returns whether it is an array in shared memory without a size: extern
  /// __shared__ x[].
  bool isDynamicShared() const { return isShared() && !defined && size == 0; }
};

} // namespace lld::cuda

#endif
