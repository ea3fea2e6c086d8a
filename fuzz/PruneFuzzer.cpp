//===- PruneFuzzer.cpp - Fuzzes cubin-prune as a whole --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes cubin-prune without its command line (pruneFile()). libFuzzer calls
/// LLVMFuzzerTestOneInput() with each input that it makes, in runs of
/// scripts/fuzz.sh. The input's first byte says what is to be removed, the rest
/// is a file: a cubin, a fatbin, an archive, a host object or a program with
/// any of them. The result must have exactly the images that pruneFile()
/// promises, or be refused with an error. Some inputs are read from a file, as
/// cubin-prune does (InputFile.h); not all, since that waits for the clock.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "InputFile.h"
#include "PruneFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

static void choose(uint8_t bits, Selection &selection) {
  const auto none = [](llvm::Error e) { require(!e); };
  if (bits & 1)
    none(selection.keep("sm_9*,ptx"));
  if (bits & 2)
    none(selection.drop("sm_80,lto"));
  if (bits & 4)
    none(selection.cubins.kernels.keep("*k*"));
  selection.cubins.dropsDebug = bits & 8;
  selection.usesOwnImage = bits & 16;
  selection.dropsRelocatable = bits & 32;
  selection.removesSignature = bits & 64;
  if (bits & 128)
    selection.compression = FatbinCompression::Speed;
}

/// What is written: the output but for zeros, in order.
static void checkSpans(const OutputChunks &output) {
  constexpr uint64_t Block = 4096;
  const std::string whole = output.flatten();
  uint64_t at = 0;
  for (const OutputSpan &span : output.spans()) {
    require(span.offset >= at);
    for (; at != span.offset; ++at)
      require(whole[at] == 0);
    require(StringRef(whole).substr(at).starts_with(StringRef(
        reinterpret_cast<const char *>(span.bytes.data()), span.bytes.size())));
    at += span.bytes.size();
  }
  require(output.bytesOnDisk() <= whole.size() + Block);
}

/// A file that somebody has open to write is refused where the system tells.
/// For half a second cubin-prune waits that it is closed.
static bool openWritten(StringRef path) {
  int fd;
  require(!llvm::sys::fs::openFileForWrite(path, fd,
                                           llvm::sys::fs::CD_OpenExisting));
  auto file = PrunedFile::open(path, /*isReplaced=*/true);
  if (!file)
    requireText(file.takeError());
  ::close(fd);
  return true;
}

static void readFromFile(StringRef data) {
  llvm::SmallString<64> path;
  std::error_code error;
  int fd;
  require(!llvm::sys::fs::createTemporaryFile("prune", "", fd, path));
  llvm::raw_fd_ostream(fd, /*shouldClose=*/true) << data;
  [[maybe_unused]] static const bool isTried = openWritten(path);
  auto file = llvm::cantFail(PrunedFile::open(path, /*isReplaced=*/true));
  require(file->contents() == data);
  require(uint64_t(file->status().st_size) == data.size());
  require(!file->checkUnchanged());

  // What happens to it meanwhile is noticed.
  require(!llvm::sys::fs::openFileForWrite(path, fd,
                                           llvm::sys::fs::CD_OpenExisting));
  llvm::raw_fd_ostream(fd, /*shouldClose=*/true) << "another";
  requireText(file->checkUnchanged());
  llvm::sys::fs::remove(path);
  requireText(file->checkUnchanged());
  llvm::raw_fd_ostream(path, error) << data;
  requireText(file->checkUnchanged());
  llvm::sys::fs::remove(path);
  requireText(PrunedFile::open(path, /*isReplaced=*/true).takeError());
}

static void readFromStandardInput(StringRef data) {
  const int file = ::memfd_create("input", 0);
  require(file >= 0 &&
          ::write(file, data.data(), data.size()) == ssize_t(data.size()) &&
          ::lseek(file, 0, SEEK_SET) == 0 && ::dup2(file, 0) == 0);
  ::close(file);
  auto input = llvm::cantFail(PrunedFile::readStandardInput());
  require(input->contents() == data);
  require(uint64_t(input->status().st_size) == data.size());
  require(!input->checkUnchanged());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (!size)
    return 0;
  Selection selection;
  choose(bytes[0], selection);
  StringRef data(reinterpret_cast<const char *>(bytes) + 1, size - 1);
  if (llvm::xxh3_64bits({bytes, size}) % 256 == 0)
    readFromFile(data);
  else if (data.size() % 64 == 0)
    readFromStandardInput(data);
  auto targets = listLinkedTargets({data, "file"});
  if (!targets)
    requireText(targets.takeError());
  auto pruned = pruneFile({data, "file"}, selection);
  if (!pruned) {
    requireText(pruned.takeError());
    return 0;
  }
  const std::string output = pruned->output.flatten();
  require(output.size() == pruned->output.size());
  checkSpans(pruned->output);
  // An entry without images may go, and counts for nothing.
  require(pruned->counts.isChanged() || output.size() <= data.size());
  if (llvm::Error e = checkImages({output, "output"}, pruned->expected)) {
    // Said instead of written: an input that can't be pruned soundly.
    requireText(std::move(e));
    return 0;
  }
  touch(output);
  return 0;
}
