//===- InputBuffer.cpp - Input files in memory ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// InputBuffer::read() copies an input file into memory and makes sure that all
/// of it is of one version: a file that is written to meanwhile is an error.
/// OpenFile.cpp calls it for each file when a link loads its inputs;
/// SaveFile.cpp asks isUnchanged() at the end about what was read late or only
/// mapped.
///
/// A write is noticed by the file's times, which many kernels take from a clock
/// that advances a few milliseconds at a time: a second write in one tick
/// leaves no trace. So what is read of a file in the tick of its last change is
/// read twice and compared. If both are equal, that is what the file held
/// between the two; what is read after the tick needs no second look, because
/// every write would show. (A write that is undone before the second look is
/// not noticed, nor one through a mapping.) The second look takes no longer
/// than a tick, however large the file is, and a few microseconds for a small
/// one. Waiting for the next tick would take longer than the whole link of
/// small files.
///
/// Reading takes no longer than mapping, since all pages are touched one way or
/// the other. The exception are large initialised variables, which are mapped:
/// they are only written to the output, and a copy in memory would take half as
/// long again.
///
//===----------------------------------------------------------------------===//

#include "Input/InputBuffer.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/Support/Compiler.h"
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
/// Larger sections are mapped. What is mapped isn't read twice: if the file was
/// changed just before, that is worth a wait of a tick from the larger size on.
static constexpr uint64_t MinBulk = 1 << 20, MinNewBulk = 32 << 20;

static bool isSame(const struct stat &a, const struct stat &b) {
  auto isSameTime = [](const timespec &s, const timespec &t) {
    return s.tv_sec == t.tv_sec && s.tv_nsec == t.tv_nsec;
  };
  return a.st_size == b.st_size && isSameTime(a.st_mtim, b.st_mtim) &&
         isSameTime(a.st_ctim, b.st_ctim);
}

