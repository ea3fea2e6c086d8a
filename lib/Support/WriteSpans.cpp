//===- WriteSpans.cpp - A file's contents from pieces of memory -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An output of the linker consists of many pieces, which lie in inputs and in
/// tables. writeSpans() hands 256 of them at a time to the kernel (writev), so
/// nothing is copied together first, and fills the gaps between them with
/// zeros. writeSpansAndHoles() writes each piece at its offset and skips the
/// gaps, which then take no space on the disk. OutputFile.cpp and
/// InPlaceFile.cpp call these, and preallocate() beforehand: a full disk is an
/// error before the first byte rather than in the middle.
///
/// Small pieces are another matter: to look up and pin the memory of each takes
/// the kernel longer than to copy it, and it lets one thread at a time write to
/// a file. So writeSmallSpans() copies them together to blocks, on several
/// threads, of which one writes the blocks of all: 32 MB in pieces of 512 bytes
/// take 6 ms on ext4 instead of 14, 15 instead of 21 in memory (tmpfs). From 4
/// KB a piece on, it gains little and takes more of the processors.
///
//===----------------------------------------------------------------------===//

#include "WriteSpans.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace lld::cuda;

/// What a thread copies together before it writes: enough for the cost of a
/// call not to matter, and little enough for a processor's cache.
static constexpr size_t BlockSize = 256 << 10;

namespace {

/// Hands out the contents as pieces of memory, gaps filled with zeros.
class SpanReader {
public:
  SpanReader(uint64_t size, ArrayRef<OutputSpan> spans)
      : size(size), spans(spans) {}

  /// Fills `out` with what comes next; 0 at the end.
  size_t next(MutableArrayRef<iovec> out) {
    size_t n = 0;
    while (n != out.size() && position != size) {
      ArrayRef<uint8_t> bytes = nextPiece();
      out[n++] = {const_cast<uint8_t *>(bytes.data()), bytes.size()};
      position += bytes.size();
    }
    return n;
  }

private:
  ArrayRef<uint8_t> nextPiece() {
    static constexpr uint8_t zeros[4096] = {};
    while (!spans.empty() && spans.front().bytes.empty())
      spans = spans.drop_front();
    uint64_t end = spans.empty() ? size : spans.front().offset;
    if (position != end)
      return ArrayRef(zeros).take_front(
          std::min<uint64_t>(sizeof(zeros), end - position));
    ArrayRef<uint8_t> bytes = spans.front().bytes;
    spans = spans.drop_front();
    return bytes;
  }

  uint64_t size, position = 0;
  ArrayRef<OutputSpan> spans;
};

} // namespace

/// Writes all pieces by calls of write(pieces), which returns what writev()
/// does. The pieces are changed. Returns 0 or an errno value.
static int writeAll(MutableArrayRef<iovec> left,
                    function_ref<ssize_t(ArrayRef<iovec>)> write) {
  while (!left.empty()) {
    ssize_t written = write(left);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return written < 0 ? errno : EIO;
    while (!left.empty() && size_t(written) >= left.front().iov_len) {
      written -= left.front().iov_len;
      left = left.drop_front();
    }
    if (written) {
      left.front().iov_base =
          static_cast<char *>(left.front().iov_base) + written;
      left.front().iov_len -= written;
    }
  }
  return 0;
}

int lld::cuda::writeSpans(int fd, uint64_t size, ArrayRef<OutputSpan> spans) {
  SpanReader reader(size, spans);
  std::array<iovec, 256> pieces;
  static_assert(std::tuple_size_v<decltype(pieces)> <= IOV_MAX);
  auto write = [&](ArrayRef<iovec> left) {
    return ::writev(fd, left.data(), left.size());
  };
  while (size_t n = reader.next(pieces))
    if (int error = writeAll(MutableArrayRef(pieces.data(), n), write))
      return error;
  return 0;
}

static int writeAt(int fd, ArrayRef<uint8_t> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : EIO;
    bytes = bytes.drop_front(n);
    offset += n;
  }
  return 0;
}

int lld::cuda::writeSpansAndHoles(int fd, uint64_t size,
                                  ArrayRef<OutputSpan> spans) {
  if (::ftruncate(fd, size) != 0)
    return errno;
  for (const OutputSpan &span : spans)
    if (int error = writeAt(fd, span.bytes, span.offset))
      return error;
  return 0;
}

