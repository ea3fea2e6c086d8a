//===- Files.h - Files, folders and wheels that were shipped ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a user names may be a file, a folder, or a wheel (or another zip file).
/// Here all of them are files with contents, which may be mapped. Of a folder
/// only regular files count: what links name is counted where it is, so a loop
/// of links is none. What of a wheel can't have device code isn't unpacked.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINISHED_FILES_H
#define LLD_CUDA_FINISHED_FILES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace lld::cuda {

/// Who is told of an error, with the label of the file that has it.
using ErrorReport = llvm::function_ref<void(llvm::StringRef, llvm::Error)>;

struct FileOptions {
  /// Where members of wheels are unpacked.
  std::string temporaryFolder;
  /// Bytes that a member may have. None: what there is room for.
  std::optional<uint64_t> memoryLimit;
  /// Members of wheels to unpack, by their labels. Null: all.
  std::function<bool(const std::string &label)> wantsMember = nullptr;
};

class FileVisitor {
public:
  virtual ~FileVisitor() = default;
  /// `label`: as named by the user, or relative to the folder or wheel that
  /// was. `isAsked`: the user has named the file itself.
  virtual void file(const llvm::MemoryBuffer &contents, llvm::StringRef label,
                    bool isAsked) = 0;
  /// One that has no device code, as its beginning tells.
  virtual void otherFile(uint64_t size) {}
  virtual void error(llvm::StringRef label, llvm::Error error) = 0;
};

/// Shows all files of a path; "-" is standard input.
void visitFiles(llvm::StringRef path, const FileOptions &options,
                FileVisitor &visitor);

/// The same for the contents of a file that is open already.
void visitContents(const llvm::MemoryBuffer &contents, llvm::StringRef label,
                   const FileOptions &options, FileVisitor &visitor);

/// Pages of a mapped file that won't be needed again; the kernel may have their
/// memory.
void forgetPages(llvm::StringRef data);

} // namespace lld::cuda

#endif
