//===- PageParts.h - Parts of a resource report's page -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the sources of the resource page share: HtmlReport.cpp writes the page,
/// PageNames.cpp makes its names and PagePictures.cpp its diagrams of stacks
/// and memory.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RESOURCES_PAGEPARTS_H
#define LLD_CUDA_RESOURCES_PAGEPARTS_H

#include "lld-cuda/Page/Text.h"
#include "lld-cuda/Resources/Report.h"
#include "llvm/ADT/DenseMap.h"

namespace lld::cuda::report {

/// A symbol as people read it.
struct ShownName {
  llvm::StringRef full;  ///< Demangled.
  llvm::StringRef brief; ///< Without what makes it long.
  bool isPlain = false;  ///< `full` is the symbol itself.
  llvm::StringRef html;  ///< `brief`, where the page has it first.
};

/// The names of an image's page: each is demangled once, when it is wanted.
/// The table must not outlive the image. PageNames.cpp.
class PageNames {
public:
  explicit PageNames(const Image &image)
      : image(image), kernels(image.kernels.size()),
        functions(image.functions.size()), calls(image.functions.size()) {}

  ShownName &kernel(size_t position) {
    return get(kernels[position], image.kernels[position].symbol);
  }
  ShownName &function(size_t position) {
    return get(functions[position], image.functions[position].symbol);
  }
  ShownName &symbol(llvm::StringRef symbol) {
    return get(others[symbol], symbol);
  }
  /// " → f 8 B → g 16 B", as HTML: the deepest calls from a function on, that
  /// many at most.
  llvm::StringRef callsFrom(int32_t function);

private:
  ShownName &get(ShownName &name, llvm::StringRef symbol) {
    if (name.full.empty())
      fill(name, symbol);
    return name;
  }
  void fill(ShownName &name, llvm::StringRef symbol);

  const Image &image;
  std::vector<ShownName> kernels, functions;
  llvm::DenseMap<llvm::StringRef, ShownName> others;
  std::vector<llvm::StringRef> calls; ///< By function.
  llvm::BumpPtrAllocator arena;
  llvm::StringSaver saver{arena};
};

// PagePictures.cpp

/// Treemaps of the code, by namespace and function and by archive and file,
/// with their titles. Nothing for a handful of functions, or of files.
void drawCodeByName(page::Text &text, const Image &image, PageNames &names);
void drawCodeByFile(page::Text &text, const Image &image);
/// Which variables lie where in a kernel's shared memory.
void drawShared(page::Text &text, llvm::ArrayRef<SharedPlace> places);

} // namespace lld::cuda::report

#endif
