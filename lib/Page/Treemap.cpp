//===- Treemap.cpp - Draws sizes as areas ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Draws treemaps, in which each thing is a rectangle as large as its share,
/// and splits the names of functions into namespaces for them. The pages of
/// resource reports (PagePictures.cpp) and of cubin-size call drawTreemap() for
/// code by namespace or by file. Coordinates are in units of 1/10,000 of the
/// picture's width, so that all numbers are whole. Colours are classes of the
/// page, so that pictures follow its theme.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Page/Page.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/StringSaver.h"
#include <array>

using namespace llvm;

namespace lld::cuda::page {

uint32_t Tree::child(uint32_t parent, const TreePart &part) {
  auto [it, isNew] = known.try_emplace(
      {uint64_t(parent) * 2 + part.isTemplate, part.name}, nodes.size());
  return isNew ? addNode(parent, part) : it->second;
}

uint32_t Tree::addNode(uint32_t parent, const TreePart &part) {
  nodes.push_back({part, parent, 0});
  return nodes.size() - 1;
}

void Tree::addLeaf(StringRef name, uint64_t size) {
  nodes[Root].size += size;
  nodes.push_back({{name}, Root, size});
}

void Tree::add(ArrayRef<TreePart> path, uint64_t size) {
  // Neighbours are mostly in one namespace.
  size_t same = 0;
  while (same != path.size() && same != last.size() &&
         nodes[last[same]].part == path[same])
    ++same;
  last.resize(same);
  for (const TreePart &part : path.drop_front(same)) {
    const uint32_t parent = last.empty() ? Root : last.back();
    // Functions without templates have been merged with their neighbours.
    const bool isUnique = &part == &path.back() && !part.isTemplate;
    last.push_back(isUnique ? addNode(parent, part) : child(parent, part));
  }
  nodes[Root].size += size;
  for (uint32_t n : last)
    nodes[n].size += size;
}

void Tree::add(ArrayRef<std::string> path, uint64_t size) {
  StringSaver saver(names);
  uint32_t node = Root;
  nodes[Root].size += size;
  for (const std::string &name : path) {
    auto it = known.find({uint64_t(node) * 2, name});
    node = it != known.end() ? it->second
                             : child(node, {saver.save(StringRef(name))});
    nodes[node].size += size;
  }
}

namespace {

struct Box {
  double x, y, width, height;
};

/// Squarified: rows whose boxes are as square as can be.
class Treemap {
public:
  Treemap(Text &text, const Tree &tree);
  void draw(Box box) {
    // Colours differ from the level on at which the code first divides.
    for (uint32_t n = Tree::Root; children(n).size() == 1; ++colorDepth)
      n = children(n).front();
    drawChildren(Tree::Root, box, 0);
  }

private:
  void drawChildren(uint32_t parent, Box box, unsigned depth);
  void drawRow(ArrayRef<uint32_t> row, double sum, double scale, Box &box,
               unsigned depth);
  void drawNode(uint32_t number, Box box, unsigned depth);
  size_t chooseShown(MutableArrayRef<uint32_t> all, double scale,
                     uint64_t &rest, uint64_t &most) const;
  /// Draws a box. Returns true if there is room for the name and for what is in
  /// the box.
  bool drawBox(const TreePart &part, uint64_t size, Box box, unsigned depth,
               bool isLeaf);
  void drawLabel(const TreePart &part, StringRef html, uint64_t size, Box box,
                 bool isLeaf);
  size_t rowLength(ArrayRef<uint32_t> nodes, double side, double scale,
                   double &sum) const;
  ArrayRef<uint32_t> children(uint32_t n) const {
    return ArrayRef(childList).slice(childStart[n],
                                     childStart[n + 1] - childStart[n]);
  }
  const Tree::Node &node(uint32_t n) const { return tree.all()[n]; }
  double sizeOf(uint32_t n) const { return double(node(n).size); }

  static constexpr double LineHeight = 16, Margin = 3, CharWidth = 6.6;

