//===- InfoRecords.h - Attributes of functions, as read ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function has a dozen records, and each pass looks at few of them. So there
/// is no table of them but the bytes of the sections that they stand in, mostly
/// one, and each pass goes through these: it takes less than to fetch a table
/// does, and no memory.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INFORECORDS_H
#define LLD_CUDA_INFORECORDS_H

#include "ArenaVector.h"
#include "lld-cuda/Object/NvInfo.h"
#include <cstdint>
#include <iterator>

namespace lld::cuda {

struct ObjectFile;

/// A record of .nv.info as read: its bytes stay in the input.
struct InfoRecord {
  NvInfoRecord record;
  ObjectFile *file;
  uint32_t sequence; ///< Reading order over the whole link.
};

/// Records in reading order.
class InfoRecords {
public:
  /// Those that follow each other in one place.
  struct Run {
    llvm::ArrayRef<uint8_t> bytes;
    ObjectFile *file;
    uint32_t sequence; ///< The first one's.
  };

  class Iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = InfoRecord;
    using difference_type = std::ptrdiff_t;
    using pointer = const InfoRecord *;
    using reference = const InfoRecord &;

    Iterator(const Run *run, const Run *end) : run(run), end(end) { enter(); }
    /// Valid until the next step.
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
    size_t left = 0; ///< Of the run's bytes, from the current record on.
    InfoRecord current = {};
  };

  /// Takes a section's records, which are whole and outlive this. `sequence` is
  /// the first one's.
  void add(llvm::BumpPtrAllocator &arena, llvm::ArrayRef<uint8_t> records,
           ObjectFile *file, uint32_t sequence) {
    if (!records.empty())
      all.push_back(arena, {records, file, sequence});
  }
  void clear() { all.clear(); }
  bool empty() const { return all.empty(); }
  Iterator begin() const { return {all.begin(), all.end()}; }
  Iterator end() const { return {all.end(), all.end()}; }
  llvm::ArrayRef<Run> runs() const { return all; }

  /// Calls visit(record) for those of some codes, and steps over all others.
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

private:
  ArenaVector<Run> all;
};

} // namespace lld::cuda

#endif
