//===- InputBuffer.cpp - Input files in memory ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// That a file was written to is seen by its times, which the kernel takes from
/// a clock that advances a few milliseconds at a time: a second write in one
/// tick leaves no trace. So a file that was changed in the present tick is read
/// in the next one; then each later write shows. (Where the clock is another
/// machine's, on network file systems, that can't be told, nor is it where a
/// program writes through a mapping.)
///
/// Reading costs no more than mapping does, since all pages are touched one way
/// or the other; but for initialised variables, which go from the page cache
/// into the output: copying them into memory of our own would take half as long
/// again.
///
//===----------------------------------------------------------------------===//

#include "Input/InputBuffer.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/Support/MathExtras.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace lld::cuda;

/// Larger files are read into huge pages.
static constexpr uint64_t HugePage = 2 << 20;
/// Larger ones are read in parts, if much in them is no device code.
static constexpr uint64_t MinLazyArchive = 32 << 20, MinLazyObject = 1 << 20;
/// Larger sections are mapped.
static constexpr uint64_t MinBulk = 1 << 20;

static bool isSame(const struct stat &a, const struct stat &b) {
  auto isSameTime = [](const timespec &s, const timespec &t) {
    return s.tv_sec == t.tv_sec && s.tv_nsec == t.tv_nsec;
  };
  return a.st_size == b.st_size && isSameTime(a.st_mtim, b.st_mtim) &&
         isSameTime(a.st_ctim, b.st_ctim);
}

/// Waits until a write would change the file's times.
static void awaitTick(const struct stat &status) {
  constexpr int64_t MaxWait = 20'000'000, Step = 500'000; // ns
  for (int64_t waited = 0; waited <= MaxWait; waited += Step) {
    timespec now;
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    const int64_t ahead =
        (int64_t(status.st_ctim.tv_sec) - now.tv_sec) * 1'000'000'000 +
        status.st_ctim.tv_nsec - now.tv_nsec;
    // More than a tick is another clock.
    if (ahead < 0 || ahead > MaxWait)
      return;
    timespec step{0, Step};
    ::nanosleep(&step, nullptr);
  }
}

/// Reads up to the end of the file; what isn't there stays zero.
static bool readAt(int fd, char *to, uint64_t size, uint64_t offset) {
  while (size) {
    const ssize_t n = ::pread(fd, to, size, offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n == 0;
    to += n;
    offset += n;
    size -= n;
  }
  return true;
}

std::unique_ptr<InputBuffer> InputBuffer::read(int fd, const std::string &path,
                                               const struct stat &status,
                                               Options options,
                                               Problem &problem) {
  std::unique_ptr<InputBuffer> buffer(new InputBuffer(path));
  problem = S_ISREG(status.st_mode) ? buffer->readRegular(fd, status, options)
                                    : buffer->readStream(fd);
  if (problem != Problem::None)
    buffer.reset();
  return buffer;
}

std::unique_ptr<InputBuffer> InputBuffer::copy(MemoryBufferRef contents) {
  std::unique_ptr<InputBuffer> buffer(
      new InputBuffer(contents.getBufferIdentifier().str()));
  if (!buffer->allocate(contents.getBufferSize(), /*sparse=*/false))
    return nullptr;
  llvm::copy(contents.getBuffer(), buffer->bytes());
  return buffer;
}

InputBuffer::~InputBuffer() { release(); }

void InputBuffer::release() {
  if (fd >= 0)
    ::close(fd);
  fd = -1;
  hasMapping = false;
  loaded.reset();
  if (mapping)
    ::munmap(mapping, mappingSize);
  else
    std::free(bytes());
  mapping = nullptr;
  init(nullptr, nullptr, /*RequiresNullTerminator=*/false);
}

/// Sparse: only pages that are written to take memory.
bool InputBuffer::allocate(uint64_t size, bool sparse) {
  char *begin;
  if (sparse || size >= HugePage) {
    mappingSize = size;
    mapping = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
      mapping = nullptr;
      return false;
    }
    if (!sparse)
      ::madvise(mapping, size, MADV_HUGEPAGE);
    begin = static_cast<char *>(mapping);
  } else {
    begin = static_cast<char *>(std::malloc(size));
    if (!begin && size)
      return false;
  }
  init(begin, begin + size, /*RequiresNullTerminator=*/false);
  return true;
}

