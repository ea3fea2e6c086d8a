//===- OutputChunks.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputChunks.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

void OutputChunks::add(StringRef bytes) {
  chunks.push_back({bytes, 0});
  bytesInAll += bytes.size();
}

void OutputChunks::own(SmallVector<char, 0> bytes) {
  const SmallVector<char, 0> &kept = owned.emplace_back(std::move(bytes));
  add(StringRef(kept.data(), kept.size()));
}

void OutputChunks::zeros(uint64_t count) {
  chunks.push_back({StringRef(), count});
  bytesInAll += count;
}

std::string OutputChunks::flatten() const {
  std::string text;
  text.reserve(bytesInAll);
  for (const Chunk &chunk : chunks) {
    text += chunk.bytes;
    text.append(chunk.zeros, '\0');
  }
  return text;
}

static Error lastError(StringRef what) {
  return createStringError(what + ": " + sys::StrError(errno));
}

/// A new file has zeros where nothing is written, and no blocks for them.
Error OutputChunks::write(int fd) {
  if (::ftruncate(fd, bytesInAll) != 0)
    return lastError("can't set the file's size");
  uint64_t at = 0;
  for (const Chunk &chunk : chunks) {
    for (size_t done = 0; done < chunk.bytes.size();) {
      const ssize_t n = ::pwrite(fd, chunk.bytes.data() + done,
                                 chunk.bytes.size() - done, at + done);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return lastError("can't write");
      done += n;
    }
    at += chunk.bytes.size() + chunk.zeros;
  }
  return Error::success();
}

Error OutputChunks::save(StringRef path, StringRef model,
                         function_ref<Error(StringRef)> check) {
  struct stat status;
  if (::stat(model.str().c_str(), &status) != 0)
    return lastError(model);
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(
      path + ".%%%%%%%%", sys::fs::owner_read | sys::fs::owner_write);
  if (!file)
    return file.takeError();
  auto finish = [&]() -> Error {
    if (Error e = write(file->FD))
      return e;
    if (::fchmod(file->FD, status.st_mode & 07777) != 0)
      return lastError("can't set the file's mode");
    ErrorOr<std::unique_ptr<MemoryBuffer>> written =
        MemoryBuffer::getOpenFile(file->FD, path, bytesInAll,
                                  /*RequiresNullTerminator=*/false);
    if (!written)
      return errorCodeToError(written.getError());
    return check((*written)->getBuffer());
  };
  if (Error e = finish())
    return joinErrors(std::move(e), file->discard());
  return file->keep(path);
}

} // namespace lld::cuda
