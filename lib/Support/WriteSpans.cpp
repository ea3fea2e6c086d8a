//===- WriteSpans.cpp - A file's contents from pieces of memory -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An output of the linker consists of many pieces, most of which lie in mapped
/// inputs. writeSpans() hands 256 of them at a time to the kernel (writev), so
/// nothing is copied together first, and fills the gaps between them with
/// zeros. writeSpansAndHoles() writes each piece at its offset and skips the
/// gaps, which then take no space on the disk. OutputFile.cpp and
/// InPlaceFile.cpp call these, and preallocate() beforehand: a full disk is an
/// error before the first byte rather than in the middle.
///
//===----------------------------------------------------------------------===//

#include "WriteSpans.h"
#include <array>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

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

int lld::cuda::writeSpans(int fd, uint64_t size, ArrayRef<OutputSpan> spans) {
  SpanReader reader(size, spans);
  std::array<iovec, 256> pieces;
  static_assert(std::tuple_size_v<decltype(pieces)> <= IOV_MAX);
  while (size_t n = reader.next(pieces)) {
    MutableArrayRef<iovec> left(pieces.data(), n);
    while (!left.empty()) {
      ssize_t written = ::writev(fd, left.data(), left.size());
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
  }
  return 0;
}

int lld::cuda::writeSpansAndHoles(int fd, uint64_t size,
                                  ArrayRef<OutputSpan> spans) {
  if (::ftruncate(fd, size) != 0)
    return errno;
  for (const OutputSpan &span : spans)
    for (size_t done = 0; done < span.bytes.size();) {
      const ssize_t n = ::pwrite(fd, span.bytes.data() + done,
                                 span.bytes.size() - done, span.offset + done);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return n < 0 ? errno : EIO;
      done += n;
    }
  return 0;
}

int lld::cuda::preallocate(int fd, uint64_t size, int mode) {
  if (size == 0 || ::fallocate(fd, mode, 0, size) == 0)
    return 0;
  return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? errno : 0;
}
