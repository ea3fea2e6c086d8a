//===- SourceLines.h - Which source line code was made of -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From an offset in the native code of an input to a file and a line, where
/// .debug_line says so (-lineinfo, -G). Only the units that are asked about are
/// decoded. What is damaged or missing has no lines; there are no errors.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_SOURCELINES_H
#define LLD_CUDA_FINALCODE_SOURCELINES_H

#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

struct SourceLine {
  std::string file; ///< As the compiler names it, with its directory.
  uint64_t line = 0;
  /// The place as compilers print it: "file:line".
  std::string str() const { return file + ":" + std::to_string(line); }
};

/// Bytes of code that were made of one file.
struct SourceRange {
  uint64_t begin, end; ///< In the text section.
  llvm::StringRef file;
};

/// A SourceLine whose name lives as long as the lines.
struct SourcePlace {
  llvm::StringRef file;
  uint64_t line = 0;
};

class SourceLines {
public:
  /// Finds the sequences of rows; `file` must outlive the object.
  explicit SourceLines(const CubinFile &file);
  ~SourceLines();

  /// The line of the code at `offset` in section `text`.
  std::optional<SourceLine> find(unsigned text, uint64_t offset) const;
  /// The line with which the code at `offset` begins: the first one from there
  /// on. For functions.
  std::optional<SourceLine> findFirst(unsigned text, uint64_t offset = 0) const;
  /// Visits the first line of each text section that has lines and is wanted,
  /// in the sections' order.
  void forEachBegin(
      llvm::function_ref<bool(unsigned text)> isWanted,
      llvm::function_ref<void(unsigned text, SourcePlace)> visit) const;
  /// Which files the code of section `text` was made of, in the code's order
  /// and without overlaps. What is in no range has no line. The names live as
  /// long as this object.
  std::vector<SourceRange> ranges(unsigned text) const;
  /// A file of the unit at that offset of .debug_line, with its directory.
  std::optional<llvm::StringRef> fileName(uint64_t unit, uint64_t number) const;
  /// There is no line of code.
  bool empty() const { return sequences.empty(); }

private:
  /// Rows about one text section.
  struct Sequence {
    unsigned text;
    uint64_t unit;  ///< Offset in .debug_line.
    uint64_t begin; ///< Offset of the address's opcode, there.
    uint64_t end;
    uint64_t address; ///< In the text section.
  };
  struct Row {
    uint64_t address, file, line;
  };
  struct Unit;
  template <typename Entry> void addSequences(llvm::ArrayRef<Entry> entries);
  void endSequences();
  /// The header of the unit at that offset, or null.
  Unit *readUnit(uint64_t offset) const;
  /// By address. No further than to the first one at `stopAt` or behind it.
  /// `end`: where the code ends.
  std::vector<Row> readRows(const Sequence &sequence,
                            uint64_t stopAt = UINT64_MAX,
                            uint64_t *end = nullptr) const;
  /// The first one, unless its opcodes are unusual.
  std::optional<Row> readFirstRow(const Unit &unit,
                                  const Sequence &sequence) const;
  /// The place of a sequence's first row.
  std::optional<SourcePlace> findBegin(const Sequence &sequence) const;
  /// The name of a file of a unit's line table. Empty: there is none.
  static llvm::StringRef fileName(Unit &unit, uint64_t number);
  static std::optional<SourcePlace> place(Unit &unit, const Row &row);
  std::optional<SourceLine> describe(const Sequence &sequence,
                                     const Row &row) const;
  llvm::ArrayRef<Sequence> sequencesOf(unsigned text) const;

  const CubinFile &file;
  llvm::ArrayRef<uint8_t> section; ///< .debug_line
  std::vector<Sequence> sequences; ///< By text section.
  /// That were read, by offset.
  mutable llvm::SmallDenseMap<uint64_t, std::unique_ptr<Unit>, 4> units;
  mutable Unit *lastUnit = nullptr;
};

} // namespace lld::cuda

#endif
