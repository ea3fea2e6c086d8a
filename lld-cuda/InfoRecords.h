//===- InfoRecords.h - Records of .nv.info, as read -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The .nv.info records of a function, or of the image (Symbols.h, Program.h),
/// as they are in the inputs. The merge adds each input's records; later
/// passes, such as Analysis/Resources.cpp and Output/NvInfoOutput.cpp, go
/// through them.
///
/// A function has a dozen records, and each pass needs few of them. So no table
/// of records is made: each pass reads the bytes of the input sections, which
/// is faster than to load a table from memory.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INFORECORDS_H
#define LLD_CUDA_INFORECORDS_H

#include "ArenaVector.h"
#include "lld-cuda/Object/NvInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <iterator>

namespace lld::cuda {

struct ObjectFile;

/// A record of .nv.info. Its payload refers to the input's bytes.
struct InfoRecord {
  NvInfoRecord record;
  ObjectFile *file;
  uint32_t sequence; ///< Position in the reading order of the whole link.
};

/// A list of records in reading order.
class InfoRecords {
public:
  /// Records that follow each other in one input section.
  struct Run {
    llvm::ArrayRef<uint8_t> bytes;
    ObjectFile *file;
    uint32_t sequence; ///< The sequence number of the first record.
  };

  class Iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = InfoRecord;
    using difference_type = std::ptrdiff_t;
    using pointer = const InfoRecord *;
    using reference = const InfoRecord &;

    Iterator(const Run *run, const Run *end) : run(run), end(end) { enter(); }
    /// The reference is valid until the iterator is incremented.
    const InfoRecord &operator*() const { return current; }
    const InfoRecord *operator->() const { return &current; }
    Iterator &operator++() {
      left -= NvInfoHeaderSize + current.record.payload.size();
      if (left) {
        current.record = readNvInfoRecord(run->bytes.end() - left);
        ++current.sequence;
      } else {
        ++run;
        enter();
      }
      return *this;
    }
    bool operator==(const Iterator &other) const {
      return run == other.run && left == other.left;
    }
    bool operator!=(const Iterator &other) const { return !(*this == other); }

  private:
    void enter() {
      if (run == end)
        return;
      left = run->bytes.size();
      current = {readNvInfoRecord(run->bytes.data()), run->file, run->sequence};
    }

    const Run *run, *end;
    size_t left = 0; ///< Bytes of the run from the current record on.
    InfoRecord current = {};
  };

  /// Adds the records of a section. They must be complete, and both they and
  /// `arena` must outlive the list. `sequence` is that of the first record.
  template <typename Arena>
  void add(Arena &arena, llvm::ArrayRef<uint8_t> records, ObjectFile *file,
           uint32_t sequence) {
    if (!records.empty())
      all.push_back(arena, {records, file, sequence});
  }
  void clear() { all.clear(); }
  bool empty() const { return all.empty(); }
  Iterator begin() const { return {all.begin(), all.end()}; }
  Iterator end() const { return {all.end(), all.end()}; }
  llvm::ArrayRef<Run> runs() const { return all; }

  /// Calls visit(record) for each record whose code is in `codes`.
  template <typename Visit>
  void forEachOf(const NvInfoCodes &codes, Visit visit) const {
    for (const Run &run : all) {
      uint32_t sequence = run.sequence;
      for (const uint8_t *at = run.bytes.begin(); at != run.bytes.end();
           at += sizeOfNvInfoRecord(at), ++sequence)
        if (codes[at[1]])
          visit(InfoRecord{readNvInfoRecord(at), run.file, sequence});
    }
  }

  /// Calls visit(record) for each record, or, with `isBackwards`, does so from
  /// the last one to the first.
  template <typename Visit> void forEach(bool isBackwards, Visit visit) const {
    if (!isBackwards) {
      for (const InfoRecord &r : *this)
        visit(r);
      return;
    }
    llvm::SmallVector<const uint8_t *, 64> places;
    for (const Run &run : llvm::reverse(runs())) {
      places.clear();
      for (const uint8_t *at = run.bytes.begin(); at != run.bytes.end();
           at += sizeOfNvInfoRecord(at))
        places.push_back(at);
      uint32_t sequence = run.sequence + places.size();
      for (const uint8_t *at : llvm::reverse(places))
        visit(InfoRecord{readNvInfoRecord(at), run.file, --sequence});
    }
  }

  /// Removes the records for which `isUnwanted(record)` is true.
  template <typename Arena, typename Predicate>
  void eraseIf(Arena &arena, Predicate isUnwanted) {
    if (llvm::none_of(*this, isUnwanted))
      return;
    ArenaVector<Run> old;
    old.swap(all);
    for (const Run &run : old) {
      const uint8_t *from = run.bytes.begin(), *next;
      uint32_t first = run.sequence, sequence = first;
      for (const uint8_t *at = from; at != run.bytes.end(); at = next) {
        next = at + sizeOfNvInfoRecord(at);
        if (isUnwanted(InfoRecord{readNvInfoRecord(at), run.file, sequence})) {
          add(arena, {from, at}, run.file, first);
          from = next;
          first = sequence + 1;
        }
        ++sequence;
      }
      add(arena, {from, run.bytes.end()}, run.file, first);
    }
  }

private:
  ArenaVector<Run> all;
};

} // namespace lld::cuda

#endif
