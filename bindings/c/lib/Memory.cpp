//===- Memory.cpp - Limits the memory of a link ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Takes the memory of each link of liblld-cuda from the link's own heap
/// (LinkHeap.h), and enforces lldcuda_options.memory_limit: an allocation fails
/// that would be too much. The linker's --wrap replaces malloc(), mmap() and
/// their like in this library by the functions here, so they run for every
/// allocation and charge the account of the thread. A Charging sets that
/// account for the duration of a call of lldcuda.h's functions; threads that
/// the call starts inherit it.
///
/// Some memory is the C library's: what outlives a link (LongLived.h), blocks
/// that are aligned to more than 16, and everything if the system has no room
/// for a heap. It is charged, too. Most calls only lower a credit of the
/// thread, 64 KiB of which is charged at a time. Sizes are those that the
/// allocator reports (malloc_usable_size), so that as much is given back as was
/// charged. Sanitizers see no heap, but each block.
///
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "HeapRegion.h"
#include "LinkHeap.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Support/LongLived.h"
#include "llvm/Support/Compiler.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <malloc.h>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <utility>

using namespace lld::cuda::capi;

namespace {
/// The account that a thread's allocations are charged to.
struct Current {
  Account *account; ///< Null: they aren't charged.
  /// What is charged and not taken yet. It may be a little less than nothing,
  /// as the allocator rounds up.
  int64_t credit;
  /// Of the account's heap. Null: none yet, or the C library's heap is used.
  LinkHeap::Part *part;
  bool usesHeap; ///< Not without an account.
};
} // namespace

#if LLVM_ADDRESS_SANITIZER_BUILD || LLVM_MEMORY_SANITIZER_BUILD ||             \
    LLVM_THREAD_SANITIZER_BUILD
static constexpr bool HasHeaps = false;
#else
static constexpr bool HasHeaps = true;
#endif

/// So much is charged at a time, as long as the account has it.
static constexpr int64_t Portion = 64 << 10;

// The linker's --wrap gives the names.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **p, size_t alignment, size_t size);
void __real_free(void *p);
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd,
                  off_t offset);
int __real_munmap(void *p, size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
}
// NOLINTEND(bugprone-reserved-identifier)

/// Of what outlives a link, larger blocks don't go to the C library's heap,
/// which gives them back to the system as soon as they are freed.
static constexpr size_t LargestElsewhere = 64 << 10;

/// The access model is that of libraries that are there when the program
/// starts; dlopen() has room for some such variables, too.
static thread_local Current current
    __attribute__((tls_model("initial-exec"))) = {nullptr, 0, nullptr, false};

/// Charges so much that the thread may take `size`. Returns false if that would
/// exceed the account's limit.
[[gnu::cold, gnu::noinline]] static bool reserve(size_t size) {
  if (size > size_t(INT64_MAX) / 2)
    return false;
  const int64_t missing = int64_t(size) - current.credit;
  if (current.account->charge(missing + Portion)) {
    current.credit += missing + Portion;
    return true;
  }
  // What the heap has in hand isn't needed there.
  if (current.part)
    current.part->giveBackRest();
  if (!current.account->charge(missing))
    return false;
  current.credit += missing;
  return true;
}

/// Most calls find that there is credit, and need no atomic operation.
static inline bool hasCredit(size_t size) {
  if (current.credit >= 0 && size <= size_t(current.credit)) [[likely]]
    return true;
  return reserve(size);
}

[[gnu::cold, gnu::noinline]] static void lowerCredit() {
  current.account->giveBack(current.credit - Portion);
  current.credit = Portion;
}

static inline void giveBack(size_t size) {
  current.credit += int64_t(size);
  if (current.credit > 2 * Portion) [[unlikely]]
    lowerCredit();
}

void Account::setLimit(uint64_t bytes) {
  if (!bytes)
    return;
  limit = int64_t(std::min<uint64_t>(bytes, INT64_MAX));
  isSettled = true;
}

