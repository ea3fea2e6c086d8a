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

#include "Report/ResourceModel.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "lld-cuda/Page/Page.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace lld::cuda::report {

static void addCode(page::TreeNode &root, const Image &image, StringRef symbol,
                    uint32_t object, uint64_t size, bool byObject) {
  SmallVector<std::string, 8> parts;
  std::string demangled;
  if (byObject) {
    if (object >= image.objects.size())
      return;
    const Object &o = image.objects[object];
    if (!o.library.empty())
      parts.push_back(o.library.str());
    parts.push_back(o.label.str());
  } else {
    demangled = demangleDeviceName(symbol);
    page::splitFunctionName(demangled, parts);
  }
  root.add(parts, size);
}

void drawCode(raw_ostream &os, const Image &image, bool byObject) {
  const int height = byObject ? 240 : 420;
  page::TreeNode root;
  for (const Kernel &k : image.kernels)
    addCode(root, image, k.symbol, k.object, k.code, byObject);
  for (const DeviceFunction &f : image.functions)
    addCode(root, image, f.symbol, f.object, f.code, byObject);
  page::drawTreemap(os, root, height,
                    byObject ? "Code by file"
                             : "Code by namespace and function");
}

void drawShared(raw_ostream &os, const Kernel &k) {
  constexpr double Width = 600;
  constexpr int RowHeight = 20;
  uint64_t end = 1;
  for (const SharedPlace &p : k.places)
    end = std::max(end, p.offset + p.size);
  // Variables that overlap stand in rows of their own.
  SmallVector<uint64_t, 4> rowEnds;
  std::vector<size_t> rows;
  for (const SharedPlace &p : k.places) {
    auto *row = find_if(rowEnds, [&](uint64_t e) { return e <= p.offset; });
    rows.push_back(row - rowEnds.begin());
    if (row == rowEnds.end())
      rowEnds.push_back(p.offset + p.size);
    else
      *row = p.offset + p.size;
  }
  const int height = int(rowEnds.size()) * RowHeight;
  os << "<svg class=map viewBox='0 0 600 " << height
     << "' role=img aria-label='Shared memory'>";
  for (size_t i = 0; i != k.places.size(); ++i) {
    const SharedPlace &p = k.places[i];
    const double x = double(p.offset) * Width / double(end);
    const double width = std::max(double(p.size) * Width / double(end), 1.0);
    os << "<g><title>";
    page::escape(os, demangleDeviceName(p.symbol));
    os << ": " << p.size << " B at " << p.offset << "</title>"
       << format("<rect x='%.1f' y='%d' width='%.1f' height='18'", x,
                 int(rows[i]) * RowHeight, width)
       << " class='c" << (p.isCommon ? 1 : 0) << " d0'/></g>";
  }
  os << "</svg>";
}

} // namespace lld::cuda::report
