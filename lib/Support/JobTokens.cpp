//===- JobTokens.cpp - Processors that make's job server allows -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Links (Parallel.cpp, DeviceLink.cpp) and the program in fatbinary's place
/// take tokens before they start threads. The constructor never waits: it reads
/// what is in the pipe without blocking, and what it gets is the number of
/// threads. A signal may end the program at any time, and lost tokens would
/// slow the whole build, so all tokens that are taken stand in a fixed table
/// from which a signal handler can put them back without locks or memory
/// (giveBackTokensForExit()).
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/JobTokens.h"
#include "SignalsWait.h"
#include "lld-cuda/Support/Cleanup.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

/// Tokens that a signal handler must be able to put back: in memory that stays,
/// and taken out by whoever is first to change `state`.
struct HeldTokens {
  enum State : int { Free, Changing, Held };
  std::atomic<int> state{Free};
  int from = -1, to = -1;
  unsigned count = 0;
  char tokens[256];

  bool change(State before) {
    int expected = before;
    return state.compare_exchange_strong(expected, Changing);
  }
  /// Async-signal-safe.
  void putBack() {
    for (unsigned done = 0; done != count;) {
      const ssize_t n = ::write(to, tokens + done, count - done);
      if (n < 0 && errno != EINTR)
        break;
      done += std::max<ssize_t>(n, 0);
    }
    count = 0;
  }
};

/// Links of one process that run at the same time.
static HeldTokens allHeld[16];

/// Returns the last --jobserver-auth of MAKEFLAGS: make repeats an option to
/// change it.
static StringRef findServer(StringRef makeFlags) {
  StringRef server;
  // Behind "--" there are variables, with whatever values.
  for (StringRef rest = makeFlags, word; !rest.empty() && word != "--";) {
    std::tie(word, rest) = rest.split(' ');
    if (word.consume_front("--jobserver-auth=") ||
        word.consume_front("--jobserver-fds="))
      server = word;
  }
  return server;
}

bool hasJobServer(StringRef makeFlags) {
  return !findServer(makeFlags).empty();
}

static bool isPipe(int fd, int access, struct stat &status) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) == access &&
         ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

/// Make closes the pipe for commands that it doesn't know to be makes, but
/// names it all the same: then the numbers are nobody's, or another file's.
static bool areEndsOfOnePipe(int from, int to) {
  struct stat read, write;
  return isPipe(from, O_RDONLY, read) && isPipe(to, O_WRONLY, write) &&
         read.st_dev == write.st_dev && read.st_ino == write.st_ino;
}

/// The pipe's end by itself: that it doesn't make anybody wait is then not seen
/// by others who have it.
static int openAgain(int fd, int flags) {
  SmallString<32> path("/proc/self/fd/");
  path += utostr(fd);
  return ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK);
}

JobTokens::JobTokens(StringRef makeFlags, unsigned wanted) {
  StringRef server = findServer(makeFlags);
  if (server.empty()) {
    allowed = std::max(wanted, 1u);
    return;
  }
  if (wanted <= 1)
    return;
  if (server.consume_front("fifo:")) {
    const int fd =
        ::open(server.str().c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd >= 0 && ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode))
      take(fd, ::fcntl(fd, F_DUPFD_CLOEXEC, 0), wanted);
    else if (fd >= 0)
      ::close(fd);
    return;
  }
  int from, to;
  const auto [first, second] = server.split(',');
  if (!first.getAsInteger(10, from) && !second.getAsInteger(10, to) &&
      from >= 0 && to >= 0 && areEndsOfOnePipe(from, to))
    take(openAgain(from, O_RDONLY), ::fcntl(to, F_DUPFD_CLOEXEC, 0), wanted);
}

/// The descriptors belong to the object from here on.
void JobTokens::take(int from, int to, unsigned wanted) {
  HeldTokens *slot = nullptr;
  if (from >= 0 && to >= 0)
    for (HeldTokens &each : allHeld)
      if (each.change(HeldTokens::Free)) {
        slot = &each;
        break;
      }
  if (!slot) {
    for (int fd : {from, to})
      if (fd >= 0)
        ::close(fd);
    return;
  }
  cleanUpFromNowOn();
  SignalsWait noSignals;
  slot->from = from;
  slot->to = to;
  // A FIFO says in one call how many there are.
  const size_t most = std::min<size_t>(wanted - 1, sizeof(slot->tokens));
  ssize_t n;
  while ((n = ::read(from, slot->tokens, most)) < 0 && errno == EINTR)
    ;
  slot->count = std::max<ssize_t>(n, 0);
  allowed = 1 + slot->count;
  held = slot;
  slot->state = HeldTokens::Held;
}

void JobTokens::giveBack() {
  allowed = 1;
  if (!held)
    return;
  SignalsWait noSignals;
  HeldTokens &slot = *std::exchange(held, nullptr);
  // Somebody who ends the process may have put them back.
  if (!slot.change(HeldTokens::Held))
    return;
  slot.putBack();
  ::close(slot.from);
  ::close(slot.to);
  slot.state = HeldTokens::Free;
}

JobTokens::~JobTokens() { giveBack(); }

void giveBackTokensForExit() {
  // A thread that is taking some or putting them back is soon done.
  constexpr unsigned Attempts = 1'000'000;
  for (HeldTokens &slot : allHeld) {
    for (unsigned i = 0; slot.state == HeldTokens::Changing && i != Attempts;
         ++i)
      ;
    if (slot.change(HeldTokens::Held))
      slot.putBack();
  }
}

} // namespace lld::cuda
