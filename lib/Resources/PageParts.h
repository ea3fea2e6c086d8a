//===- PageParts.h - Parts of the HTML resource report ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the three sources of the HTML resource report share. HtmlReport.cpp
/// writes the page when a link with --resource-report ends, or when a tool
/// prints the resources of finished cubins (lib/Finished). While it does, it
/// calls PageNames.cpp for the names of symbols and PagePictures.cpp for
/// diagrams of code and memory.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RESOURCES_PAGEPARTS_H
#define LLD_CUDA_RESOURCES_PAGEPARTS_H

#include "lld-cuda/Page/Text.h"
#include "lld-cuda/Resources/Report.h"
#include "llvm/ADT/MapVector.h"

namespace lld::cuda::report {

/// A symbol's name as the page shows it. The texts belong to PageNames.
struct ShownName {
  llvm::StringRef full;  ///< The demangled name.
  llvm::StringRef brief; ///< Shortened if it is long.
  bool isPlain = false;  ///< Whether `full` is the symbol itself, not
                         ///< demangled.
  llvm::StringRef html;  ///< `brief` as HTML, in the page's text; empty until
                         ///< first written.
};

/// The names on the page of one image. Each is demangled once, when it is first
/// asked for. `image` must outlive the object. PageNames.cpp.
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
  /// Returns as HTML, such as " → f 8 B → g 16 B", the chain of calls from a
  /// function that needs the most stack; up to 15 calls.
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
  llvm::MapVector<llvm::StringRef, ShownName> others;
  std::vector<llvm::StringRef> calls; ///< Indexed by function.
  llvm::BumpPtrAllocator arena;
  llvm::StringSaver saver{arena};
};

// PagePictures.cpp

/// Write treemaps of the code with their titles: by namespace and function, or
/// by archive and file. Write nothing if there are only a few functions or
/// files.
void drawCodeByName(page::Text &text, const Image &image, PageNames &names);
void drawCodeByFile(page::Text &text, const Image &image);
/// Writes a diagram of where variables are in a kernel's shared memory.
void drawShared(page::Text &text, llvm::ArrayRef<SharedPlace> places);

} // namespace lld::cuda::report

#endif
