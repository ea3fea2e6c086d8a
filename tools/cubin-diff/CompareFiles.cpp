//===- CompareFiles.cpp - The verdict on files with images ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-diff's main() calls compareFiles() unless both files are cubins. Most
/// pairs are equal in hash and size, and are done when the lists are made; only
/// the others are opened. comparePair() compares cubins by their meaning
/// (Compare.h), PTX line by line, and other images byte by byte. Pairs are
/// grouped by the wheel's member that they are in, since a member has to be
/// unpacked to be opened: a member of the first file is opened once for all of
/// its pairs.
///
//===----------------------------------------------------------------------===//

#include "CompareFiles.h"
#include "Pairs.h"
#include "StableNames.h"
#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;

namespace lld::cuda {

/// Texts, line by line. Hashes in names make no difference.
static DiffReport compareTexts(StringRef first, StringRef second) {
  size_t line = 0;
  while (!first.empty() || !second.empty()) {
    ++line;
    StringRef x, y;
    std::tie(x, first) = first.split('\n');
    std::tie(y, second) = second.split('\n');
    if (x != y && withoutHashes(x) != withoutHashes(y))
      return {Verdict::Different,
              {{Topic::Code, ("line " + Twine(line)).str(),
                (x + " vs " + y).str()}},
              {}};
  }
  return {Verdict::Equivalent,
          {},
          {{Topic::Order, "names", "only hashes in names differ"}}};
}

static DiffReport compareBytes(StringRef first, StringRef second) {
  size_t i = 0;
  while (i < first.size() && i < second.size() && first[i] == second[i])
    ++i;
  return {
      Verdict::Different,
      {{Topic::Code, "",
        ("bytes differ first at 0x" + utohexstr(i, /*LowerCase=*/true) + " (" +
         utostr(first.size()) + " vs " + utostr(second.size()) + " bytes)")}},
      {}};
}

namespace {

class FilesComparison {
public:
  FilesComparison(const ComparedFile &a, const ComparedFile &b,
                  const CompareOptions &options)
      : a(a), b(b), options(options) {}

  FilesReport run() {
    first = list(a);
    second = list(b);
    ImagePairs pairs = pairImages(first, second);
    addLonely(pairs);
    for (ImagePair pair : pairs.pairs) {
      const ListedImage &x = first[pair.first], &y = second[pair.second];
      if (x.hash == y.hash && x.size == y.size)
        ++result.pairs[unsigned(Verdict::Identical)];
      else
        unequal[x.file][y.file].push_back(pair);
    }
    compareUnequal();
    stable_sort(result.images, [](const ImageReport &x, const ImageReport &y) {
      return x.report.verdict > y.report.verdict;
    });
    return std::move(result);
  }

private:
  std::vector<ListedImage> list(const ComparedFile &file) {
    const size_t errors = result.malformed.size();
    std::vector<ListedImage> images =
        listImages(*file.contents, file.path, [&](StringRef label, Error e) {
          addMalformed(label, toString(std::move(e)));
        });
    if (images.empty() && errors == result.malformed.size())
      addMalformed(file.path, "no device code");
    return images;
  }

  void addMalformed(StringRef label, const std::string &text) {
    result.malformed.push_back(
        {Topic::Malformed, label.str(), "malformed: " + text});
    result.verdict = Verdict::Different;
  }

  void addLonely(const ImagePairs &pairs) {
    result.onlyFirst = pairs.onlyFirst.size();
    result.onlySecond = pairs.onlySecond.size();
    if (result.onlyFirst || result.onlySecond)
      result.verdict = Verdict::Different;
    const DiffReport different{Verdict::Different, {}, {}};
    for (size_t i : pairs.onlyFirst)
      result.images.push_back({first[i].describe(), "", different});
    for (size_t i : pairs.onlySecond)
      result.images.push_back({"", second[i].describe(), different});
  }

  /// Opens each file of the first once; for each of these, those of the second
  /// that it has pairs with.
  void compareUnequal() {
    std::set<std::string> files;
    for (const auto &entry : unequal)
      files.insert(entry.first);
    openImages(*a.contents, a.path, files,
               [&](StringRef file, const OpenImages &open) {
                 comparePartners(unequal[file.str()], open);
               });
  }

  void
  comparePartners(const std::map<std::string, std::vector<ImagePair>> &partners,
                  const OpenImages &openFirst) {
    std::set<std::string> files;
    for (const auto &entry : partners)
      files.insert(entry.first);
    openImages(*b.contents, b.path, files,
               [&](StringRef file, const OpenImages &openSecond) {
                 for (ImagePair pair : partners.at(file.str()))
                   comparePair(pair, openFirst, openSecond);
               });
  }

  void comparePair(ImagePair pair, const OpenImages &openFirst,
                   const OpenImages &openSecond) {
    const ListedImage &x = first[pair.first], &y = second[pair.second];
    SmallVector<uint8_t, 0> firstStorage, secondStorage;
    Expected<StringRef> xBytes = openFirst.read(x.position, firstStorage);
    if (!xBytes)
      return addMalformed(x.describe(), toString(xBytes.takeError()));
    Expected<StringRef> yBytes = openSecond.read(y.position, secondStorage);
    if (!yBytes)
      return addMalformed(y.describe(), toString(yBytes.takeError()));
    ImageReport image{x.describe(), y.describe(), {}};
    if (x.form == ImageForm::Cubin)
      image.report = compare(MemoryBufferRef(*xBytes, image.first),
                             MemoryBufferRef(*yBytes, image.second), options);
    else if (x.form == ImageForm::PTX)
      image.report = compareTexts(*xBytes, *yBytes);
    else
      image.report = compareBytes(*xBytes, *yBytes);
    ++result.pairs[unsigned(image.report.verdict)];
    result.verdict = std::max(result.verdict, image.report.verdict);
    limit(image.report.differences, differences);
    limit(image.report.remarks, remarks);
    result.images.push_back(std::move(image));
  }

  /// Drops what won't be shown.
  void limit(std::vector<Difference> &lines, size_t &kept) {
    if (!options.kept)
      return;
    const size_t room = options.kept - std::min<size_t>(kept, options.kept);
    if (lines.size() > room) {
      result.hidden += lines.size() - room;
      lines.resize(room);
    }
    kept += lines.size();
  }

  const ComparedFile &a, &b;
  const CompareOptions &options;
  std::vector<ListedImage> first, second;
  /// Pairs of other bytes, by the file of the first and of the second.
  std::map<std::string, std::map<std::string, std::vector<ImagePair>>> unequal;
  size_t differences = 0, remarks = 0; ///< That are kept.
  FilesReport result;
};

} // namespace

bool FilesReport::isMalformed() const {
  return !malformed.empty() || any_of(images, [](const ImageReport &image) {
    return image.report.isMalformed;
  });
}

FilesReport compareFiles(const ComparedFile &a, const ComparedFile &b,
                         const CompareOptions &options) {
  return FilesComparison(a, b, options).run();
}

} // namespace lld::cuda
