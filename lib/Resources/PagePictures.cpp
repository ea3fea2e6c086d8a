//===- PagePictures.cpp - Pictures of code and shared memory --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Draws the pictures of a resource report as SVG: code by function and by file
/// as treemaps, and the layout of each kernel's shared memory. HtmlReport.cpp
/// calls these functions while it writes the page. Colours are classes of the
/// page, so that pictures follow its theme. Every kernel may have a picture, so
/// each consists of few elements: all variables of one kind are one path.
///
//===----------------------------------------------------------------------===//

#include "PageParts.h"
#include "lld-cuda/Page/Page.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lld::cuda::report {

/// A treemap of fewer parts would show no more than the tables do.
static constexpr size_t LeastShown = 4;

void drawCodeByName(page::Text &text, const Image &image, PageNames &names) {
  const size_t count = image.kernels.size() + image.functions.size();
  if (!image.code || count < LeastShown)
    return;
  page::Tree tree;
  tree.reserve(count);
  SmallVector<page::TreePart, 8> path;
  auto add = [&](const ShownName &name, uint64_t size) {
    if (name.isPlain)
      return tree.addLeaf(name.full, size);
    path.clear();
    page::splitFunctionName(name.full, path);
    tree.add(path, size);
  };
  for (size_t i = 0; i != image.kernels.size(); ++i)
    add(names.kernel(i), image.kernels[i].code);
  for (size_t i = 0; i != image.functions.size(); ++i)
    add(names.function(i), image.functions[i].code);
  text << "<h3>Code by namespace and function</h3>\n";
  page::drawTreemap(text, tree, 420, "Code by namespace and function");
}

void drawCodeByFile(page::Text &text, const Image &image) {
  const size_t count =
      count_if(image.objects, [](const Object &o) { return o.code != 0; });
  if (count < LeastShown)
    return;
  page::Tree tree;
  for (const Object &o : image.objects) {
    const page::TreePart path[] = {{o.library}, {o.label}};
    tree.add(ArrayRef(path).drop_front(o.library.empty()), o.code);
  }
  text << "<h3>Code by file</h3>\n";
  page::drawTreemap(text, tree, 240, "Code by file");
}

/// Draws shared memory as wide as it has bytes; lines a row wide are the
/// variables. There is a path for each of their two kinds, not an element for
/// each variable, since every kernel has a picture. The text below the picture
/// says which kind is which.
void drawShared(page::Text &text, ArrayRef<SharedPlace> places) {
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
  const uint64_t height = rowEnds.size();
  text << "<svg class=map preserveAspectRatio=none viewBox='0 -.5 " << end
       << ' ' << height << '\'';
  constexpr uint64_t RowPixels = 20;
  text << " height=" << height * RowPixels;
  text << " role=img aria-label='Shared memory'>";
  const uint64_t gap = end / 400, leastSeen = 2 * gap;
  for (const bool isCommon : {false, true}) {
    if (!hasKind[isCommon])
      continue;
    if (isCommon)
      text << "<path class=c1 d='";
    else
      text << "<path class=c0 d='";
    for (size_t i = 0; i != places.size(); ++i) {
      const SharedPlace &p = places[i];
      if (p.isCommon == isCommon)
        text << 'M' << p.offset << ' ' << rows[i] << 'h'
             << std::max(p.size, leastSeen) - gap;
    }
    text << "'/>";
  }
  text << "</svg>";
}

} // namespace lld::cuda::report
