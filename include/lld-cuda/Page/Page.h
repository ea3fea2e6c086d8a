//===- Page.h - Pages that need nothing but themselves ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the HTML reports of the linker and of tools have in common: a page in
/// one file without scripts or network, in the reader's theme, and treemaps.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PAGE_PAGE_H
#define LLD_CUDA_PAGE_PAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace lld::cuda::page {

/// Everything up to <main>. `style`: CSS of this page alone.
///
/// Colours are variables that follow the theme: --bg, --fg, --dim (less
/// important text), --line, --head (backgrounds), --warn, --link, and --c0 to
/// --c5 of pictures, whose classes are c0 to c5. A table's first column and
/// class l are text; all else is numbers. `ul class=t` are figures that stand
/// beside each other, in a span with their name and a b.
void writeBegin(llvm::raw_ostream &os, llvm::StringRef title,
                llvm::StringRef style);
void writeEnd(llvm::raw_ostream &os);

/// Text that is no markup.
void escape(llvm::raw_ostream &os, llvm::StringRef text);
/// "123 B", "12.3 KiB", "12.3 MiB".
std::string bytes(uint64_t size);

/// Part of what a treemap shows.
struct TreeNode {
  std::string name;
  uint64_t size = 0; ///< With that of all below.
  std::map<std::string, std::unique_ptr<TreeNode>> children;

  /// Adds to the node's size, and to that of those down the path, which it
  /// creates.
  void add(llvm::ArrayRef<std::string> path, uint64_t size);
};

/// An SVG element as wide as the page; nothing if the size is 0. `height`: in
/// thousandths of the width. `label`: what is shown, for those who can't see
/// it.
void drawTreemap(llvm::raw_ostream &os, const TreeNode &root, int height,
                 llvm::StringRef label);

/// Appends a demangled function's namespaces and its name without arguments:
/// "a::f<int>(char)" is a, f<>.
void splitFunctionName(llvm::StringRef name,
                       llvm::SmallVectorImpl<std::string> &parts);

} // namespace lld::cuda::page

#endif