InputBuffer::Problem
InputBuffer::readRegular(int file, const struct stat &first, Options options) {
  opened = first;
  // Changing a file's mode or giving it another name changes its times, too.
  constexpr unsigned MaxAttempts = 3;
  for (unsigned attempt = 0; attempt != MaxAttempts; ++attempt) {
    awaitTick(opened);
    const uint64_t size = opened.st_size;
    char start[64] = {};
    const StringRef magic(start, std::min<uint64_t>(size, sizeof(start)));
    const bool mayBeLazy =
        !options.whole && (options.lazy || size >= MinLazyObject);
    if (mayBeLazy && !readAt(file, start, magic.size(), 0))
      return Problem::CannotRead;
    const bool isLazy =
        mayBeLazy && (isArchive(magic) ? options.lazy || size >= MinLazyArchive
                                       : isHostObject(magic));
    if (!allocate(size, isLazy))
      return Problem::CannotRead;
    if (isLazy && options.isShared) {
      loaded = std::make_unique<LoadedParts>();
      loaded->ends[0] = magic.size();
    }
    if (isLazy)
      memcpy(bytes(), magic.data(), magic.size());
    else if (!readContents(file, size, options.mayMap))
      return Problem::CannotRead;
    struct stat now;
    if (::fstat(file, &now) != 0)
      return Problem::CannotRead;
    if (isSame(opened, now)) {
      if (isLazy || hasMapping)
        fd = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
      return !(isLazy || hasMapping) || fd >= 0 ? Problem::None
                                                : Problem::CannotRead;
    }
    release();
    opened = now;
  }
  return Problem::Changed;
}

