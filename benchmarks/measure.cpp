//===- measure.cpp - Time two commands, in turns ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs commands in turns and prints a line for each run: the command's number,
/// wall time and processor time in microseconds, largest resident size in KiB.
///
///   measure LEAST MOST SECONDS REPEAT MEGABYTES new|over
///           OUTPUT COMMAND... [-- OUTPUT COMMAND...]...
///
/// At least LEAST and at most MOST rounds; between these, no further round once
/// SECONDS are over. In each round all commands but the last run REPEAT times:
/// where the last takes seconds there are few rounds. Before each run the
/// command's output is removed (new) or left as the run before wrote it (over).
/// A program of its own, because the resident size that the kernel reports for
/// a child is at least that of the process that started it, and a script's
/// interpreter is larger than the linkers are.
///
/// Virtual machines give free memory back to their host, and getting it again
/// takes longer than a link that needs it. How much of it is away depends on
/// what ran before and for how long. So before each run another process uses
/// that many MEGABYTES and ends, and every command finds the memory there.
///
//===----------------------------------------------------------------------===//

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Without that memory, the runs are merely less alike.
void touchMemory(size_t megabytes) {
  if (megabytes == 0)
    return;
  pid_t pid = fork();
  if (pid == 0) {
    size_t size = megabytes << 20;
    void *data = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data != MAP_FAILED) {
      madvise(data, size, MADV_HUGEPAGE);
      constexpr size_t page = 4096;
      for (size_t i = 0; i < size; i += page)
        static_cast<volatile char *>(data)[i] = 1;
    }
    _exit(0);
  }
  if (pid > 0)
    waitpid(pid, nullptr, 0);
}

/// One run. Returns false if the command fails.
bool measure(int which, char **command) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int fd = 0; fd < 3; ++fd)
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  auto start = Clock::now();
  pid_t pid;
  int error =
      posix_spawnp(&pid, command[0], &actions, nullptr, command, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) {
    std::fprintf(stderr, "measure: %s: %s\n", command[0], std::strerror(error));
    return false;
  }
  int status = 0;
  rusage usage;
  wait4(pid, &status, 0, &usage);
  double seconds = secondsSince(start);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "measure: %s failed\n", command[0]);
    return false;
  }
  double processor = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
                     (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  std::printf("%d %.1f %.1f %ld\n", which, seconds * 1e6, processor * 1e6,
              usage.ru_maxrss);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 9) {
    std::fprintf(stderr,
                 "usage: measure LEAST MOST SECONDS REPEAT MEGABYTES new|over "
                 "OUTPUT COMMAND... [-- OUTPUT COMMAND...]...\n");
    return 2;
  }
  int least = std::atoi(argv[1]), most = std::atoi(argv[2]);
  double limit = std::atof(argv[3]);
  int repeat = std::atoi(argv[4]);
  size_t megabytes = std::strtoull(argv[5], nullptr, 10);
  bool fresh = !std::strcmp(argv[6], "new");
  std::vector<char **> commands{argv + 7}; // The output stands in front.
  for (char **word = argv + 7; *word; ++word)
    if (!std::strcmp(*word, "--")) {
      *word = nullptr;
      commands.push_back(word + 1);
    }

  auto start = Clock::now();
  for (int run = 0; run < most && (run < least || secondsSince(start) < limit);
       ++run)
    for (size_t turn = 0; turn < commands.size(); ++turn) {
      // Who goes first changes, so that none always finds warm caches.
      size_t which = (run + turn) % commands.size();
      int times = which + 1 == commands.size() ? 1 : repeat;
      for (int i = 0; i < times; ++i) {
        if (fresh)
          unlink(commands[which][0]);
        touchMemory(megabytes);
        if (!measure(which, commands[which] + 1))
          return 1;
      }
    }
}
