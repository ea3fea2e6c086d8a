//===- Memory.cpp - Limits the memory of a link ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Enforces lldcuda_options.memory_limit: counts what each link of liblld-cuda
/// has allocated and lets an allocation fail that would be too much. The
/// linker's --wrap replaces malloc(), mmap() and their like in this library by
/// the functions here, so they run for every allocation and charge the account
/// of the thread. A Charging sets that account for the duration of a call of
/// lldcuda.h's functions; threads that the call starts inherit it. Most calls
/// only lower a credit of the thread, 64 KiB of which is charged at a time.
/// Sizes are those that the allocator reports (malloc_usable_size), so that as
/// much is given back as was charged.
///
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "lld-cuda/Object/Fatbin.h"
#include <algorithm>
#include <cerrno>
#include <malloc.h>
#include <new>
#include <pthread.h>
#include <sys/mman.h>

using namespace lld::cuda::capi;

namespace {
/// The account that a thread's allocations are charged to.
struct Current {
  Account *account; ///< Null: they aren't charged.
  /// What is charged and not taken yet. It may be a little less than nothing,
  /// as the allocator rounds up.
  int64_t credit;
};
} // namespace

/// So much is charged at a time, as long as the account has it.
static constexpr int64_t Portion = 64 << 10;

/// The access model is that of libraries that are there when the program
/// starts; dlopen() has room for some such variables, too.
static thread_local Current current
    __attribute__((tls_model("initial-exec"))) = {nullptr, 0};

/// Charges so much that the thread may take `size`. Returns false if that would
/// exceed the account's limit.
[[gnu::cold, gnu::noinline]] static bool reserve(size_t size) {
  if (size > size_t(INT64_MAX) / 2)
    return false;
  const int64_t missing = int64_t(size) - current.credit;
  if (current.account->charge(missing + Portion))
    current.credit += missing + Portion;
  else if (current.account->charge(missing))
    current.credit += missing;
  else
    return false;
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

/// glibc gives free memory at the end of the heap back to the system if there
/// are more than 128 KiB of it, which is so whenever a link is destroyed. The
/// next one then waits for the kernel to clear the same pages: a third of the
/// time of a link of 100 cubins. The limit becomes twice the size of the
/// largest block that was mapped and freed (mallopt(3), M_MMAP_THRESHOLD).
void lld::cuda::capi::keepFreedPages() {
  constexpr size_t Block = 1 << 20;
  // Without `volatile` the compiler would leave both calls out.
  void *volatile block = malloc(Block);
  free(block);
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
  current.account = nullptr;
  const uint64_t left = lld::cuda::decompressLimit();
  current = before;
  limit = int64_t(std::min<uint64_t>(left, INT64_MAX));
  isSettled = true;
  return sum <= limit;
}

Charging::Charging(Account &account)
    : before(current.account), creditBefore(current.credit) {
  current = {&account, 0};
}

Charging::~Charging() {
  current.account->giveBack(current.credit);
  current = {before, creditBefore};
}

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
  return takeCharged(size, [&] { return __real_malloc(size); });
}

void *__wrap_calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
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
  if (current.account && p)
    giveBack(malloc_usable_size(p));
  __real_free(p);
}

void *__wrap_realloc(void *p, size_t size) {
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