/// Without a limit of its own, the account has what inputs may be decompressed
/// to: half of what the machine has, or RLIMIT_AS or the cgroup allow.
bool Account::allowsMore(int64_t sum) {
  if (isSettled)
    return false;
  // Asking takes memory itself.
  const Current before = current;
  current = {nullptr, 0, nullptr, false};
  const uint64_t left = lld::cuda::decompressLimit();
  current = before;
  limit = int64_t(std::min<uint64_t>(left, INT64_MAX));
  isSettled = true;
  return sum <= limit;
}

std::atomic<uint64_t> Account::accounts;

LinkHeap *Account::getHeap() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!heap)
    heap = LinkHeap::create(*this);
  return heap;
}

void Account::endHeap() {
  if (!heap)
    return;
  if (current.account == this && current.part)
    heap->leave(std::exchange(current.part, nullptr));
  heap->end();
  heap = nullptr;
}

/// Lets the thread use a part of the heap from now on. Returns null if there is
/// no memory for it.
[[gnu::cold, gnu::noinline]] static LinkHeap::Part *enterHeap() {
  LinkHeap *heap = current.account->getHeap();
  current.part = heap ? heap->enter() : nullptr;
  return current.part;
}

static bool chooseHeap(bool inHeap) {
  inHeap &= current.account != nullptr;
  return std::exchange(current.usesHeap, inHeap);
}

/// glibc gives free memory at the end of its heap back to the system if there
/// are more than 128 KiB of it. That would happen whenever the program frees
/// its copy of an image, and the next copy would wait for the kernel to clear
/// the same pages. The limit becomes twice the size of the largest block that
/// was mapped and freed (mallopt(3), M_MMAP_THRESHOLD). As images aren't in
/// glibc's heap, it is shown a block of `size` bytes instead. The limit has a
/// limit, 64 MiB.
static void keepFreedPages(size_t size) {
  static std::atomic<size_t> largest{0};
  size = std::min<size_t>(size, 31 << 20);
  if (size <= largest.load(std::memory_order_relaxed))
    return;
  largest.store(size, std::memory_order_relaxed);
  // Without `volatile` the compiler would leave both calls out.
  void *volatile block = __real_malloc(size);
  __real_free(block);
}

void lld::cuda::capi::prepareHeaps() {
  if (HasHeaps)
    LongLived::choose = chooseHeap;
  keepFreedPages(1 << 20);
}

Charging::Charging(Account &account)
    : account(account), before(current.account), beforeCredit(current.credit),
      beforePart(current.part), beforeUses(current.usesHeap) {
  current = {&account, 0, nullptr, HasHeaps};
}

Charging::~Charging() {
  if (current.part)
    account.getHeap()->leave(current.part);
  account.giveBack(current.credit);
  current = {before, beforeCredit, beforePart, beforeUses};
}

// NOLINTBEGIN(bugprone-reserved-identifier)

/// Sets `p` to a block of a heap of this library, or to null if that would
/// exceed the account's limit. Returns false if the C library's has to be used.
static inline bool tryHeap(size_t size, void *&p) {
  bool isUnmapped = false;
  if (size > LargestElsewhere &&
      (!current.usesHeap || size > LinkHeap::LargestBlock)) [[unlikely]] {
    if (!HasHeaps || !current.account)
      return false;
    if (!current.usesHeap)
      keepFreedPages(size);
    p = LinkHeap::allocateAlone(size, *current.account, isUnmapped);
  } else if (!current.usesHeap) {
    return false;
  } else {
    LinkHeap::Part *part = current.part;
    if (!part) [[unlikely]]
      part = enterHeap();
    if (!part)
      return false;
    p = part->allocate(size, isUnmapped);
  }
  return p || !isUnmapped;
}

/// The limit may be reached only because the thread has credit, or the heap has
/// charged more than it has given out.
[[gnu::cold, gnu::noinline]] static bool tryHeapAgain(size_t size, void *&p) {
  current.account->giveBack(std::exchange(current.credit, 0));
  if (current.part)
    current.part->giveBackRest();
  const bool isRight = tryHeap(size, p);
  if (!p)
    errno = ENOMEM;
  return isRight;
}

static inline bool takeFromHeap(size_t size, void *&p) {
  p = nullptr;
  if (!tryHeap(size, p))
    return false;
  return p ? true : tryHeapAgain(size, p);
}