/// Other than regular files have no size beforehand.
InputBuffer::Problem InputBuffer::readStream(int file) {
  uint64_t size = 0, capacity = 16 << 10;
  char *data = static_cast<char *>(std::malloc(capacity));
  while (data) {
    init(data, data + size, /*RequiresNullTerminator=*/false);
    const ssize_t n = ::read(file, data + size, capacity - size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return Problem::CannotRead;
    if (n == 0)
      return Problem::None;
    size += n;
    if (size == capacity) {
      capacity *= 2;
      data = static_cast<char *>(std::realloc(data, capacity));
    }
  }
  return Problem::CannotRead;
}

namespace {
/// The section of a cubin that is worth mapping.
class BulkSearch {
public:
  /// Looks into the file, or into what was read of it.
  BulkSearch(int fd, const char *memory, uint64_t size)
      : fd(fd), memory(memory), size(size) {}
  /// False if the file can't be read.
  bool find(uint64_t &begin, uint64_t &end);
  /// Of what was found: whether these bytes say the same.
  bool lookedAt(const char *bytes) const {
    return memcmp(bytes, &header, sizeof(header)) == 0 &&
           memcmp(bytes + header.e_shoff, table.data(), tableSize()) == 0;
  }

private:
  uint64_t tableSize() const {
    return uint64_t(header.e_shnum) * sizeof(Elf_Shdr);
  }
  bool isInside(uint64_t offset, uint64_t length) const {
    return offset <= size && length <= size - offset;
  }
  bool get(void *to, uint64_t length, uint64_t offset) const {
    if (memory)
      memcpy(to, memory + offset, length);
    return memory || readAt(fd, static_cast<char *>(to), length, offset);
  }

  int fd;
  const char *memory;
  uint64_t size;
  Elf_Ehdr header;
  std::vector<Elf_Shdr> table;
};
} // namespace

/// Everything is checked again when the cubin is read; here it matters only
/// that whatever lies in the section belongs to nothing else.
bool BulkSearch::find(uint64_t &begin, uint64_t &end) {
  using namespace elf;
  if (size < sizeof(header))
    return true;
  if (!get(&header, sizeof(header), 0))
    return false;
  const StringRef start(reinterpret_cast<const char *>(&header),
                        sizeof(header));
  if (!isCubin(start) || header.e_shentsize != sizeof(Elf_Shdr) ||
      header.e_shnum == 0 || !isInside(header.e_shoff, tableSize()))
    return true;
  table.resize(header.e_shnum);
  if (!get(table.data(), tableSize(), header.e_shoff))
    return false;
  const Elf_Shdr *largest = nullptr;
  for (const Elf_Shdr &s : table)
    if (s.sh_type == SHT_CUDA_GLOBAL_INIT && s.sh_size >= MinBulk &&
        isInside(s.sh_offset, s.sh_size) &&
        (!largest || s.sh_size > largest->sh_size))
      largest = &s;
  if (!largest)
    return true;
  const uint64_t page = ::sysconf(_SC_PAGESIZE);
  const uint64_t first = alignTo(uint64_t(largest->sh_offset), page),
                 last = alignDown(largest->sh_offset + largest->sh_size, page);
  auto isApart = [&](uint64_t offset, uint64_t length) {
    return length == 0 || offset >= last || offset + length <= first;
  };
  if (!isApart(0, sizeof(header)) || !isApart(header.e_shoff, tableSize()) ||
      !isApart(header.e_phoff, uint64_t(header.e_phnum) * sizeof(Elf_Phdr)))
    return true;
  for (const Elf_Shdr &s : table)
    if (&s != largest && !isNoBits(s.sh_type, s.sh_flags) &&
        s.sh_type != ELF::SHT_NULL &&
        (!isInside(s.sh_offset, s.sh_size) || !isApart(s.sh_offset, s.sh_size)))
      return true;
  begin = first;
  end = last;
  return true;
}

bool InputBuffer::readContents(int file, uint64_t size, bool mayMap) {
  uint64_t begin = 0, end = 0;
  BulkSearch search(file, nullptr, size);
  if (mayMap && size >= MinBulk && !search.find(begin, end))
    return false;
  if (begin == end || !mapBulk(file, begin, end))
    begin = end = 0;
  if (!readAt(file, bytes(), begin, 0) ||
      !readAt(file, bytes() + end, size - end, end))
    return false;
  if (!hasMapping || search.lookedAt(bytes()))
    return true;
  // What was decided holds for what was read, or nobody knows what is mapped.
  uint64_t again = 0, againEnd = 0;
  BulkSearch(file, bytes(), size).find(again, againEnd);
  return again == begin && againEnd == end;
}

bool InputBuffer::mapBulk(int file, uint64_t begin, uint64_t end) {
  hasMapping = mapping && ::mmap(bytes() + begin, end - begin, PROT_READ,
                                 MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, file,
                                 begin) != MAP_FAILED;
  return hasMapping;
}

void InputBuffer::load(StringRef part) const {
  if (fd < 0 || hasMapping || part.empty() || part.begin() < getBufferStart() ||
      part.end() > getBufferEnd())
    return;
  const uint64_t offset = part.begin() - getBufferStart();
  if (loaded)
    return loadMissing(offset, offset + part.size());
  if (!readAt(fd, bytes() + offset, part.size(), offset))
    failed = true;
}

void InputBuffer::loadMissing(uint64_t begin, uint64_t end) const {
  std::lock_guard<std::mutex> lock(loaded->mutex);
  std::map<uint64_t, uint64_t> &ends = loaded->ends;
  auto it = ends.upper_bound(begin);
  uint64_t first = begin;
  // What begins before, and reaches in here, grows.
  if (it != ends.begin() && std::prev(it)->second >= begin) {
    --it;
    first = it->first;
  }
  uint64_t at = begin, last = end;
  auto readUpTo = [&](uint64_t to) {
    if (at < to && !readAt(fd, bytes() + at, to - at, at))
      failed = true;
  };
  while (it != ends.end() && it->first <= end) {
    readUpTo(it->first);
    at = std::max(at, it->second);
    last = std::max(last, it->second);
    it = ends.erase(it);
  }
  readUpTo(end);
  ends[first] = last;
}

bool InputBuffer::isUnchanged() {
  if (fd < 0)
    return true;
  struct stat now;
  const bool same = ::fstat(fd, &now) == 0 && isSame(opened, now) && !failed;
  ::close(fd);
  fd = -1;
  return same;
}
