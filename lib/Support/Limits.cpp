//===- Limits.cpp - What memory and time a program may take ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --memory-limit and --time-limit must work at any moment: in the allocator
/// when there is no memory, and in a signal handler when the time is over.
/// Neither can make a message then, so applyLimits() writes the messages to
/// static memory beforehand; each program calls it as soon as it has found the
/// options on its command line. The memory limit is the kernel's RLIMIT_DATA,
/// which counts private memory that can be written, and not mapped files: it
/// becomes what is used now, plus the limit, plus some for the program itself.
/// A sandboxed tool without --memory-limit gets the memory of the machine or of
/// its container as the limit (limitToAvailableMemory()).
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Limits.h"
#include "Sanitizers.h"
#include "lld-cuda/Support/Cleanup.h"
#include "lld-cuda/Support/ControlGroups.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <csignal>
#include <cstring>
#include <new>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

namespace {
/// Made beforehand: in a signal handler, or without memory, there's no way to.
struct State {
  LastWords words;
  Limits limits;
  char noMemory[96] = "Out of memory\n", noTime[96] = "";
};
} // namespace
static State state;

[[noreturn]] static void endWith(const char *text) {
  eraseProgressLine();
  const iovec pieces[] = {
      {const_cast<char *>(state.words.prefix), ::strlen(state.words.prefix)},
      {const_cast<char *>(text), ::strlen(text)}};
  [[maybe_unused]] ssize_t written = ::writev(STDERR_FILENO, pieces, 2);
  cleanUpForExit();
  sys::RunInterruptHandlers(); // Removes files that aren't complete.
  ::_exit(state.words.status);
}

/// Any thread may find that there is no memory, and several at once.
static void exitWithoutMemory() {
  claimExit();
  endWith(state.noMemory);
}

static void exitWithoutTime(int) { endWith(state.noTime); }

void endWithoutMemory(LastWords words) {
  state.words = words;
  std::set_new_handler(exitWithoutMemory);
  install_bad_alloc_error_handler(
      [](void *, const char *, bool) { exitWithoutMemory(); });
}

std::optional<uint64_t> getMemoryLimit() {
  if (!state.limits.memory)
    return std::nullopt;
  return state.limits.memory << 20;
}

//===----------------------------------------------------------------------===//
// Words of a command line
//===----------------------------------------------------------------------===//

/// Larger numbers are taken for mistakes.
static constexpr uint64_t MaxMemory = uint64_t(1) << 31, MaxSeconds = 1u << 31;

template <typename Number>
static Error readNumber(StringRef name, StringRef value, StringRef unit,
                        uint64_t max, Number &to) {
  uint64_t number;
  if (value.getAsInteger(10, number) || number >= max)
    return createStringError(name + ": '" + value + "' is not a number of " +
                             unit);
  to = Number(number);
  return Error::success();
}

Error readMemoryLimit(StringRef value, Limits &limits) {
  return readNumber("--memory-limit", value, "MiB", MaxMemory, limits.memory);
}

Error readTimeLimit(StringRef value, Limits &limits) {
  return readNumber("--time-limit", value, "seconds", MaxSeconds,
                    limits.seconds);
}

Limits findLimits(ArrayRef<const char *> words) {
  Limits found;
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    if (!word.consume_front("-"))
      continue;
    word.consume_front("-");
    auto [name, value] = word.split('=');
    const bool isMemory = name == "memory-limit";
    if (!isMemory && name != "time-limit")
      continue;
    if (name.size() == word.size() && i + 1 != words.size())
      value = words[++i];
    consumeError(isMemory ? readMemoryLimit(value, found)
                          : readTimeLimit(value, found));
  }
  return found;
}

//===----------------------------------------------------------------------===//
// The process's
//===----------------------------------------------------------------------===//

/// Private memory that can be written, as RLIMIT_DATA counts it.
static uint64_t getUsedData() {
  constexpr unsigned DataField = 5;
  auto file = MemoryBuffer::getFileAsStream("/proc/self/statm");
  SmallVector<StringRef, 8> fields;
  if (file)
    (*file)->getBuffer().trim().split(fields, ' ');
  uint64_t pages = 0;
  if (fields.size() > DataField)
    (void)fields[DataField].getAsInteger(10, pages);
  return pages * ::sysconf(_SC_PAGESIZE);
}

static void limitData(uint64_t size) {
  struct rlimit limit;
  if (HasSanitizer || ::getrlimit(RLIMIT_DATA, &limit) != 0)
    return;
  limit.rlim_cur =
      std::min<uint64_t>(limit.rlim_max, getUsedData() + size + OwnMemory);
  ::setrlimit(RLIMIT_DATA, &limit);
}

template <size_t N> static void setText(char (&to)[N], const Twine &text) {
  SmallString<N> storage;
  StringRef all = text.toStringRef(storage);
  const size_t size = std::min(all.size(), N - 1);
  memcpy(to, all.data(), size);
  to[size] = 0;
}

static void startTimer(unsigned seconds) {
  struct sigaction action = {};
  action.sa_handler = exitWithoutTime;
  ::sigfillset(&action.sa_mask);
  ::sigaction(SIGALRM, &action, nullptr);
  // Whoever started us may have blocked it.
  sigset_t alarm;
  ::sigemptyset(&alarm);
  ::sigaddset(&alarm, SIGALRM);
  ::pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
  ::alarm(seconds);
}

void applyLimits(const Limits &limits) {
  const Limits old = state.limits;
  if (limits == old)
    return;
  state.limits = limits;
  if (limits.memory && limits.memory != old.memory) {
    setText(state.noMemory,
            "Out of memory: --memory-limit=" + Twine(limits.memory) +
                " (MiB) allows no more\n");
    limitData(limits.memory << 20);
  }
  if (limits.seconds && limits.seconds != old.seconds) {
    setText(state.noTime, "Out of time: --time-limit=" + Twine(limits.seconds) +
                              " (seconds) allows no more\n");
    startTimer(limits.seconds);
  }
}

namespace {
class NoMemoryCategory final : public std::error_category {
public:
  const char *name() const noexcept override { return "lld-cuda.memory"; }
  std::string message(int error) const override {
    return std::generic_category().message(error) +
           " (--memory-limit=" + utostr(state.limits.memory) +
           " (MiB) allows no more)";
  }
  std::error_condition
  default_error_condition(int error) const noexcept override {
    return {error, std::generic_category()};
  }
};
} // namespace

std::error_code explainNoMemory(std::error_code error) {
  static const NoMemoryCategory category;
  if (!state.limits.memory || error != std::errc::not_enough_memory)
    return error;
  return {error.value(), category};
}

//===----------------------------------------------------------------------===//
// The machine's
//===----------------------------------------------------------------------===//

static uint64_t findAvailableMemory() {
  uint64_t memory = uint64_t(std::max(0l, ::sysconf(_SC_PHYS_PAGES))) *
                    ::sysconf(_SC_PAGESIZE);
  for (auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    struct rlimit value;
    if (::getrlimit(resource, &value) == 0 && value.rlim_cur != RLIM_INFINITY)
      memory = std::min<uint64_t>(memory, value.rlim_cur);
  }
  return std::min(memory, ControlGroups().memory().value_or(memory));
}

uint64_t getAvailableMemory() {
  static const uint64_t memory = findAvailableMemory();
  return memory;
}

void limitToAvailableMemory() {
  const uint64_t memory = getAvailableMemory();
  if (!state.limits.memory)
    limitData(memory);
}

} // namespace lld::cuda