/// Reads up to the end of the file; what isn't there stays zero.
static bool readAt(const InputSystem &system, int file, char *to, uint64_t size,
                   uint64_t offset) {
  while (size) {
    const ssize_t n = system.read(file, to, size, offset);
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

//===----------------------------------------------------------------------===//
// Writes that leave no trace
//===----------------------------------------------------------------------===//

InputSystem::~InputSystem() = default;

int InputSystem::status(int fd, struct stat &status) const {
  return ::fstat(fd, &status);
}

ssize_t InputSystem::read(int fd, char *to, size_t size,
                          uint64_t offset) const {
  return ::pread(fd, to, size, offset);
}

timespec InputSystem::now() const {
  timespec time;
  ::clock_gettime(CLOCK_REALTIME_COARSE, &time);
  return time;
}

const InputSystem &InputSystem::get() {
  static const InputSystem system;
  return system;
}

static constexpr int64_t Second = 1'000'000'000, MaxTick = 10'000'000; // ns

/// Returns by how much the times of a file are rounded down. Some file systems
/// keep less than the clock tells: FAT two seconds, old ones one, exFAT 10 ms,
/// those of Windows 100 ns.
static int64_t granularityOf(const timespec &time) {
  return time.tv_nsec == 0             ? 2 * Second
         : time.tv_nsec % MaxTick == 0 ? MaxTick
                                       : 1000;
}

/// Whether a file can be written to now without a change of its times. The
/// clock is that of the times. Times to come are another machine's.
static bool mayHideWrites(const struct stat &status, const timespec &now) {
  const timespec &changed = status.st_ctim;
  const int64_t seconds = int64_t(now.tv_sec) - changed.tv_sec;
  if (seconds > 3)
    return false;
  return seconds < 0 || seconds * Second + now.tv_nsec - changed.tv_nsec <
                            granularityOf(changed);
}

/// Waits until a write would change the file's times. False if that takes
/// longer than a tick.
bool InputBuffer::awaitTick() {
  constexpr int64_t Step = 500'000; // ns
  if (granularityOf(opened.st_ctim) > MaxTick)
    return false;
  for (int64_t waited = 0; mayHideWrites(opened, system.now());
       waited += Step) {
    if (waited > 2 * MaxTick)
      return false;
    timespec step{0, Step};
    ::nanosleep(&step, nullptr);
  }
  isNew = false;
  return true;
}

bool InputBuffer::readPart(int file, uint64_t begin, uint64_t end) const {
  constexpr uint64_t Piece = 1 << 20;
  while (begin < end && isNew && mayHideWrites(opened, system.now())) {
    const uint64_t size = std::min(end - begin, Piece);
    if (!readAt(system, file, bytes() + begin, size, begin))
      return false;
    std::lock_guard<std::mutex> lock(unsureMutex);
    unsure.push_back({begin, begin + size});
    begin += size;
  }
  if (begin < end)
    isNew = false;
  return readAt(system, file, bytes() + begin, end - begin, begin);
}

bool InputBuffer::readsTheSame(int file) const {
  char again[16 << 10];
  for (const Part &part : unsure)
    for (uint64_t at = part.begin; at != part.end;) {
      const ssize_t n = system.read(
          file, again, std::min<uint64_t>(part.end - at, sizeof(again)), at);
      if (n < 0 && errno == EINTR)
        continue;
      // n is 0 if the file was shortened meanwhile.
      if (n <= 0 || memcmp(again, bytes() + at, n) != 0)
        return false;
      at += n;
    }
  return true;
}

std::unique_ptr<InputBuffer> InputBuffer::read(int fd, const std::string &path,
                                               const struct stat &status,
                                               Options options,
                                               Problem &problem) {
  auto buffer = std::make_unique<InputBuffer>(
      Key(), path, options.system ? *options.system : InputSystem::get());
  problem = S_ISREG(status.st_mode) ? buffer->readRegular(fd, status, options)
                                    : buffer->readStream(fd);
  if (problem != Problem::None)
    buffer.reset();
  return buffer;
}

namespace {
/// What std::allocate_shared() makes, at the beginning of a block.
template <typename T> struct InBlock {
  using value_type = T;
  static constexpr size_t MaxSize = alignTo<16>(sizeof(InputBuffer) + 64);

  explicit InBlock(char *block) : block(block) {}
  template <typename U> InBlock(const InBlock<U> &other) : block(other.block) {}
  T *allocate(size_t) {
    static_assert(sizeof(T) <= MaxSize);
    return reinterpret_cast<T *>(block);
  }
  void deallocate(T *, size_t) { std::free(block); }
  template <typename U> bool operator==(const InBlock<U> &other) const {
    return block == other.block;
  }

  char *block;
};
} // namespace

/// A program that links many small objects would wait for the allocator, so
/// these are one block each. With AddressSanitizer the bytes are in their own,
/// whose bounds are checked.
std::shared_ptr<InputBuffer> InputBuffer::copy(MemoryBufferRef contents) {
  const size_t size = contents.getBufferSize();
  const bool isOneBlock = size < HugePage && !LLVM_ADDRESS_SANITIZER_BUILD;
  constexpr size_t Begin = InBlock<InputBuffer>::MaxSize;
  std::string name = contents.getBufferIdentifier().str();
  char *const block =
      static_cast<char *>(std::malloc(Begin + (isOneBlock ? size : 0)));
  if (!block)
    return nullptr;
  auto buffer = std::allocate_shared<InputBuffer>(
      InBlock<InputBuffer>(block), Key(), std::move(name), InputSystem::get());
  if (isOneBlock) {
    buffer->init(block + Begin, block + Begin + size,
                 /*RequiresNullTerminator=*/false);
    buffer->isInBlock = true;
  } else if (!buffer->allocate(size, /*sparse=*/false)) {
    return nullptr;
  }
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
  unsure.clear();
  if (mapping)
    ::munmap(mapping, mappingSize);
  else if (!isInBlock)
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
    isNew = true;
    const uint64_t size = opened.st_size;
    char start[64] = {};
    const StringRef magic(start, std::min<uint64_t>(size, sizeof(start)));
    const bool mayBeLazy =
        !options.whole && (options.lazy || size >= MinLazyObject);
    if (mayBeLazy && !readAt(system, file, start, magic.size(), 0))
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
    if (!(isLazy ? readPart(file, 0, magic.size())
                 : readContents(file, size, options.mayMap)))
      return Problem::CannotRead;
    // A file that stays open is compared as a whole at the end of the link.
    const bool staysOpen = isLazy || hasMapping;
    const bool isRight =
        (!mayBeLazy || StringRef(bytes(), magic.size()) == magic) &&
        (staysOpen || readsTheSame(file));
    struct stat now;
    if (system.status(file, now) != 0)
      return Problem::CannotRead;
    if (isRight && isSame(opened, now)) {
      if (staysOpen)
        fd = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
      return !staysOpen || fd >= 0 ? Problem::None : Problem::CannotRead;
    }
    release();
    opened = now;
  }
  return Problem::Changed;
}

/// A pipe says no size beforehand, and may have no end: it may not take all of
/// the memory.
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
      if (capacity > decompressLimit()) {
        errno = EFBIG;
        return Problem::CannotRead;
      }
      capacity *= 2;
      void *larger = std::realloc(data, capacity);
      if (!larger)
        return Problem::CannotRead; // The destructor frees `data`.
      data = static_cast<char *>(larger);
    }
  }
  return Problem::CannotRead;
}