/// Takes memory by `take`, which may be null, and charges it.
template <typename Fn> static inline void *takeCharged(size_t size, Fn take) {
  if (!current.account)
    return take();
  if (!hasCredit(size)) {
    errno = ENOMEM;
    return nullptr;
  }
  void *const p = take();
  if (p)
    current.credit -= int64_t(malloc_usable_size(p));
  return p;
}

extern "C" {

void *__wrap_malloc(size_t size) {
  if (void *p; takeFromHeap(size, p))
    return p;
  return takeCharged(size, [&] { return __real_malloc(size); });
}

void *__wrap_calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  if (void *p; takeFromHeap(bytes, p))
    return p ? memset(p, 0, bytes) : nullptr;
  return takeCharged(bytes, [&] { return __real_calloc(count, size); });
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return takeCharged(size,
                     [&] { return __real_aligned_alloc(alignment, size); });
}

int __wrap_posix_memalign(void **p, size_t alignment, size_t size) {
  int status = ENOMEM;
  void *const taken = takeCharged(size, [&]() -> void * {
    status = __real_posix_memalign(p, alignment, size);
    return status ? nullptr : *p;
  });
  return taken ? 0 : status;
}

void __wrap_free(void *p) {
  if (HasHeaps && LinkHeap::owns(p)) {
    LinkHeap::release(p, current.part, current.account);
    return;
  }
  if (current.account && p)
    giveBack(malloc_usable_size(p));
  __real_free(p);
}

/// Neither block has to be of the heap that the thread uses now.
static void *resizeOwned(void *p, size_t size) {
  const size_t before = LinkHeap::usableSize(p);
  if (size <= before || (current.part && current.part->resize(p, size)))
    return p;
  void *const moved = __wrap_malloc(size);
  if (moved) {
    memcpy(moved, p, before);
    LinkHeap::release(p, current.part, current.account);
  }
  return moved;
}

void *__wrap_realloc(void *p, size_t size) {
  if (HasHeaps && LinkHeap::owns(p))
    return resizeOwned(p, size);
  if (!p)
    return __wrap_malloc(size);
  const bool isCharged = current.account;
  const size_t before = isCharged && p ? malloc_usable_size(p) : 0;
  void *const moved =
      takeCharged(size, [&] { return __real_realloc(p, size); });
  if (isCharged && (moved || !size))
    giveBack(before);
  return moved;
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd,
                  off_t offset) {
  // At a given place, what is there was charged.
  const bool isCharged = current.account && !(flags & MAP_FIXED);
  if (isCharged && !hasCredit(size)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void *const p = __real_mmap(at, size, protection, flags, fd, offset);
  if (isCharged && p != MAP_FAILED)
    current.credit -= int64_t(size);
  return p;
}

int __wrap_munmap(void *p, size_t size) {
  if (current.account)
    giveBack(size);
  return __real_munmap(p, size);
}
}

void *lld::cuda::capi::mapPages(size_t size) {
  void *p = __real_mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

void lld::cuda::capi::unmapPages(void *p, size_t size) {
  __real_munmap(p, size);
}

namespace {
/// What pthread_create() was asked to run, and the account of the thread that
/// has called it.
struct Start {
  void *(*function)(void *);
  void *argument;
  Account *account;
};
} // namespace

static void *startCharged(void *argument) {
  const Start start = *static_cast<Start *>(argument);
  Charging charging(*start.account);
  delete static_cast<Start *>(argument);
  return start.function(start.argument);
}

extern "C" int __wrap_pthread_create(pthread_t *thread,
                                     const pthread_attr_t *attributes,
                                     void *(*function)(void *),
                                     void *argument) {
  if (!current.account)
    return __real_pthread_create(thread, attributes, function, argument);
  auto *start = new (std::nothrow) Start{function, argument, current.account};
  if (!start)
    return EAGAIN;
  const int status =
      __real_pthread_create(thread, attributes, startCharged, start);
  if (status)
    delete start;
  return status;
}
// NOLINTEND(bugprone-reserved-identifier)
