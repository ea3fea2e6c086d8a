//===- Pairs.cpp - Which image of two files is which ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds out which image of one file is which image of the other.
/// CompareFiles.cpp of cubin-diff calls pairImages() when the images of both
/// files are listed, before it compares any. It works in rounds, each with a
/// key by which images find each other, from the surest to one that is little
/// more than a guess; an image that has found its pair takes no part in later
/// rounds. In two releases of a wheel, for example, one library has other
/// kernels (found by its name), another a new name for the same ones (by the
/// kernels), a third is as it was (by its bytes).
///
//===----------------------------------------------------------------------===//

#include "Pairs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lld::cuda {

/// What of a library's name stays from release to release: "_C" of
/// "_C.cpython-311-x86_64-linux-gnu.so", "libx" of "libx-1a2b3c4d.so.2".
static StringRef stemOf(StringRef file) {
  constexpr size_t Hash = 8; // auditwheel's
  StringRef stem = sys::path::filename(file).split('.').first;
  const StringRef end = stem.take_back(Hash);
  if (stem.size() > Hash + 1 && all_of(end, isHexDigit) &&
      stem.drop_back(Hash).ends_with("-"))
    stem = stem.drop_back(Hash + 1);
  return stem;
}

/// Empty for images that don't take part in the round.
using PairingKey = std::string (*)(const ListedImage &);

static std::string join(std::initializer_list<StringRef> parts) {
  std::string key;
  for (StringRef part : parts) {
    key += part;
    key += '\0'; // No part of a name.
  }
  return key;
}

static std::string kindOf(const ListedImage &i) {
  return join({utostr(unsigned(i.form)), i.target});
}

/// A cubin by itself doesn't say whether it is for sm_90 or sm_90a.
static std::string looseKindOf(const ListedImage &i) {
  return join({utostr(unsigned(i.form)), StringRef(i.target).rtrim("af")});
}

static std::string placeOf(const ListedImage &i) {
  return kindOf(i) + join({i.file, i.member, i.identifier});
}

static std::string hashOf(const ListedImage &i) {
  return toHex(i.hash) + utostr(i.size);
}

static constexpr PairingKey Rounds[] = {
    [](const ListedImage &i) { return placeOf(i) + hashOf(i); },
    [](const ListedImage &i) {
      return i.names ? placeOf(i) + utostr(i.names) : "";
    },
    [](const ListedImage &i) { return kindOf(i) + hashOf(i); },
    [](const ListedImage &i) {
      return i.names ? kindOf(i) + utostr(i.names) : "";
    },
    [](const ListedImage &i) { return placeOf(i); },
    [](const ListedImage &i) {
      return kindOf(i) + join({stemOf(i.file), i.member});
    },
    [](const ListedImage &i) { return looseKindOf(i) + hashOf(i); },
};

namespace {

class Pairing {
public:
  Pairing(ArrayRef<ListedImage> first, ArrayRef<ListedImage> second)
      : first(first), second(second), leftFirst(first.size()),
        leftSecond(second.size()) {
    for (size_t i = 0; i != first.size(); ++i)
      leftFirst[i] = i;
    for (size_t i = 0; i != second.size(); ++i)
      leftSecond[i] = i;
  }

  ImagePairs run() {
    for (PairingKey key : Rounds)
      round(key, /*onlySingle=*/false);
    round(kindOf, /*onlySingle=*/true);
    round(looseKindOf, /*onlySingle=*/true);
    llvm::sort(result.pairs,
               [](ImagePair x, ImagePair y) { return x.first < y.first; });
    result.onlyFirst = std::move(leftFirst);
    result.onlySecond = std::move(leftSecond);
    return std::move(result);
  }

private:
  /// `onlySingle`: only those that are alone with their key on both sides.
  void round(PairingKey key, bool onlySingle) {
    struct Group {
      SmallVector<size_t, 1> first, second;
      size_t taken = 0;
    };
    StringMap<Group> groups;
    auto groupOf = [&](const ListedImage &image) -> Group * {
      const std::string text = key(image);
      return text.empty() ? nullptr : &groups[text];
    };
    for (size_t i : leftSecond)
      if (Group *group = groupOf(second[i]))
        group->second.push_back(i);
    for (size_t i : leftFirst)
      if (Group *group = groupOf(first[i]))
        group->first.push_back(i);
    std::vector<bool> isTaken(second.size());
    erase_if(leftFirst, [&](size_t i) {
      Group *group = groupOf(first[i]);
      if (!group || group->taken == group->second.size())
        return false;
      if (onlySingle && (group->first.size() != 1 || group->second.size() != 1))
        return false;
      const size_t partner = group->second[group->taken++];
      isTaken[partner] = true;
      result.pairs.push_back({i, partner});
      return true;
    });
    erase_if(leftSecond, [&](size_t i) { return isTaken[i]; });
  }

  ArrayRef<ListedImage> first, second;
  std::vector<size_t> leftFirst, leftSecond; ///< Without a pair so far.
  ImagePairs result;
};

} // namespace

ImagePairs pairImages(ArrayRef<ListedImage> first,
                      ArrayRef<ListedImage> second) {
  return Pairing(first, second).run();
}

} // namespace lld::cuda
