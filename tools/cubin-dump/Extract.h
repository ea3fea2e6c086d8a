//===- Extract.h - Images as files of their own -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-dump --extract: writes the images of fatbins, objects and programs
/// into files of their own. main adds each input, and has the files put in
/// place when all could be read.
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

/// Writes images of any files into a folder, decompressed. They are written
/// beside their places first; then all are put there, or none.
class Extraction {
public:
  /// `folder` is there. `replaces`: files that are there.
  Extraction(llvm::StringRef folder, bool replaces)
      : folder(folder), replaces(replaces) {}

  llvm::Error begin();
  /// All images of a file. What can't be read is reported, and the rest
  /// extracted. False: no more can be written.
  bool add(llvm::StringRef path, ErrorReport report);
  /// Puts the files in place. Names in the folder, or what was in the way.
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
  llvm::StringMap<unsigned> counts; ///< Images by what they come from.
  std::vector<std::string> names;
};

/// The folder, made unless it is there; `isNew` says so.
llvm::Error makeFolder(const std::string &path, bool &isNew);

} // namespace lld::cuda

#endif
