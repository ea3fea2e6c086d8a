//===- SystemCallFilter.cpp - Limits system calls with seccomp ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Installs a seccomp filter that lets a program make only the system calls
/// that reading files and printing take. enterSandbox() (Sandbox.cpp) calls
/// filterSystemCalls() in tools that do no more than that, before they open an
/// input. The kernel runs a small program for each system call, which looks at
/// its number and its arguments. What isn't allowed comes back as a signal: its
/// handler says so once, and lets the call fail with EPERM, as if the file
/// system had refused it. So whoever made the call reports the error in its own
/// way.
///
//===----------------------------------------------------------------------===//

#include "SystemCallFilter.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#define LLDCUDA_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define LLDCUDA_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

using namespace lld::cuda;

#if !defined(LLDCUDA_AUDIT_ARCH)
bool lld::cuda::filterSystemCalls(const char *) { return false; }
#else

namespace {
/// What reading, printing, threads and memory take, as the C library calls it.
/// Which files may be opened and written is Landlock's business.
constexpr int Allowed[] = {
    // Files.
    SYS_openat,
    SYS_close,
    SYS_read,
    SYS_readv,
    SYS_pread64,
    SYS_preadv,
    SYS_write,
    SYS_writev,
    SYS_pwrite64,
    SYS_pwritev,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_fstatfs,
    SYS_statfs,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_fadvise64,
    SYS_dup,
    SYS_dup3,
    // Files for members of wheels, which lose their names where they have some.
    SYS_ftruncate,
    SYS_fallocate,
    SYS_unlinkat,
    // Memory.
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    // Threads, and what their stacks and locks need.
    SYS_exit,
    SYS_exit_group,
    SYS_futex,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_gettid,
    SYS_getpid,
    SYS_tgkill,
    SYS_sigaltstack,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_restart_syscall,
    // Time, chance, and what the machine has.
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_getrandom,
    SYS_sysinfo,
    SYS_uname,
    SYS_getuid,
    SYS_geteuid,
    SYS_getrusage,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_membarrier
    SYS_membarrier,
#endif
#if defined(__x86_64__) // Newer machines have the other half of these only.
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_unlink,
    SYS_dup2,
    SYS_time,
    SYS_gettimeofday,
#endif
};

/// A system call that is allowed only if an argument has one of these values.
struct Condition {
  int call;
  unsigned argument;
  unsigned values[6];
  unsigned count;
};
/// TCGETS2, by which isatty() of the C library asks from glibc 2.42 on. Its
/// header can't be included beside termios.h; the structure has 44 bytes.
constexpr unsigned TerminalSettings = _IOR('T', 0x2A, char[44]);
constexpr Condition Conditions[] = {
    {SYS_fcntl, 1, {F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC}, 4},
    {SYS_ioctl, 1, {TCGETS, TerminalSettings, TIOCGWINSZ}, 3},
    // Asking only: the third argument is where a new limit would stand.
    {SYS_prlimit64, 2, {0}, 1},
};

/// Threads: clone() with these flags. What clone3() is to do stands in memory,
/// where nobody here can look; without it the C library takes clone().
constexpr unsigned ThreadFlags = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;

struct Filter {
  sock_filter code[256];
  size_t size = 0;

  void add(unsigned short operation, unsigned value, unsigned char ifTrue = 0,
           unsigned char ifFalse = 0) {
    if (size != std::size(code))
      code[size++] = {operation, ifTrue, ifFalse, value};
  }
  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, unsigned(offset)); }
  void loadArgument(unsigned n) {
    load(offsetof(seccomp_data, args) + n * sizeof(uint64_t)); // Lower half.
  }
  void end(unsigned how) { add(BPF_RET | BPF_K, how); }
  /// Runs what follows for that call only; `length` is what that takes.
  void onlyFor(int call, unsigned length) {
    add(BPF_JMP | BPF_JEQ | BPF_K, unsigned(call), 0, length);
  }
};
} // namespace

static void build(Filter &filter) {
  filter.load(offsetof(seccomp_data, arch));
  filter.add(BPF_JMP | BPF_JEQ | BPF_K, LLDCUDA_AUDIT_ARCH, 1, 0);
  filter.end(SECCOMP_RET_TRAP);
  filter.load(offsetof(seccomp_data, nr));
  for (int call : Allowed) {
    filter.onlyFor(call, 1);
    filter.end(SECCOMP_RET_ALLOW);
  }
  // No call has this number: a debugger gives it to one that it takes away.
  filter.onlyFor(-1, 1);
  filter.end(SECCOMP_RET_ALLOW);
#ifdef SYS_clone3
  filter.onlyFor(SYS_clone3, 1);
  filter.end(SECCOMP_RET_ERRNO | ENOSYS);
#endif
  filter.onlyFor(SYS_clone, 4);
  filter.loadArgument(0);
  filter.add(BPF_ALU | BPF_AND | BPF_K, ThreadFlags);
  filter.add(BPF_JMP | BPF_JEQ | BPF_K, ThreadFlags, 0, 1);
  filter.end(SECCOMP_RET_ALLOW);
  filter.load(offsetof(seccomp_data, nr));
  for (const Condition &condition : Conditions) {
    filter.onlyFor(condition.call, 2 * condition.count + 2);
    filter.loadArgument(condition.argument);
    for (unsigned i = 0; i != condition.count; ++i) {
      filter.onlyFor(condition.values[i], 1);
      filter.end(SECCOMP_RET_ALLOW);
    }
    filter.end(SECCOMP_RET_TRAP);
  }
  filter.end(SECCOMP_RET_TRAP);
}

static const char *confinedProgram = "";
static std::atomic<bool> wasTold{false};

static void onRefusedCall(int, siginfo_t *info, void *context) {
  const int saved = errno;
  if (!wasTold.exchange(true)) {
    char number[12];
    char *digit = std::end(number);
    *--digit = 0;
    unsigned rest = unsigned(info->si_syscall);
    do
      *--digit = char('0' + rest % 10);
    while (rest /= 10);
    const char *const parts[] = {confinedProgram,
                                 ": note: the sandbox has refused system call ",
                                 digit, "; --sandbox=no turns it off\n"};
    iovec pieces[std::size(parts)];
    for (size_t i = 0; i != std::size(parts); ++i)
      pieces[i] = {const_cast<char *>(parts[i]), ::strlen(parts[i])};
    [[maybe_unused]] ssize_t written =
        ::writev(STDERR_FILENO, pieces, std::size(parts));
  }
  auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  registers.gregs[REG_RAX] = -EPERM;
#else
  registers.regs[0] = -EPERM;
#endif
  errno = saved;
}

bool lld::cuda::filterSystemCalls(const char *program) {
  confinedProgram = program;
  Filter filter;
  build(filter);
  // One that is full is not all of it.
  if (filter.size == std::size(filter.code))
    return false;
  struct sigaction action = {};
  action.sa_sigaction = onRefusedCall;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGSYS, &action, nullptr);
  sigset_t refused;
  ::sigemptyset(&refused);
  ::sigaddset(&refused, SIGSYS);
  ::pthread_sigmask(SIG_UNBLOCK, &refused, nullptr);
  const sock_fprog code = {static_cast<unsigned short>(filter.size),
                           filter.code};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &code, 0, 0) == 0;
}
#endif
