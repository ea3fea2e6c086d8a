//===- Page.h - Pages that need nothing but themselves ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the HTML reports of the linker and of tools have in common: a page in
/// one file without network, in the reader's theme, which a small script makes
/// sort and filter, and treemaps.
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

/// Everything up to <main>. `style`: CSS of this page alone.
///
/// Colours are variables that follow the theme: --bg, --fg, --dim (less
/// important text), --line, --head (backgrounds), --warn, --link, and --c0 to
/// --c5 of pictures, whose classes are c0 to c5. A table's first column and
/// class l are text; all else is numbers. `ul class=t` are figures that stand
/// beside each other, in a span with their name and a b. `p class=answer` says
/// what most readers came for. Tables in a `div class=k` sort, and scroll where
/// they are too wide; with `data-filter` they get fields to filter by.
void writeBegin(Text &text, llvm::StringRef title, llvm::StringRef style);
void writeBegin(llvm::raw_ostream &os, llvm::StringRef title,
                llvm::StringRef style);
/// `maker`: the program with its version, which the page names with the date.
void writeEnd(Text &text, llvm::StringRef maker);
void writeEnd(llvm::raw_ostream &os, llvm::StringRef maker);

/// Text that is no markup.
void escape(llvm::raw_ostream &os, llvm::StringRef text);
/// "12,345"
void putNumber(Text &text, uint64_t number);
/// "12,345 B", which is what all sizes are in.
void putBytes(Text &text, uint64_t size);

/// A namespace, class or function; an archive or file.
struct TreePart {
  llvm::StringRef name;
  bool isTemplate = false; ///< All instances are one: shown as name<>.

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
    uint64_t size = 0; ///< With that of all below.
  };
  static constexpr uint32_t Root = 0;

  /// Adds a size at the end of a path from the root. Names must live as long as
  /// the tree. Of one parent those with the same name have to follow each
  /// other, unless they are templates or have children.
  void add(llvm::ArrayRef<TreePart> path, uint64_t size);
  /// A thing of its own that is in nothing else.
  void addLeaf(llvm::StringRef name, uint64_t size);
  /// Adds a thing in any order, with copies of the names.
  void add(llvm::ArrayRef<std::string> path, uint64_t size);

  void reserve(size_t count) { nodes.reserve(count + 1); }
  uint64_t size() const { return nodes.front().size; }
  llvm::ArrayRef<Node> all() const { return nodes; }

private:
  uint32_t child(uint32_t parent, const TreePart &part);
  uint32_t addNode(uint32_t parent, const TreePart &part);

  std::vector<Node> nodes{1};
  /// By twice the parent's number, plus 1 for templates.
  llvm::DenseMap<std::pair<uint64_t, llvm::StringRef>, uint32_t> known;
  llvm::SmallVector<uint32_t, 8> last; ///< The path that was added before.
  llvm::BumpPtrAllocator names;
};

/// An SVG element as wide as the page; nothing if the size is 0. `height`: in
/// thousandths of the width. `label`: what is shown, for those who can't see
/// it.
void drawTreemap(Text &text, const Tree &tree, uint32_t height,
                 llvm::StringRef label);
void drawTreemap(llvm::raw_ostream &os, const Tree &tree, uint32_t height,
                 llvm::StringRef label);

/// Appends a demangled function's namespaces and its name without arguments:
/// "a::f<int>(char)" is a, f<>. The parts are parts of the name.
void splitFunctionName(llvm::StringRef name,
                       llvm::SmallVectorImpl<TreePart> &parts);
void splitFunctionName(llvm::StringRef name,
                       llvm::SmallVectorImpl<std::string> &parts);

} // namespace lld::cuda::page

#endif
