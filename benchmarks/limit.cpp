//===- limit.cpp - What no linker can do without ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the inputs, decompresses the device code of those that hold fatbins,
/// and writes a file of a given size, in one thread and with nothing kept: the
/// time below which no linker gets by much.
///
///   limit SIZE OUTPUT INPUT...
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

namespace {

/// Read once, used for every input.
SmallVector<char, 0> contents;
SmallVector<uint8_t, 0> payload;

bool readInput(const char *path) {
  int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (fd < 0 || ::fstat(fd, &status) != 0)
    return false;
  contents.resize_for_overwrite(status.st_size);
  size_t done = 0;
  while (done != contents.size()) {
    ssize_t n = ::read(fd, contents.data() + done, contents.size() - done);
    if (n <= 0)
      break;
    done += n;
  }
  ::close(fd);
  return done == contents.size();
}

Error decompressAll(StringRef data) {
  if (!isHostObject(data))
    return Error::success();
  Expected<HostObject> object = HostObject::create(MemoryBufferRef(data, ""));
  if (!object)
    return object.takeError();
  for (StringRef fatbin : object->fatbins) {
    Expected<FatbinReader> reader = FatbinReader::create(fatbin);
    if (!reader)
      return reader.takeError();
    for (const FatbinEntry &entry : reader->entries())
      if (entry.isCompressed())
        if (Error e = decompress(entry, decompressLimit(), payload))
          return e;
  }
  return Error::success();
}

bool writeOutput(const char *path, uint64_t size) {
  static char block[1 << 18];
  int fd = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return false;
  [[maybe_unused]] int ignored = ::fallocate(fd, 0, 0, size);
  while (size) {
    ssize_t n = ::write(fd, block, std::min<uint64_t>(size, sizeof(block)));
    if (n <= 0)
      return false;
    size -= n;
  }
  return ::close(fd) == 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: limit SIZE OUTPUT INPUT...\n");
    return 2;
  }
  for (int i = 3; i < argc; ++i) {
    if (!readInput(argv[i])) {
      std::fprintf(stderr, "limit: cannot read %s\n", argv[i]);
      return 1;
    }
    if (Error e = decompressAll(StringRef(contents.data(), contents.size()))) {
      std::fprintf(stderr, "limit: %s\n", toString(std::move(e)).c_str());
      return 1;
    }
  }
  if (!writeOutput(argv[2], std::strtoull(argv[1], nullptr, 10))) {
    std::perror("limit");
    return 1;
  }
  std::fflush(nullptr);
  ::_exit(0);
}