namespace {
/// The section of a cubin that is worth mapping.
class BulkSearch {
public:
  /// Looks into the file, or into what was read of it.
  BulkSearch(const InputSystem &system, int fd, const char *memory,
             uint64_t size)
      : system(system), fd(fd), memory(memory), size(size) {}
  /// False if the file can't be read.
  bool find(uint64_t &begin, uint64_t &end);
  /// Whether `bytes` have the header and section table by which it was found.
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
    return memory ||
           readAt(system, fd, static_cast<char *>(to), length, offset);
  }

  const InputSystem &system;
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
  BulkSearch search(system, file, nullptr, size);
  if (mayMap && size >= MinBulk && !search.find(begin, end))
    return false;
  if (begin == end || !mapBulk(file, begin, end))
    begin = end = 0;
  if (!readPart(file, 0, begin) || !readPart(file, end, size))
    return false;
  if (!hasMapping || search.lookedAt(bytes()))
    return true;
  // The file changed meanwhile: its new tables must say the same, or the mapped
  // bytes may belong to something else.
  uint64_t again = 0, againEnd = 0;
  BulkSearch(system, file, bytes(), size).find(again, againEnd);
  return again == begin && againEnd == end;
}

bool InputBuffer::mapBulk(int file, uint64_t begin, uint64_t end) {
  if (mayHideWrites(opened, system.now()) &&
      (end - begin < MinNewBulk || !awaitTick()))
    return false;
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
  if (!readPart(fd, offset, offset + part.size()))
    failed = true;
}

void InputBuffer::loadMissing(uint64_t begin, uint64_t end) const {
  std::lock_guard<std::mutex> lock(loaded->mutex);
  std::map<uint64_t, uint64_t> &ends = loaded->ends;
  auto it = ends.upper_bound(begin);
  uint64_t first = begin;
  // A part that begins before and reaches into this one is extended.
  if (it != ends.begin() && std::prev(it)->second >= begin) {
    --it;
    first = it->first;
  }
  uint64_t at = begin, last = end;
  auto readUpTo = [&](uint64_t to) {
    if (at < to && !readPart(fd, at, to))
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
  const bool same = !failed && readsTheSame(fd) &&
                    system.status(fd, now) == 0 && isSame(opened, now);
  ::close(fd);
  fd = -1;
  return same;
}
