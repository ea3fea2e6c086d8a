//===- Extract.h - Writes images as files, --extract ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The implementation of cubin-dump --extract, which writes the images of
/// fatbins, objects and programs into files of their own. main() makes one
/// Extraction, calls add() for each input, and finish() when all could be read.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DUMP_EXTRACT_H
#define LLD_CUDA_CUBIN_DUMP_EXTRACT_H

#include "lld-cuda/Finished/Files.h"
#include "lld-cuda/Support/Cleanup.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lld::cuda {

/// Writes images of files of any kind into a folder, decompressed. They are
/// first written to a temporary folder; finish() then moves all to their
/// places, or none.
class Extraction {
public:
  /// `folder` must exist. With `replaces`, files in it may be replaced.
  Extraction(llvm::StringRef folder, bool replaces)
      : folder(folder), replaces(replaces) {}

  /// Creates the temporary folder. Must be called first.
  llvm::Error begin();
  /// Extracts all images of a file. What can't be read is passed to `report`,
  /// and the rest is extracted. Returns false if no more can be written.
  bool add(llvm::StringRef path, ErrorReport report);
  /// Moves the files to their places. Returns their names in the folder, or an
  /// error, such as a file that exists.
  llvm::Expected<std::vector<std::string>> finish();

private:
  friend class Extractor;
  llvm::Error write(const std::string &name, llvm::StringRef contents);
  std::string makeName(llvm::StringRef source, llvm::StringRef target,
                       llvm::StringRef extension);
  llvm::Error checkPlace(const std::string &name) const;
  llvm::Error move(const std::string &name) const;
  std::string placeOf(llvm::StringRef name) const;

  std::string folder;
  bool replaces;
  TemporaryDirectory temporary;
  llvm::StringMap<unsigned> counts; ///< Number of images, indexed by what they
                                    ///< come from.
  std::vector<std::string> names;
};

/// Creates the folder unless it exists. `isNew` says whether it was created.
llvm::Error makeFolder(const std::string &path, bool &isNew);

} // namespace lld::cuda

#endif