namespace {
/// A part of the file, as what is copied together in `memory`, and large spans
/// between that, which aren't copied.
struct Block {
  using Memory = std::unique_ptr<uint8_t[]>;
  uint64_t offset;
  Memory memory;
  /// One after the other. One call can write them: small spans and gaps that
  /// follow each other are one part.
  SmallVector<iovec, 16> parts;

  void fill(ArrayRef<OutputSpan> spans, uint64_t end);
  /// Returns 0 or an errno value.
  int write(int fd);
};

/// Writes blocks of a file. Any number of threads prepare blocks, and one of
/// them writes: who finds nobody writing does it for all, while the others go
/// on. The file system would let one write at a time, too, and keep the
/// processors of the others busy with waiting.
class BlockWriter {
public:
  explicit BlockWriter(int fd) : fd(fd) {}

  /// Returns memory for a block. It is used again and again, since the system
  /// would have to clear new memory. Waits if there is too much to write.
  Block::Memory take() {
    std::unique_lock<std::mutex> lock(mutex);
    if (made != MaxBlocks && free.empty()) {
      ++made;
      return Block::Memory(new uint8_t[BlockSize]); // make_unique clears it.
    }
    given.wait(lock, [&] { return !free.empty(); });
    return free.pop_back_val();
  }
  /// Writes the block, here or on another thread.
  void write(Block prepared) {
    std::unique_lock<std::mutex> lock(mutex);
    ready.push_back(std::move(prepared));
    if (std::exchange(isWriting, true))
      return;
    while (!ready.empty()) {
      Block block = ready.pop_back_val();
      lock.unlock();
      if (!error)
        error = block.write(fd);
      lock.lock();
      free.push_back(std::move(block.memory));
      given.notify_one();
    }
    isWriting = false;
  }
  int failure() const { return error; }

private:
  /// So many are in use at most: 2 MB.
  static constexpr unsigned MaxBlocks = 8;

  const int fd;
  std::atomic<int> error{0}; ///< 0 or an errno value.
  std::mutex mutex;          ///< Guards all that follows.
  std::condition_variable given;
  SmallVector<Block::Memory, MaxBlocks> free;
  SmallVector<Block, MaxBlocks> ready;
  unsigned made = 0;
  bool isWriting = false;
};
} // namespace

/// The block goes from its offset to `end`.
void Block::fill(ArrayRef<OutputSpan> spans, uint64_t end) {
  const auto *span = partition_point(spans, [&](const OutputSpan &s) {
    return s.offset + s.bytes.size() <= offset;
  });
  uint8_t *begin = memory.get(), *at = begin; // Of what is copied together.
  auto addCopied = [&] {
    if (at != begin)
      parts.push_back({begin, size_t(at - begin)});
    begin = at;
  };
  uint64_t done = offset;
  auto clearUntil = [&](uint64_t next) {
    if (next == done)
      return;
    std::memset(at, 0, next - done);
    at += next - done;
    done = next;
  };
  for (; span != spans.end() && span->offset < end; ++span) {
    const uint64_t from = std::max(span->offset, offset);
    const uint64_t to = std::min(span->offset + span->bytes.size(), end);
    if (from >= to)
      continue; // An empty span.
    clearUntil(from);
    const uint8_t *bytes = span->bytes.data() + (from - span->offset);
    if (to - from >= LargeSpan) {
      addCopied();
      parts.push_back({const_cast<uint8_t *>(bytes), to - from});
    } else {
      std::memcpy(at, bytes, to - from);
      at += to - from;
    }
    done = to;
  }
  clearUntil(end);
  addCopied();
}

int Block::write(int fd) {
  static_assert(2 * BlockSize / LargeSpan + 1 <= IOV_MAX);
  uint64_t at = offset;
  return writeAll(parts, [&](ArrayRef<iovec> left) {
    const ssize_t written = ::pwritev(fd, left.data(), left.size(), at);
    at += std::max<ssize_t>(written, 0);
    return written;
  });
}

int lld::cuda::writeSmallSpans(int fd, uint64_t size,
                               ArrayRef<OutputSpan> spans,
                               const OutputLoop &loop) {
  BlockWriter writer(fd);
  loop(divideCeil(size, BlockSize), [&](size_t i) {
    if (writer.failure())
      return;
    const uint64_t begin = i * BlockSize;
    Block block{begin, writer.take(), {}};
    block.fill(spans, std::min<uint64_t>(begin + BlockSize, size));
    writer.write(std::move(block));
  });
  return writer.failure();
}

int lld::cuda::preallocate(int fd, uint64_t size, int mode) {
  if (size == 0 || ::fallocate(fd, mode, 0, size) == 0)
    return 0;
  return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? errno : 0;
}
