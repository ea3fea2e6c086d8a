//===- Resources.h - Resource report of finished files ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The resource report of finished files, as the option --resources of
/// cubin-check and cubin-size prints it: registers, memory and occupancy of
/// each kernel, which the linker reports with --resource-report while it links.
/// The tools' main functions call readResources() for each path, and then
/// printResources() once.
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
  /// How to search for the libraries that the files load; with nullopt,
  /// libraries aren't read.
  std::optional<SearchOptions> libraries;
};

/// The resources of all files that were read.
struct FinishedResources {
  /// Has an image for each file and architecture.
  report::Report report;
  /// Number of files with linked images, without libraries that others load.
  size_t files = 0;
};

/// Adds the linked images of all files of a path, and of the libraries that
/// they load. `report` is called for files that can't be read.
void readResources(llvm::StringRef path, const ResourcesOptions &options,
                   FinishedResources &resources, ErrorReport report);

enum class ResourcesForm { Text, Json, Html };

/// Prints the report. `before`: the report of an older version of the files to
/// compare with, or null. `top`: the most rows in text form; 0 for all.
void printResources(FinishedResources &now, const FinishedResources *before,
                    ResourcesForm form, size_t top, llvm::raw_ostream &os);

} // namespace lld::cuda

#endif
