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
/// its place in the call graph. Data is a Variable in a memory space.
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

struct Symbol {
  enum class Kind : uint8_t {
    Section,
    Function,
    InnerFunction, ///< A function inside another one's section: a mere symbol.
    Variable,      ///< Objects, textures, samplers, surfaces.
    NativeCallee,  ///< Called by native code only, see NativeCallees.h.
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
  bool named = false;     ///< Its name is in the string table.
  uint32_t definedIn = 0; ///< Ordinal of the object of the definition in force.
  uint32_t mentionedIn = 0; ///< Ordinal of the object that named it first.
  uint32_t index = 0;       ///< In the output's symbol table; 0: not in it.
  uint32_t nameOffset = 0;  ///< In the output's string table.
  uint32_t mercuryNameOffset = 0; ///< In the Mercury view's.
  OutputSection *section = nullptr;
  uint64_t value = 0;
  uint64_t size = 0;
  // Functions: offset in the section, and size, in the Mercury view.
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
  /// In .nv.prototype of the output.
  bool hasPrototypeRecord() const {
    return reachable && hasPrototype && !isLocal() && !addressTaken;
  }

  unsigned ordinal; ///< Creation order; the call graph's node number.
  /// A kernel that counts as one in this link, see Config::hasKernelFilter().
  bool isCounted = false;
  /// A counted kernel calls it, itself or through others, or its address is
  /// taken. What isn't reachable goes, unless dead code is kept.
  bool reachable = true;
  bool addressTaken = false;
  /// Reachable for no other reason.
  bool isOnlyTaken = false;
  bool hasPrototype = false;
  /// Its Mercury code is of version 1.0, see OldestCode.h.
  bool isOldest = false;
  uint32_t registers = 0;   ///< What the definition in force needs.
  uint32_t virtualArch = 0; ///< The first definition's [weak-selection].
  Function *aliasOf = nullptr;

  OutputSection *text = nullptr;
  OutputSection *info = nullptr;   ///< .nv.info.F
  OutputSection *shared = nullptr; ///< .nv.shared.F
  OutputSection *constant0 = nullptr;
  OutputSection *constant2 = nullptr;
  /// Other banks; no compiler makes them.
  llvm::SmallVector<OutputSection *, 0> otherConstants;
  OutputSection *textureSlots = nullptr; ///< .rel.nv.constant0.F

  // Edges in reading order; the output lists them in reverse
  // [call-graph-order].
  ArenaVector<Function *> callees;
  ArenaVector<Function *> takes;
  ArenaVector<llvm::StringRef> indirectCalls; ///< Prototypes.
  llvm::StringRef prototype;

  /// Records of .nv.info.F, in reading order, for each view.
  std::array<InfoRecords, 2> infoRecords;

  // What its code refers to, from the relocations of the definition in force.
  llvm::SmallVector<Variable *, 0> sharedUses;
  bool usesTextures = false;    ///< Or samplers, or surfaces.
  bool usesSamplers = false;    ///< Or surfaces.
  bool reachesTextures = false; ///< Kernels: has texture slots.
  std::optional<uint64_t> dynamicSharedOffset;
  /// -r, like nvlink: what stands for all extern shared arrays of this kernel.
  Variable *externSharedInstance = nullptr;

  /// Variables of .nv.shared.F, in reading order, of losing copies, too.
  llvm::SmallVector<Variable *, 0> ownShared;

  /// What the finalizer changes in the native code; null: nothing.
  const CodeEdit *edit = nullptr;

  /// Debug relocations read before this many groups of the link and naming the
  /// function in RELA form belong to replaced definitions
  /// [debug-replaced-entries].
  uint32_t debugPurgedBefore = 0;
};

struct Variable : Symbol {
  Variable(llvm::StringRef name, uint8_t binding, uint8_t type, uint8_t other)
      : Symbol(Kind::Variable, name, binding, type, other) {}

  bool isCommon = false;        ///< Has a place among the commons.
  bool isLeftOut = false;       ///< A constant that nobody refers to.
  bool isReserved = false;      ///< __UFT*, __UDT*, .nv.reservedSmem.*
  bool keptForDebugger = false; ///< -g: stays in the symbol table.
  uint64_t alignment = 0;       ///< Commons and shared variables.
  /// Shared: offset as code sees it, without the reserved part.
  std::optional<uint64_t> address;
  /// -g: common offset of an extern shared array [shared-debug-link].
  std::optional<uint64_t> debugOffset;
  /// Compiler constant: its place in the pool [literals-pool].
  std::optional<uint64_t> pooledOffset;
  uint64_t textureSlot = 0;       ///< Offset in .nv.constant0.
  uint64_t textureSlotOffset = 0; ///< Offset from the first slot.

  bool isTexture() const {
    return type == elf::STT_CUDA_TEXTURE || type == elf::STT_CUDA_SAMPLER ||
           type == elf::STT_CUDA_SURFACE;
  }
  bool isShared() const {
    return !isTexture() && space() == elf::STO_CUDA_SHARED;
  }
  /// Whether it is an array in shared memory without a size:
  /// extern __shared__ x[].
  bool isDynamicShared() const { return isShared() && !defined && size == 0; }
};

} // namespace lld::cuda

#endif
