//===- SourceLines.h - Source lines of code ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reader of .debug_line that finds the source file and line for an offset in
/// the native code of a cubin (compiled with -lineinfo or -G). The linker asks
/// it when it explains a message about an object (Explain/SourcePlaces.cpp) and
/// when it writes a resource report (ResourceModel.cpp); cubin-size asks it to
/// divide code among source files. Only the units that are asked about are
/// decoded. Damaged or missing line information counts as no lines; there are
/// no errors.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_SOURCELINES_H
#define LLD_CUDA_FINALCODE_SOURCELINES_H

#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

/// A place in a source file. Owns its text.
struct SourceLine {
  std::string file; ///< As the compiler names it, with directory.
  uint64_t line = 0;
  /// Returns the place as compilers print it: "file:line".
  std::string str() const { return file + ":" + std::to_string(line); }
};

/// A range of code that was compiled from one file.
struct SourceRange {
  uint64_t begin, end; ///< In the text section.
  llvm::StringRef file;
};

/// Like SourceLine, but its name lives only as long as the SourceLines object.
struct SourcePlace {
  llvm::StringRef file;
  uint64_t line = 0;
};

class SourceLines {
public:
  /// Finds the sequences of rows. `file` is kept by reference.
  explicit SourceLines(const CubinFile &file);
  ~SourceLines();

  /// Returns the line of the code at `offset` in section `text`, or nullopt.
  std::optional<SourceLine> find(unsigned text, uint64_t offset) const;
  /// Returns the first line from `offset` on: for a function's offset, the line
  /// at which its code begins.
  std::optional<SourceLine> findFirst(unsigned text, uint64_t offset = 0) const;
  /// Visits the first line of each text section that has lines and for which
  /// `isWanted` returns true, in the sections' order.
  void forEachBegin(
      llvm::function_ref<bool(unsigned text)> isWanted,
      llvm::function_ref<void(unsigned text, SourcePlace)> visit) const;
  /// Returns the files from which the code of section `text` was compiled, in
  /// the code's order and without overlaps. Code in no range has no line. The
  /// names live as long as this object.
  std::vector<SourceRange> ranges(unsigned text) const;
  /// Returns the name, with directory, of file `number` of the unit at offset
  /// `unit` of .debug_line.
  std::optional<llvm::StringRef> fileName(uint64_t unit, uint64_t number) const;
  /// Returns whether the cubin has no lines at all.
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
  /// Returns the header of the unit at that offset, or null.
  Unit *readUnit(uint64_t offset) const;
  /// Reads rows in order of address, up to the first one at or after `stopAt`.
  /// `end` is set to the end of the code.
  std::vector<Row> readRows(const Sequence &sequence,
                            uint64_t stopAt = UINT64_MAX,
                            uint64_t *end = nullptr) const;
  /// Reads the first row; returns nullopt if its opcodes are unusual.
  std::optional<Row> readFirstRow(const Unit &unit,
                                  const Sequence &sequence) const;
  /// Returns the place of a sequence's first row.
  std::optional<SourcePlace> findBegin(const Sequence &sequence) const;
  /// Returns the name of a file of a unit's line table; empty if there is none.
  static llvm::StringRef fileName(Unit &unit, uint64_t number);
  static std::optional<SourcePlace> place(Unit &unit, const Row &row);
  std::optional<SourceLine> describe(const Sequence &sequence,
                                     const Row &row) const;
  llvm::ArrayRef<Sequence> sequencesOf(unsigned text) const;

  const CubinFile &file;
  llvm::ArrayRef<uint8_t> section; ///< .debug_line
  std::vector<Sequence> sequences; ///< Sorted by text section.
  /// The units that were read, by offset.
  mutable llvm::MapVector<uint64_t, std::unique_ptr<Unit>> units;
  mutable Unit *lastUnit = nullptr;
};

} // namespace lld::cuda

#endif
