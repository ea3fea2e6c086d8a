//===- ResourcePictures.cpp - Treemaps and maps of shared memory ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pictures of a resource report, as SVG. Colours are the page's classes,
/// so that they follow its theme.
///
//===----------------------------------------------------------------------===//

#include "Report/ResourcePage.h"
#include "lld-cuda/Page/Page.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lld::cuda::report {

void drawCodeByName(page::Text &text, const Image &image, PageNames &names) {
  page::Tree tree;
  SmallVector<page::TreePart, 8> path;
  auto add = [&](const ShownName &name, uint64_t size) {
    path.clear();
    if (name.isPlain)
      path.push_back({name.full});
    else
      page::splitFunctionName(name.full, path);
    tree.add(path, size);
  };
  for (size_t i = 0; i != image.kernels.size(); ++i)
    add(names.kernel(i), image.kernels[i].code);
  for (size_t i = 0; i != image.functions.size(); ++i)
    add(names.function(i), image.functions[i].code);
  page::drawTreemap(text, tree, 420, "Code by namespace and function");
}

void drawCodeByFile(page::Text &text, const Image &image) {
  page::Tree tree;
  for (const Object &o : image.objects) {
    const page::TreePart path[] = {{o.library}, {o.label}};
    tree.add(ArrayRef(path).drop_front(o.library.empty()), o.code);
  }
  page::drawTreemap(text, tree, 240, "Code by file");
}

/// A path for each of the two kinds of variables: few elements, since every
/// kernel has them. Which is which is in the text below.
void drawShared(page::Text &text, ArrayRef<SharedPlace> places) {
  constexpr uint64_t Width = 6000, RowHeight = 200, BarHeight = 180;
  uint64_t end = 1;
  for (const SharedPlace &p : places)
    end = std::max(end, p.offset + p.size);
  // Variables that overlap stand in rows of their own.
  SmallVector<uint64_t, 4> rowEnds;
  SmallVector<uint64_t, 16> rows;
  bool hasKind[2] = {};
  for (const SharedPlace &p : places) {
    auto *row = find_if(rowEnds, [&](uint64_t e) { return e <= p.offset; });
    rows.push_back(row - rowEnds.begin());
    if (row == rowEnds.end())
      rowEnds.push_back(p.offset + p.size);
    else
      *row = p.offset + p.size;
    hasKind[p.isCommon] = true;
  }
  // Sizes are those of an image, but a report may say anything.
  auto scaled = [&](uint64_t size) {
    return uint64_t(double(size) * double(Width) / double(end));
  };
  text << "<svg class=map viewBox='0 0 6000 "
       << uint64_t(rowEnds.size()) * RowHeight
       << "' role=img aria-label='Shared memory'>";
  for (const bool isCommon : {false, true}) {
    if (!hasKind[isCommon])
      continue;
    if (isCommon)
      text << "<path class=c1 d='";
    else
      text << "<path class=c0 d='";
    for (size_t i = 0; i != places.size(); ++i) {
      const SharedPlace &p = places[i];
      if (p.isCommon != isCommon)
        continue;
      const uint64_t width = std::max<uint64_t>(scaled(p.size), 20);
      text << 'M' << scaled(p.offset) << ' ' << rows[i] * RowHeight << 'h'
           << width - 10 << 'v' << BarHeight << 'H' << scaled(p.offset) << 'z';
    }
    text << "'/>";
  }
  text << "</svg>";
}

} // namespace lld::cuda::report
