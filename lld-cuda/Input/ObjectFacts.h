//===- ObjectFacts.h - What an object says by itself ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the merge of an object (a cubin) needs to know and what doesn't depend
/// on other objects: which function each section belongs to, whether the object
/// can be merged at all, how many records its sections have. It is found when
/// the object is read, in parallel with other objects, so that the merge, which
/// takes one object after the other, has less to do. Links that share a
/// prepared input share the facts of its objects, too.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_OBJECTFACTS_H
#define LLD_CUDA_INPUT_OBJECTFACTS_H

#include "lld-cuda/BinaryFormat/NvInfo.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/NvInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace lld::cuda {

class FactMemory;
enum class View : uint8_t;

/// What the merge has to decide about an object, one after the other. There is
/// a list of that for plain objects: those that define functions, none of them
/// weak, and no variables. All else in them belongs to one of these functions,
/// and several objects at once can be merged that far (Merge/MergeBatch.h).
struct Decisions {
  struct Name {
    uint32_t symbol; ///< The index in the symbol table.
    uint32_t hash;   ///< hashOfName() of its name.
  };
  /// A section that isn't about one function, and may be in the link.
  struct SharedSection {
    uint32_t section;
    /// The number of records in the sections before it.
    uint32_t recordsBefore;
  };
  /// All functions, in the order of the symbol table. Those that are defined
  /// begin a section of code.
  llvm::ArrayRef<Name> functions;
  llvm::ArrayRef<Name> variables; ///< Those that are mentioned.
  llvm::ArrayRef<SharedSection> sections;
  /// The number of records in all sections.
  uint32_t records = 0;
};

/// The facts about one object. They are never changed.
struct ObjectFacts {
  /// The number of records of a section of attributes, if they all count as
  /// they are.
  class RecordCount {
  public:
    /// Not counted so far: the section is about weak functions, whose
    /// definitions may not be needed.
    RecordCount() = default;
    explicit RecordCount(uint32_t count) : bits(count) {}
    static RecordCount unknown() { return RecordCount(Unknown); }
    bool isCounted() const { return bits != NotCounted; }
    /// Whether the number is known. `losesDefinitions`: other objects have
    /// replaced definitions of this one.
    bool isKnown(bool losesDefinitions) const {
      return bits < NotCounted && !(losesDefinitions && bits & Summarizes);
    }
    uint32_t count() const { return bits & MaxCount; }
    /// Whether a record has the version of a function's Mercury code, and
    /// whether the last one has the oldest version.
    bool hasVersion() const { return bits & HasVersion; }
    bool isOldest() const { return bits & IsOldest; }
    void setVersion(bool isOldest) {
      bits = (bits & ~IsOldest) | HasVersion | (isOldest ? IsOldest : 0);
    }
    /// A record counts only if the definition of a function isn't replaced.
    void setSummarizes() { bits |= Summarizes; }
    static constexpr uint32_t MaxCount = (uint32_t(1) << 28) - 1;

  private:
    static constexpr uint32_t Unknown = ~uint32_t(0);
    static constexpr uint32_t NotCounted = Unknown - 1;
    static constexpr uint32_t HasVersion = uint32_t(1) << 30;
    static constexpr uint32_t IsOldest = uint32_t(1) << 29;
    static constexpr uint32_t Summarizes = uint32_t(1) << 28;
    uint32_t bits = NotCounted;
  };

  /// Indexed by section: the symbol of the function whose .text or
  /// .nv.capmerc.text it is, or 0.
  llvm::ArrayRef<uint32_t> textOwner;
  /// Indexed by section: the section's twin in the Mercury view, the second
  /// form of the code that cubins hold from sm_100 on
  /// (docs/reference/mercury.md), or 0. Empty without a Mercury view.
  llvm::ArrayRef<uint32_t> twins;
  /// Indexed by section.
  llvm::ArrayRef<RecordCount> records;
  /// A function that the object defines is weak, or has a binding that is
  /// compared like that (Merge/Resolution.cpp).
  bool definesWeakFunction = false;
  /// The merge can rely on the object. If it can't, checkObject()
  /// (CheckObject.h) says why.
  bool isSound = false;
  /// The sum of the sizes and alignments, in bytes, of the object's memory
  /// without contents; below MaxMemory if the object is sound.
  uint64_t memory = 0;
  /// Null if the object isn't plain, or nobody has asked.
  const Decisions *decisions = nullptr;
};

/// The version of Mercury code, 1.0, in functions whose compiler, CUDA 12's,
/// writes no record of it [mercury12-input].
constexpr uint16_t OldestMercuryVersion = 0x100;

/// Finds the facts about an object of a link whose target has a Mercury view
/// (sm_100 and later) or not. They are in the arena of `memory`, and don't
/// refer to `file`. ObjectFacts::decisions is found only on request.
const ObjectFacts *findObjectFacts(const CubinFile &file, bool isMercury,
                                   FactMemory &memory,
                                   bool withDecisions = false);

/// Returns what the merge has to decide about a sound object with these facts,
/// or null if it isn't a plain one. The result is in the arena of `memory`, and
/// doesn't refer to `file`.
const Decisions *findDecisions(const CubinFile &file, const ObjectFacts &facts,
                               FactMemory &memory);

/// Counts the records of a section of an object with these symbols. The result
/// is unknown if a record is damaged, or counts as another one.
ObjectFacts::RecordCount countUsualRecords(llvm::ArrayRef<Elf_Sym> symbols,
                                           llvm::ArrayRef<uint8_t> contents,
                                           View view);

/// Returns whether a record of an object with these symbols is as most are: the
/// symbols that it names, as far as `symbols` says, are there, and a summary is
/// one of a symbol that the object defines.
bool hasUsualSymbols(llvm::ArrayRef<Elf_Sym> all, elf::NvInfoSymbols symbols,
                     const NvInfoRecord &record, View view);

} // namespace lld::cuda

#endif
