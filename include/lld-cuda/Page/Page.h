//===- Page.h - Common parts of HTML reports --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The common parts of HTML reports: the frame of a page, escaping, number
/// formats, and treemaps. The linker's resource reports (lib/Resources),
/// cubin-check and cubin-size call these functions when they write a report as
/// HTML. A page is one file that loads nothing from the network, follows the
/// reader's colour theme, and has a small script to sort and filter tables.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PAGE_PAGE_H
#define LLD_CUDA_PAGE_PAGE_H

#include "lld-cuda/Page/Text.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <string>
#include <vector>

namespace lld::cuda::page {

/// Writes everything up to <main>. `style`: additional CSS for this page.
///
/// Colours are variables that follow the theme: --bg, --fg, --dim (less
/// important text), --line, --head (backgrounds), --warn, --link, and --c0 to
/// --c5 of pictures, whose classes are c0 to c5. A table's first column and
/// class l are text; all else is numbers. `ul class=t` shows figures beside
/// each other: each item has a span with the name, and a b with the figure. `p
/// class=answer` is for the answer that most readers look for. Tables in a `div
/// class=k` sort, and scroll where they are too wide; with `data-filter` they
/// get fields to filter by.
void writeBegin(Text &text, llvm::StringRef title, llvm::StringRef style);
void writeBegin(llvm::raw_ostream &os, llvm::StringRef title,
                llvm::StringRef style);
/// Writes the end of the page, which names `maker` (a program with its version)
/// and the date.
void writeEnd(Text &text, llvm::StringRef maker);
void writeEnd(llvm::raw_ostream &os, llvm::StringRef maker);

/// Writes text with characters escaped that would be markup.
void escape(llvm::raw_ostream &os, llvm::StringRef text);
/// Writes a number with separators: "12,345".
void putNumber(Text &text, uint64_t number);
/// Writes a size in bytes: "12,345 B".
void putBytes(Text &text, uint64_t size);

/// A namespace, class or function; an archive or file.
struct TreePart {
  llvm::StringRef name;
  bool isTemplate = false; ///< All instances count as one, shown as name<>.

  bool operator==(const TreePart &other) const {
    return name == other.name && isTemplate == other.isTemplate;
  }
};

/// What a treemap shows: sizes of things that are in other things.
class Tree {
public:
  struct Node {
    TreePart part;
    uint32_t parent = 0;
    uint64_t size = 0; ///< In bytes, including all nodes below.
  };
  static constexpr uint32_t Root = 0;

  /// Adds a size at the end of a path from the root. Names must live as long as
  /// the tree. Children of a parent with the same name must be added one after
  /// the other, unless they are templates or have children.
  void add(llvm::ArrayRef<TreePart> path, uint64_t size);
  /// Adds a node directly below the root.
  void addLeaf(llvm::StringRef name, uint64_t size);
  /// Adds a size, in any order; copies the names.
  void add(llvm::ArrayRef<std::string> path, uint64_t size);

  void reserve(size_t count) { nodes.reserve(count + 1); }
  uint64_t size() const { return nodes.front().size; }
  llvm::ArrayRef<Node> all() const { return nodes; }

private:
  uint32_t child(uint32_t parent, const TreePart &part);
  uint32_t addNode(uint32_t parent, const TreePart &part);

  std::vector<Node> nodes{1};
  /// Children by twice the parent's number (plus 1 for templates) and name.
  llvm::DenseMap<std::pair<uint64_t, llvm::StringRef>, uint32_t> known;
  llvm::SmallVector<uint32_t, 8> last; ///< The path that was added last.
  llvm::BumpPtrAllocator names;
};

/// Writes a treemap as an SVG element as wide as the page, or nothing if the
/// tree's size is 0. `height`: in thousandths of the width. `label`: a
/// description for screen readers.
void drawTreemap(Text &text, const Tree &tree, uint32_t height,
                 llvm::StringRef label);
void drawTreemap(llvm::raw_ostream &os, const Tree &tree, uint32_t height,
                 llvm::StringRef label);

/// Appends a demangled function's namespaces and its name without arguments:
/// "a::f<int>(char)" is a, f<>. The parts are slices of `name`.
void splitFunctionName(llvm::StringRef name,
                       llvm::SmallVectorImpl<TreePart> &parts);
void splitFunctionName(llvm::StringRef name,
                       llvm::SmallVectorImpl<std::string> &parts);

} // namespace lld::cuda::page

#endif
