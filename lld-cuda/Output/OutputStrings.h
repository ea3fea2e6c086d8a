//===- OutputStrings.h - Names of sections and symbols ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A string table of the output that doesn't look up names of which there is
/// only one. OutputOrder.cpp (buildStringTables()) makes .shstrtab and .strtab
/// with it.
///
/// Most names are that of a function F, or are made of it: .text.F, .nv.info.F
/// and so on. Functions that aren't local have different names, and the merge
/// creates each of these sections once for a function. It marks such names
/// (`hasUniqueName` of Symbol and OutputSection), and they are only appended.
/// Other names, such as those of local functions, are looked up as in any
/// string table, and compared with the marked ones as well: these are found by
/// the function's name. Hardly ever are two equal, for example because a local
/// function has the name of another object's global one. Then hasConflict() is
/// true, and the table has to be made again without trust in the marks.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OUTPUT_OUTPUTSTRINGS_H
#define LLD_CUDA_OUTPUT_OUTPUTSTRINGS_H

#include "Companions.h"
#include "Output/StringTable.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <cstdint>

namespace lld::cuda {

struct Program;

/// Returns whether a symbol or section whose name is marked has that name.
/// `hash` is StringTable::hashOf(name). OutputOrder.cpp.
bool isUniqueName(const Program &program, llvm::StringRef name, uint32_t hash);

class OutputStrings {
public:
  /// Of the names that will be added, about `expected` aren't marked, and all
  /// take about `expectedSize` bytes.
  OutputStrings(const Program &program, bool trustsMarks, size_t expected,
                size_t expectedSize)
      : program(program), trustsMarks(trustsMarks),
        table(expected, expectedSize) {}

  /// Adds a name that isn't marked, and returns its offset in bytes.
  uint32_t add(llvm::StringRef name, uint32_t hash) {
    foundConflict |= trustsMarks && isUniqueName(program, name, hash);
    return table.add(name, hash);
  }
  /// Adds a name that isn't marked and was compared with the marked ones.
  uint32_t addCompared(llvm::StringRef name, uint32_t hash) {
    return table.add(name, hash);
  }
  uint32_t add(llvm::StringRef name) {
    return add(name, StringTable::hashOf(name));
  }
  /// Adds a marked name.
  uint32_t addUnique(llvm::StringRef name) {
    return trustsMarks ? table.addAgain(name) : table.add(name);
  }
  /// Adds the name of a noted companion (Companions.h), that of `item` with
  /// another prefix. `item` is the section behind which it is, or its symbol.
  /// `isCompared`: if it isn't marked, it was compared with the marked ones.
  template <class Item> void addCompanion(const Item &item, bool isCompared) {
    if (!trustsMarks || !item.hasUniqueName) {
      llvm::SmallString<256> name;
      withCompanionName(item.name,
                        [&](llvm::StringRef front, llvm::StringRef back) {
                          name = front;
                          name += back;
                        });
      const uint32_t hash = StringTable::hashOf(name);
      isCompared ? addCompared(name, hash) : add(name, hash);
      return;
    }
    withCompanionName(item.name, [&](const auto &front, llvm::StringRef back) {
      return table.addAgain(front, back);
    });
  }
  uint32_t addAgain(llvm::StringRef name) { return table.addAgain(name); }
  void addPadding(size_t count) { table.addPadding(count); }
  void prefetch(uint32_t hash) const { table.prefetch(hash); }

  size_t size() const { return table.size(); }
  /// Returns whether a name was in the table twice.
  bool hasConflict() const { return foundConflict; }
  llvm::SmallVector<char, 0> takeContents() { return table.takeContents(); }

private:
  const Program &program;
  const bool trustsMarks;
  bool foundConflict = false;
  StringTable table;
};

} // namespace lld::cuda

#endif
