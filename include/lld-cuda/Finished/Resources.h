//===- Resources.h - What kernels of finished files need --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --resources of the tools: the report that a link makes with
/// --resource-report, of files that nobody has to link.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINISHED_RESOURCES_H
#define LLD_CUDA_FINISHED_RESOURCES_H

#include "lld-cuda/Finished/Files.h"
#include "lld-cuda/Finished/LibrarySearch.h"
#include "lld-cuda/Resources/Report.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace lld::cuda {

struct ResourcesOptions {
  FileOptions files;
  unsigned threads = 1;
  /// Where the libraries are that files load; none: they aren't looked at.
  std::optional<SearchOptions> libraries;
};

struct FinishedResources {
  /// An image for each file and architecture.
  report::Report report;
  /// Files with linked images, without those that others load.
  size_t files = 0;
};

/// Adds the linked images of a path, and of what it loads. `report`: what can't
/// be read.
void readResources(llvm::StringRef path, const ResourcesOptions &options,
                   FinishedResources &resources, ErrorReport report);

enum class ResourcesForm { Text, Json, Html };

/// `before`: the files' older version; null: nothing is compared. `top`: rows
/// of the text at most; 0: all.
void printResources(FinishedResources &now, const FinishedResources *before,
                    ResourcesForm form, size_t top, llvm::raw_ostream &os);

} // namespace lld::cuda

#endif