  Text &text;
  const Tree &tree;
  std::vector<uint32_t> childStart, childList; ///< By parent.
  unsigned color = 0, colorDepth = 0;
};

} // namespace

/// Children stand in the order in which they were added.
Treemap::Treemap(Text &text, const Tree &tree) : text(text), tree(tree) {
  const ArrayRef<Tree::Node> nodes = tree.all();
  childStart.assign(nodes.size() + 1, 0);
  for (const Tree::Node &n : nodes.drop_front())
    ++childStart[n.parent + 1];
  for (size_t i = 1; i != childStart.size(); ++i)
    childStart[i] += childStart[i - 1];
  childList.resize(nodes.size() - 1);
  std::vector<uint32_t> next(childStart.begin(), childStart.end() - 1);
  for (uint32_t n = 1; n != nodes.size(); ++n)
    childList[next[nodes[n].parent]++] = n;
}

/// Pictures are drawn in tenths of a pixel, so that all numbers are whole.
static uint32_t units(double pixels) { return uint32_t(pixels * 10); }

/// The name, cut to what there is room for, and the size behind it, or below if
/// nothing else is in the box.
void Treemap::drawLabel(const TreePart &part, StringRef html, uint64_t size,
                        Box box, bool isLeaf) {
  const size_t room = size_t((box.width - 2 * Margin) / CharWidth);
  auto begin = [&](double line) {
    text << "<text x=" << units(box.x + Margin)
         << " y=" << units(box.y + line * LineHeight - Margin) << '>';
  };
  Text number;
  putBytes(number, size);
  const std::string shownSize = number.str();
  const size_t length = part.name.size() + 2 * part.isTemplate;
  begin(1);
  if (length <= room) {
    text << html;
    if (part.isTemplate)
      text << "&lt;&gt;";
    if (length + 1 + shownSize.size() <= room) {
      text << ' ' << shownSize << "</text>";
      return;
    }
  } else {
    // A reference such as "&lt;" must not be cut.
    if (html.size() == part.name.size())
      text << html.take_front(room - 1);
    else
      text.putHtml(part.name.take_front(room - 1));
    text << "…";
  }
  text << "</text>";
  if (!isLeaf || shownSize.size() > room ||
      box.height < 2 * LineHeight + Margin)
    return;
  begin(2);
  text << shownSize << "</text>";
}

bool Treemap::drawBox(const TreePart &part, uint64_t size, Box box,
                      unsigned depth, bool isLeaf) {
  if (depth == colorDepth)
    ++color;
  text << "<g><title>";
  const StringRef name = text.putHtml(part.name);
  if (part.isTemplate)
    text << "&lt;&gt;";
  text << ": ";
  putBytes(text, size);
  text << "</title><rect x=" << units(box.x) << " y=" << units(box.y)
       << " width=" << units(box.width) << " height=" << units(box.height)
       << " class='c" << color % 6 << " d" << std::min(depth, 2u) << "'/>";
  const bool hasRoom =
      box.height > LineHeight + Margin && box.width > 4 * CharWidth;
  if (hasRoom)
    drawLabel(part, name, size, box, isLeaf);
  text << "</g>\n";
  return hasRoom;
}

void Treemap::drawNode(uint32_t number, Box box, unsigned depth) {
  const Tree::Node &n = node(number);
  const bool isLeaf = children(number).empty();
  if (!drawBox(n.part, n.size, box, depth, isLeaf) || isLeaf)
    return;
  drawChildren(number,
               {box.x + Margin, box.y + LineHeight + 1, box.width - 2 * Margin,
                box.height - LineHeight - 1 - Margin},
               depth + 1);
}

/// How many of `nodes`, the largest ones first, make the best row at a side.
size_t Treemap::rowLength(ArrayRef<uint32_t> nodes, double side, double scale,
                          double &sum) const {
  auto worst = [&](double least, double most, double sum) {
    const double thickness = sum * scale / side;
    const double perLength = scale / (thickness * thickness);
    const double a = most * perLength, b = least * perLength;
    return std::max(std::max(a, 1 / a), std::max(b, 1 / b));
  };
  const double most = sizeOf(nodes.front());
  sum = most;
  double now = worst(most, most, sum);
  size_t end = 1;
  for (; end != nodes.size(); ++end) {
    const double next = sizeOf(nodes[end]);
    const double then = worst(next, most, sum + next);
    if (then > now)
      break;
    now = then;
    sum += next;
  }
  return end;
}

/// Takes from the box what the row needs.
void Treemap::drawRow(ArrayRef<uint32_t> row, double sum, double scale,
                      Box &box, unsigned depth) {
  const bool isColumn = box.width >= box.height;
  const double thickness = sum * scale / std::min(box.width, box.height);
  double at = isColumn ? box.y : box.x;
  for (uint32_t n : row) {
    const double length = sizeOf(n) * scale / thickness;
    drawNode(n,
             isColumn ? Box{box.x, at, thickness, length}
                      : Box{at, box.y, length, thickness},
             depth);
    at += length;
  }
  (isColumn ? box.x : box.y) += thickness;
  (isColumn ? box.width : box.height) -= thickness;
}

/// Sorts the largest to the front, and returns how many are shown. What is left
/// would be one tile: it mustn't be larger than those that tell something, of
/// which `most` is the largest that isn't divided.
size_t Treemap::chooseShown(MutableArrayRef<uint32_t> all, double scale,
                            uint64_t &rest, uint64_t &most) const {
  constexpr double LabelledArea = 300, LeastArea = 20;
  constexpr size_t MostLabelled = 40, Most = 2000;
  llvm::sort(all, [&](uint32_t a, uint32_t b) {
    const Tree::Node &x = node(a), &y = node(b);
    return x.size != y.size ? x.size > y.size : a < b;
  });
  rest = 0;
  for (uint32_t child : all)
    rest += node(child).size;
  most = node(all.front()).size;
  for (uint32_t child : all)
    if (children(child).empty()) {
      most = node(child).size;
      break;
    }
  size_t shown = 0;
  for (; shown != all.size() && shown != Most; ++shown) {
    const double area = sizeOf(all[shown]) * scale;
    const bool isRestSmall = rest <= most;
    if (!node(all[shown]).size || area < LeastArea ||
        (isRestSmall && shown + 1 != all.size() &&
         (shown >= MostLabelled || area < LabelledArea)))
      break;
    rest -= node(all[shown]).size;
  }
  return shown;
}

void Treemap::drawChildren(uint32_t parent, Box box, unsigned depth) {
  if (box.width < 4 || box.height < 4)
    return;
  std::vector<uint32_t> all(children(parent));
  uint64_t sum = 0;
  for (uint32_t child : all)
    sum += node(child).size;
  const double scale = box.width * box.height / std::max(double(sum), 1.0);
  uint64_t rest, most;
  const size_t count = chooseShown(all, scale, rest, most);
  for (ArrayRef<uint32_t> left = ArrayRef(all).take_front(count);
       !left.empty();) {
    double rowSum;
    const size_t length =
        rowLength(left, std::min(box.width, box.height), scale, rowSum);
    drawRow(left.take_front(length), rowSum, scale, box, depth);
    left = left.drop_front(length);
  }
  if (!rest || box.width < 0 || box.height < 0)
    return;
  const std::string name = utostr(all.size() - count) + " more";
  // Too much for a tile is left empty.
  if (count && rest <= most)
    drawBox({name}, rest, box, depth, /*isLeaf=*/true);
  else if (box.width > CharWidth * double(name.size()) &&
           box.height > LineHeight)
    drawLabel({name}, name, rest, box, /*isLeaf=*/true);
}

void drawTreemap(Text &text, const Tree &tree, uint32_t height,
                 StringRef label) {
  if (!tree.size())
    return;
  text << "<svg class=tree viewBox='0 0 10000 " << height * 10
       << "' role=img aria-label='";
  text.putHtml(label);
  text << "'>\n";
  Treemap(text, tree).draw({0, 0, 1000, double(height)});
  text << "</svg>\n";
}

void drawTreemap(raw_ostream &os, const Tree &tree, uint32_t height,
                 StringRef label) {
  Text text;
  drawTreemap(text, tree, height, label);
  os << text.str();
}

/// Something may begin or end with it.
static constexpr auto Delimiters = [] {
  std::array<bool, 256> table{};
  for (char c : {'<', '>', '(', ')', '{', '}', ':', ' '})
    table[uint8_t(c)] = true;
  return table;
}();

static bool isPlain(char c) { return !Delimiters[uint8_t(c)]; }

void splitFunctionName(StringRef name, SmallVectorImpl<TreePart> &parts) {
  size_t begin = 0;
  unsigned depth = 0;
  // The type of the result ends at a blank outside of brackets.
  for (size_t k = 0; k != name.size(); ++k) {
    const char c = name[k];
    if (isPlain(c))
      continue;
    if (!depth && c == '(')
      break;
    depth += (c == '<') - (c == '>' && depth);
    if (!depth && c == ' ')
      begin = k + 1;
  }
  auto add = [&](StringRef part) {
    const size_t at = part.find('<');
    const bool isTemplate =
        at != StringRef::npos && at && !part.starts_with("operator");
    parts.push_back({isTemplate ? part.take_front(at) : part, isTemplate});
  };
  depth = 0;
  size_t i = begin;
  for (; i < name.size(); ++i) {
    // Brackets of operators' names are no brackets.
    if (i == begin && name[i] == 'o') {
      StringRef symbol = name.substr(i);
      if (symbol.consume_front("operator") && !symbol.starts_with("("))
        i += StringRef("operator").size() +
             symbol.take_while([](char c) { return strchr("<>=-", c); }).size();
    }
    if (i == name.size())
      break;
    const char c = name[i];
    if (isPlain(c))
      continue;
    if (!depth && c == '(' && !name.substr(i).starts_with("(anonymous"))
      break;
    depth += c == '<' || c == '(' || c == '{';
    depth -= (c == '>' || c == ')' || c == '}') && depth;
    if (!depth && c == ':' && name.substr(i).starts_with("::")) {
      add(name.slice(begin, i));
      begin = i + 2;
      ++i;
    }
  }
  add(name.slice(begin, i));
}

void splitFunctionName(StringRef name, SmallVectorImpl<std::string> &parts) {
  SmallVector<TreePart, 8> all;
  splitFunctionName(name, all);
  for (const TreePart &part : all)
    parts.push_back((part.name + (part.isTemplate ? "<>" : "")).str());
}

} // namespace lld::cuda::page
