//===- StringTable.h - Builder of string tables -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The builder of string tables. Each of the output's, .shstrtab and .strtab,
/// is in an OutputStrings (OutputStrings.h), at the end of a link when sections
/// and symbols have their numbers.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OUTPUT_STRINGTABLE_H
#define LLD_CUDA_OUTPUT_STRINGTABLE_H

#include "NameHash.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>
#include <vector>

namespace lld::cuda {

/// A table that contains each string once, in order of first appearance,
/// without sharing of suffixes (rule [string-section-names] of docs/reference).
/// add() returns the offset of a string in bytes. The hash table holds hashes
/// and offsets, eight bytes for each string.
class StringTable {
public:
  /// `expected` is about how many strings will be added, and `expectedSize`
  /// about how many bytes they take.
  StringTable(size_t expected, size_t expectedSize) {
    setSlotCount(llvm::PowerOf2Ceil(std::max<size_t>(16, expected * 2)));
    bytes.reserve(expectedSize + 1);
    bytes.push_back('\0');
  }

  /// Returns the hash by which tables of the Program find the string, too.
  static uint32_t hashOf(llvm::StringRef s) { return hashOfName(s); }
  uint32_t add(llvm::StringRef s) { return add(s, hashOf(s)); }
  uint32_t add(llvm::StringRef s, uint32_t hash) {
    if (count == limit)
      grow();
    Slot &slot = find(s, hash);
    if (!slot.offset) {
      slot = {hash, addAgain(s)};
      ++count;
    }
    return slot.offset;
  }
  /// Prefetches the slot that add() looks at first.
  void prefetch(uint32_t hash) const {
    __builtin_prefetch(&first[hash & mask]);
  }
  /// Adds the string even if it is in the table already.
  uint32_t addAgain(llvm::StringRef s) {
    const size_t offset = bytes.size();
    bytes.resize_for_overwrite(offset + s.size() + 1);
    char *at = bytes.data() + offset;
    copy(at, s);
    at[s.size()] = '\0';
    return offset;
  }
  /// Adds a string that consists of two parts.
  template <size_t N>
  uint32_t addAgain(const char (&front)[N], llvm::StringRef back) {
    constexpr size_t FrontSize = N - 1;
    const size_t offset = bytes.size(), size = FrontSize + back.size();
    bytes.resize_for_overwrite(offset + size + 1);
    char *at = bytes.data() + offset;
    std::memcpy(at, front, FrontSize);
    copy(at + FrontSize, back);
    at[size] = '\0';
    return offset;
  }
  void addPadding(size_t count) { bytes.append(count, '\0'); }
  size_t size() const { return bytes.size(); }
  /// Returns the table's bytes and gives up their ownership.
  llvm::SmallVector<char, 0> takeContents() { return std::move(bytes); }

private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t offset = 0; ///< 0 if the slot is free: the first string is at 1,
                         ///< and an empty one is added like any other.
  };

  /// Copies a string. Most have 8 to 32 bytes, for which a call of memcpy()
  /// would be most of the work.
  static void copy(char *to, llvm::StringRef s) {
    constexpr size_t Small = 8, Large = 16;
    const size_t n = s.size();
    if (n >= Large && n <= 2 * Large) {
      std::memcpy(to, s.data(), Large);
      std::memcpy(to + n - Large, s.data() + n - Large, Large);
    } else if (n >= Small && n < Large) {
      std::memcpy(to, s.data(), Small);
      std::memcpy(to + n - Small, s.data() + n - Small, Small);
    } else if (n) {
      std::memcpy(to, s.data(), n);
    }
  }
  /// Makes that many free slots, a power of two.
  void setSlotCount(size_t slotCount) {
    slots = std::vector<Slot>(slotCount);
    first = slots.data();
    mask = slotCount - 1;
    limit = slotCount / 4 * 3;
  }
  /// Returns the string's slot, or the free one where it belongs.
  Slot &find(llvm::StringRef s, uint32_t hash) {
    for (size_t i = hash;; ++i) {
      Slot &slot = first[i & mask];
      if (!slot.offset || (slot.hash == hash && isAt(slot.offset, s)))
        return slot;
    }
  }
  /// Returns whether `s`, which contains no NUL, is the string at that offset.
  bool isAt(uint32_t offset, llvm::StringRef s) const {
    return bytes.size() - offset > s.size() && bytes[offset + s.size()] == 0 &&
           std::memcmp(bytes.data() + offset, s.data(), s.size()) == 0;
  }
  void grow() {
    const std::vector<Slot> old = std::move(slots);
    setSlotCount(old.size() * 2);
    for (const Slot &slot : old) {
      if (!slot.offset)
        continue;
      size_t i = slot.hash;
      while (first[i & mask].offset)
        ++i;
      first[i & mask] = slot;
    }
  }

  std::vector<Slot> slots;
  Slot *first = nullptr; ///< The first slot.
  size_t mask = 0;       ///< The number of slots, less 1.
  size_t count = 0;      ///< Of the slots that are in use.
  size_t limit = 0;      ///< With that many in use the table grows.
  llvm::SmallVector<char, 0> bytes;
};

} // namespace lld::cuda

#endif
