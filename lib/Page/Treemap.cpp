//===- Treemap.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Pictures are drawn in tenths of a thousandth of the width, so that all
/// numbers are whole. Colours are the page's classes, so that they follow its
/// theme.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Page/Page.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda::page {

void TreeNode::add(ArrayRef<std::string> path, uint64_t more) {
  TreeNode *node = this;
  node->size += more;
  for (const std::string &part : path) {
    std::unique_ptr<TreeNode> &next = node->children[part];
    if (!next) {
      next = std::make_unique<TreeNode>();
      next->name = part;
    }
    node = next.get();
    node->size += more;
  }
}

namespace {

struct Box {
  double x, y, width, height;
};

/// Squarified: rows whose boxes are as square as can be.
class Treemap {
public:
  explicit Treemap(raw_ostream &os) : os(os) {}
  void draw(const TreeNode &root, Box box) {
    // Where the code first divides, colours do.
    for (const TreeNode *node = &root; node->children.size() == 1; ++colorDepth)
      node = node->children.begin()->second.get();
    drawChildren(root, box, 0);
  }

private:
  void drawChildren(const TreeNode &node, Box box, unsigned depth);
  void drawNode(const TreeNode &node, Box box, unsigned depth);
  void drawRectangle(Box box, unsigned depth);
  static double worst(ArrayRef<const TreeNode *> row, double sum, double side,
                      double scale);

  raw_ostream &os;
  unsigned color = 0, colorDepth = 0;
};

} // namespace

double Treemap::worst(ArrayRef<const TreeNode *> row, double sum, double side,
                      double scale) {
  const double thickness = sum * scale / side;
  const double least = double(row.back()->size) * scale / thickness;
  const double most = double(row.front()->size) * scale / thickness;
  return std::max(std::max(thickness / least, least / thickness),
                  std::max(thickness / most, most / thickness));
}

static int units(double pixels) { return int(pixels * 10); }

void Treemap::drawRectangle(Box box, unsigned depth) {
  os << "<rect x=" << units(box.x) << " y=" << units(box.y)
     << " width=" << units(box.width) << " height=" << units(box.height)
     << " class='c" << color % 6 << " d" << std::min(depth, 2u) << "'/>";
}

void Treemap::drawNode(const TreeNode &node, Box box, unsigned depth) {
  constexpr double CharWidth = 6.6, LineHeight = 16, Margin = 3;
  const bool isLeaf = node.children.empty();
  if (depth == colorDepth)
    ++color;
  os << "<g><title>";
  escape(os, node.name);
  os << ": " << bytes(node.size) << "</title>";
  drawRectangle(box, depth);
  const bool hasRoom =
      box.height > LineHeight + Margin && box.width > 4 * CharWidth;
  if (hasRoom) {
    const size_t room = size_t((box.width - 2 * Margin) / CharWidth);
    std::string text = node.name;
    if (text.size() > room)
      text = text.substr(0, room - 1) + "…";
    os << "<text x=" << units(box.x + Margin)
       << " y=" << units(box.y + LineHeight - Margin) << '>';
    escape(os, text);
    os << "</text>";
  }
  os << "</g>\n";
  if (isLeaf || !hasRoom)
    return;
  drawChildren(node,
               {box.x + Margin, box.y + LineHeight + 1, box.width - 2 * Margin,
                box.height - LineHeight - 1 - Margin},
               depth + 1);
}

void Treemap::drawChildren(const TreeNode &node, Box box, unsigned depth) {
  constexpr double LeastArea = 150;
  if (box.width < 4 || box.height < 4)
    return;
  std::vector<const TreeNode *> nodes;
  double left = 0;
  for (const auto &[name, child] : node.children) {
    nodes.push_back(child.get());
    left += double(child->size);
  }
  llvm::stable_sort(nodes, [](const TreeNode *a, const TreeNode *b) {
    return a->size > b->size;
  });
  const double scale = box.width * box.height / std::max(left, 1.0);
  for (size_t i = 0; i != nodes.size();) {
    if (double(nodes[i]->size) * scale < LeastArea) {
      TreeNode rest;
      rest.name = utostr(nodes.size() - i) + " smaller ones";
      for (; i != nodes.size(); ++i)
        rest.size += nodes[i]->size;
      return drawNode(rest, box, depth);
    }
    const double side = std::min(box.width, box.height);
    size_t end = i + 1;
    double sum = double(nodes[i]->size);
    const ArrayRef<const TreeNode *> all(nodes);
    while (end != nodes.size() && nodes[end]->size) {
      const double more = sum + double(nodes[end]->size);
      if (worst(all.slice(i, end + 1 - i), more, side, scale) >
          worst(all.slice(i, end - i), sum, side, scale))
        break;
      sum = more;
      ++end;
    }
    const bool isColumn = box.width >= box.height;
    const double thickness = sum * scale / side;
    double at = isColumn ? box.y : box.x;
    for (; i != end; ++i) {
      const double length = double(nodes[i]->size) * scale / thickness;
      drawNode(*nodes[i],
               isColumn ? Box{box.x, at, thickness, length}
                        : Box{at, box.y, length, thickness},
               depth);
      at += length;
    }
    (isColumn ? box.x : box.y) += thickness;
    (isColumn ? box.width : box.height) -= thickness;
  }
}

void drawTreemap(raw_ostream &os, const TreeNode &root, int height,
                 StringRef label) {
  if (!root.size)
    return;
  os << "<svg class=tree viewBox='0 0 10000 " << height * 10
     << "' role=img aria-label='";
  escape(os, label);
  os << "'>\n";
  Treemap(os).draw(root, {0, 0, 1000, double(height)});
  os << "</svg>\n";
}

void splitFunctionName(StringRef name, SmallVectorImpl<std::string> &parts) {
  size_t begin = 0, i = 0;
  unsigned depth = 0;
  // What is returned stands before a blank outside of brackets.
  for (size_t k = 0; k != name.size() && (depth || name[k] != '('); ++k) {
    depth += (name[k] == '<') - (name[k] == '>' && depth);
    if (!depth && name[k] == ' ')
      begin = k + 1;
  }
  depth = 0;
  for (i = begin; i < name.size(); ++i) {
    const char c = name[i];
    if (!depth && c == '(' && !name.substr(i).starts_with("(anonymous"))
      break;
    depth += c == '<' || c == '(' || c == '{';
    depth -= (c == '>' || c == ')' || c == '}') && depth;
    if (!depth && name.substr(i).starts_with("::")) {
      parts.push_back(name.slice(begin, i).str());
      begin = i + 2;
      ++i;
    }
  }
  parts.push_back(name.slice(begin, i).str());
  for (std::string &part : parts)
    if (const size_t at = part.find('<'); at != std::string::npos && at)
      part = part.substr(0, at) + "<>";
}

} // namespace lld::cuda::page
