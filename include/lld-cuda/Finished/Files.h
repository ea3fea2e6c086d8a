//===- Files.h - Visits files, folders and wheels ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Visits the files of a path that a user names: a file, all files of a folder,
/// or the members of a wheel or another zip file, with their contents.
/// cubin-check, cubin-size and the --resources reports call visitFiles() for
/// each path on the command line; cubin-dump and cubin-diff call
/// visitContents() for a file that is already open. Contents may be
/// memory-mapped. In folders only regular files are visited and symbolic links
/// are ignored, so that a cycle of links does no harm. Members of a wheel that
/// can't have device code aren't unpacked.
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

/// Called for an error, with the label of the file that has it.
using ErrorReport = llvm::function_ref<void(llvm::StringRef, llvm::Error)>;

/// How members of wheels are unpacked.
struct FileOptions {
  /// The folder in which members of wheels are unpacked.
  std::string temporaryFolder;
  /// The most bytes that a member may have; nullopt if as many as there is room
  /// for.
  std::optional<uint64_t> memoryLimit;
  /// Returns whether to unpack a member of a wheel. If it is null, all are
  /// unpacked.
  std::function<bool(const std::string &label)> wantsMember = nullptr;
};

/// Receives the files of a path. Callers of visitFiles() derive from it.
class FileVisitor {
public:
  virtual ~FileVisitor() = default;
  /// Called for each file. `contents` are valid only during the call. `label`:
  /// the name that the user gave, or the path relative to the folder or wheel
  /// that the user named. `isAsked`: the user named the file itself.
  virtual void file(const llvm::MemoryBuffer &contents, llvm::StringRef label,
                    bool isAsked) = 0;
  /// Called for a member of a wheel whose first bytes show that it has no
  /// device code. `size`: its size unpacked, in bytes.
  virtual void otherFile(uint64_t size) {}
  virtual void error(llvm::StringRef label, llvm::Error error) = 0;
};

/// Visits all files of a path; "-" is standard input. Errors go to the visitor.
void visitFiles(llvm::StringRef path, const FileOptions &options,
                FileVisitor &visitor);

/// Visits the file whose contents are given, or its members if it is a zip
/// file.
void visitContents(const llvm::MemoryBuffer &contents, llvm::StringRef label,
                   const FileOptions &options, FileVisitor &visitor);

/// Tells the kernel that it may reclaim the memory of `data`, a part of a
/// mapped file that won't be needed again.
void forgetPages(llvm::StringRef data);

} // namespace lld::cuda

#endif
