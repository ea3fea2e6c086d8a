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
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <memory>

using namespace llvm;

namespace lld::cuda::report {

void escape(raw_ostream &os, StringRef text) {
  std::string fixed;
  if (!json::isUTF8(text))
    text = fixed = json::fixUTF8(text);
  for (;;) {
    const size_t at = text.find_first_of("&<>\"");
    os << text.take_front(at);
    if (at == StringRef::npos)
      return;
    os << (text[at] == '&'   ? "&amp;"
           : text[at] == '<' ? "&lt;"
           : text[at] == '>' ? "&gt;"
                             : "&quot;");
    text = text.drop_front(at + 1);
  }
}

std::string bytes(uint64_t size) {
  std::string text;
  raw_string_ostream os(text);
  if (size < 10240)
    os << size << " B";
  else if (size < 10 << 20)
    os << format("%.1f KiB", double(size) / 1024);
  else
    os << format("%.1f MiB", double(size) / (1 << 20));
  return text;
}

namespace {

struct Node {
  std::string name;
  uint64_t size = 0;
  std::map<std::string, std::unique_ptr<Node>> children;

  Node &child(StringRef part) {
    std::unique_ptr<Node> &node = children[part.str()];
    if (!node) {
      node = std::make_unique<Node>();
      node->name = part.str();
    }
    return *node;
  }
};

struct Box {
  double x, y, width, height;
};

/// Squarified: rows whose boxes are as square as can be.
class Treemap {
public:
  explicit Treemap(raw_ostream &os) : os(os) {}
  void draw(const Node &root, Box box) {
    // Where the code first divides, colours do.
    for (const Node *node = &root; node->children.size() == 1; ++colorDepth)
      node = node->children.begin()->second.get();
    drawChildren(root, box, 0);
  }

private:
  void drawChildren(const Node &node, Box box, unsigned depth);
  void drawNode(const Node &node, Box box, unsigned depth);
  void drawRectangle(Box box, unsigned depth);
  static double worst(ArrayRef<const Node *> row, double sum, double side,
                      double scale);

  raw_ostream &os;
  unsigned color = 0, colorDepth = 0;
};

} // namespace

double Treemap::worst(ArrayRef<const Node *> row, double sum, double side,
                      double scale) {
  const double thickness = sum * scale / side;
  const double least = double(row.back()->size) * scale / thickness;
  const double most = double(row.front()->size) * scale / thickness;
  return std::max(std::max(thickness / least, least / thickness),
                  std::max(thickness / most, most / thickness));
}

/// Pictures are drawn in tenths of a pixel, so that all numbers are whole.
static int units(double pixels) { return int(pixels * 10); }

void Treemap::drawRectangle(Box box, unsigned depth) {
  os << "<rect x=" << units(box.x) << " y=" << units(box.y)
     << " width=" << units(box.width) << " height=" << units(box.height)
     << " class='c" << color % 6 << " d" << std::min(depth, 2u) << "'/>";
}

void Treemap::drawNode(const Node &node, Box box, unsigned depth) {
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

void Treemap::drawChildren(const Node &node, Box box, unsigned depth) {
  constexpr double LeastArea = 150;
  if (box.width < 4 || box.height < 4)
    return;
  std::vector<const Node *> nodes;
  double left = 0;
  for (const auto &[name, child] : node.children) {
    nodes.push_back(child.get());
    left += double(child->size);
  }
  llvm::stable_sort(
      nodes, [](const Node *a, const Node *b) { return a->size > b->size; });
  const double scale = box.width * box.height / std::max(left, 1.0);
  for (size_t i = 0; i != nodes.size();) {
    if (double(nodes[i]->size) * scale < LeastArea) {
      Node rest;
      rest.name = utostr(nodes.size() - i) + " smaller ones";
      for (; i != nodes.size(); ++i)
        rest.size += nodes[i]->size;
      return drawNode(rest, box, depth);
    }
    const double side = std::min(box.width, box.height);
    size_t end = i + 1;
    double sum = double(nodes[i]->size);
    const ArrayRef<const Node *> all(nodes);
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

/// Namespaces, then the function's name without arguments: "a::f<int>(char)"
/// is a, f<>.
static void splitName(StringRef name, SmallVectorImpl<std::string> &parts) {
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

static void addCode(Node &root, const Image &image, StringRef symbol,
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
    splitName(demangled, parts);
  }
  Node *node = &root;
  node->size += size;
  for (StringRef part : parts) {
    node = &node->child(part);
    node->size += size;
  }
}

void drawCode(raw_ostream &os, const Image &image, bool byObject) {
  const int height = byObject ? 240 : 420;
  Node root;
  for (const Kernel &k : image.kernels)
    addCode(root, image, k.symbol, k.object, k.code, byObject);
  for (const DeviceFunction &f : image.functions)
    addCode(root, image, f.symbol, f.object, f.code, byObject);
  if (!root.size)
    return;
  os << "<svg class=tree viewBox='0 0 10000 " << height * 10
     << "' role=img aria-label='Code by "
     << (byObject ? "file" : "namespace and function") << "'>\n";
  Treemap(os).draw(root, {0, 0, 1000, double(height)});
  os << "</svg>\n";
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
    escape(os, demangleDeviceName(p.symbol));
    os << ": " << p.size << " B at " << p.offset << "</title>"
       << format("<rect x='%.1f' y='%d' width='%.1f' height='18'", x,
                 int(rows[i]) * RowHeight, width)
       << " class='c" << (p.isCommon ? 1 : 0) << " d0'/></g>";
  }
  os << "</svg>";
}

} // namespace lld::cuda::report
