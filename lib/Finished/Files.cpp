//===- Files.cpp - Files, folders and wheels that were shipped ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The tools that look at shipped files (cubin-check, cubin-size, cubin-dump,
/// cubin-diff) get them one by one from visitFiles() and visitContents(). A
/// wheel may unpack to gigabytes, so PathWalker unpacks the first 64 bytes of a
/// member to see whether it may hold device code, and the rest only then;
/// afterwards it lets the kernel have the packed pages back. Files of a folder
/// come in the order of their sorted paths, so that reports don't depend on the
/// file system.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Finished/Files.h"
#include "lld-cuda/Finished/Zip.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "lld-cuda/Support/RegularFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

namespace {

class PathWalker {
public:
  PathWalker(const FileOptions &options, FileVisitor &visitor)
      : options(options), visitor(visitor) {}

  void file(StringRef path, StringRef label, bool isAsked) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
        isAsked ? readRegularFileOrStdin(path) : readRegularFile(path);
    if (!buffer)
      return visitor.error(label, errorCodeToError(buffer.getError()));
    contents(**buffer, label, isAsked);
  }

  void contents(const MemoryBuffer &buffer, StringRef label, bool isAsked) {
    StringRef data = buffer.getBuffer();
    if (isZip(data) && (isAsked || label.ends_with(".whl")))
      return zip(data, isAsked ? "" : (label + ":").str(), label);
    visitor.file(buffer, label, isAsked);
  }

private:
  /// Visits the members of a zip file as if it were unpacked.
  void zip(StringRef data, const std::string &prefix, StringRef label) {
    Expected<std::vector<ZipMember>> members = readZipMembers(data);
    if (!members)
      return visitor.error(label, members.takeError());
    for (const ZipMember &member : *members) {
      if (options.wantsMember && !options.wantsMember(prefix + member.name))
        continue;
      constexpr size_t Beginning = 64;
      const std::string first = peekZipMember(member, Beginning);
      if (first.size() < std::min<uint64_t>(Beginning, member.size)) {
        visitor.error(label,
                      createStringError(member.name + ": damaged: it "
                                                      "can't be unpacked"));
        continue;
      }
      if (!mayHaveDeviceCode(first)) {
        visitor.otherFile(member.size);
        continue;
      }
      Expected<std::unique_ptr<MemoryBuffer>> buffer =
          openZipMember(member, options.temporaryFolder, options.memoryLimit);
      if (member.isPacked())
        forgetPages(member.data);
      if (buffer)
        visitor.file(**buffer, prefix + member.name, /*isAsked=*/false);
      else
        visitor.error(label, createStringError(member.name + ": " +
                                               toString(buffer.takeError())));
    }
  }

  const FileOptions &options;
  FileVisitor &visitor;
};

/// Regular files below a directory, sorted. Links aren't followed.
std::vector<std::string> listFiles(StringRef directory, std::error_code &ec) {
  std::vector<std::string> files;
  for (sys::fs::recursive_directory_iterator it(directory, ec,
                                                /*follow_symlinks=*/false),
       end;
       it != end && !ec; it.increment(ec))
    if (it->type() == sys::fs::file_type::regular_file)
      files.push_back(it->path());
  sort(files);
  return files;
}

} // namespace

void visitFiles(StringRef path, const FileOptions &options,
                FileVisitor &visitor) {
  PathWalker walker(options, visitor);
  if (!sys::fs::is_directory(path))
    return walker.file(path, path, /*isAsked=*/true);
  std::error_code ec;
  for (const std::string &file : listFiles(path, ec))
    walker.file(file, StringRef(file).drop_front(path.size()).ltrim('/'),
                /*isAsked=*/false);
  if (ec)
    visitor.error(path, errorCodeToError(ec));
}

void visitContents(const MemoryBuffer &contents, StringRef label,
                   const FileOptions &options, FileVisitor &visitor) {
  PathWalker(options, visitor).contents(contents, label, /*isAsked=*/true);
}

void forgetPages(StringRef data) {
  const uintptr_t page = sysconf(_SC_PAGESIZE);
  const uintptr_t begin = alignTo(uintptr_t(data.begin()), page);
  const uintptr_t end = alignDown(uintptr_t(data.end()), page);
  if (begin < end)
    ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

} // namespace lld::cuda
