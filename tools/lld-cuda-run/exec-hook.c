//===- exec-hook.c - Programs that a build starts, replaced -----*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `lld-cuda --run COMMAND` lets the dynamic loader put this shared object into
/// COMMAND and into every program that it starts (LD_PRELOAD). The functions
/// below take the place of the C library's that start programs. Where the file
/// to start is named nvlink, they start
///
///     lld-cuda -flavor run --program=FILE --called-as=WORD --state=DIR -- ...
///
/// which looks whether FILE is NVIDIA's (RunReplaced.cpp) and links, or starts
/// FILE after all. Every other program is started as it would have been.
///
/// What the caller may rely on:
/// - A child made by vfork() shares its parent's memory. So nothing here is
///   allocated or kept: arrays are on the stack, and static data is written
///   only while the object is loaded.
/// - A program into which this object can't be loaded (32 bits, another
///   processor, musl's C library) would print a message of the loader's. It
///   gets an LD_PRELOAD without this object.
/// - After COMMAND has ended its state directory is gone. A server that goes on
///   running starts NVIDIA's programs again.
///
/// It is linked without the C library, whose functions it finds in the program.
/// So it asks for no version of glibc's symbols and runs with 2.17 and later.
///
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __SIZEOF_POINTER__ != 8
#error "the hook is for 64 bit programs"
#endif
#if defined(__x86_64__)
enum { OwnMachine = EM_X86_64 };
#elif defined(__aarch64__)
enum { OwnMachine = EM_AARCH64 };
#elif defined(__riscv)
enum { OwnMachine = 243 };
#else
#error "unknown processor"
#endif

typedef int (*ExecveFunction)(const char *, char *const[], char *const[]);
typedef int (*SpawnFunction)(pid_t *, const char *,
                             const posix_spawn_file_actions_t *,
                             const posix_spawnattr_t *, char *const[],
                             char *const[]);

/// What `lld-cuda --run` has put into the environment. Copied, since programs
/// change their environment.
static char linker[PATH_MAX];    ///< LLDCUDA_RUN_PROGRAM: the file lld-cuda.
static char state[PATH_MAX];     ///< LLDCUDA_RUN_STATE: a directory.
static char names[64];           ///< LLDCUDA_RUN_NAMES: "nvlink nvcc".
static char preloaded[PATH_MAX]; ///< LLDCUDA_RUN_HOOK: in LD_PRELOAD.

/// The C library's functions, or those of another preloaded object.
static ExecveFunction nextExecve, nextExecvpe;
static SpawnFunction nextSpawn, nextSpawnp;

static bool copySetting(char *to, size_t size, const char *name) {
  const char *value = getenv(name);
  if (!value || strlen(value) >= size)
    return false;
  memcpy(to, value, strlen(value) + 1);
  return true;
}

/// Whether this process is lld-cuda, which starts the programs that it stands
/// in for.
static bool isLinker(void) {
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  return length > 0 && (size_t)length == strlen(linker) &&
         memcmp(self, linker, (size_t)length) == 0;
}

__attribute__((constructor)) static void load(void) {
  nextExecve = (ExecveFunction)dlsym(RTLD_NEXT, "execve");
  nextExecvpe = (ExecveFunction)dlsym(RTLD_NEXT, "execvpe");
  nextSpawn = (SpawnFunction)dlsym(RTLD_NEXT, "posix_spawn");
  nextSpawnp = (SpawnFunction)dlsym(RTLD_NEXT, "posix_spawnp");
  if (!copySetting(linker, sizeof linker, "LLDCUDA_RUN_PROGRAM") ||
      !copySetting(state, sizeof state, "LLDCUDA_RUN_STATE") ||
      !copySetting(names, sizeof names, "LLDCUDA_RUN_NAMES") ||
      !copySetting(preloaded, sizeof preloaded, "LLDCUDA_RUN_HOOK") ||
      isLinker())
    linker[0] = 0;
}

/// Objects loaded before this one may start programs in their constructors.
static int callExecve(const char *path, char *const argv[],
                      char *const envp[]) {
  if (!nextExecve)
    nextExecve = (ExecveFunction)dlsym(RTLD_NEXT, "execve");
  if (nextExecve)
    return nextExecve(path, argv, envp);
  errno = ENOSYS;
  return -1;
}

static const char *baseName(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/// Whether `word` is among words with a blank between them.
static bool isListed(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; length && (at = strstr(at, word)); at += length)
    if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
      return true;
  return false;
}

static size_t countWords(char *const words[]) {
  size_t n = 0;
  while (words && words[n])
    ++n;
  return n;
}

/// Whether the file could be started. A directory can be entered, which for
/// access() is the same.
static bool isProgram(const char *path) {
  if (access(path, X_OK) != 0)
    return false;
  const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0)
    return true;
  close(directory);
  return false;
}

static bool isRunning(void) { return linker[0] && access(state, X_OK) == 0; }

//===----------------------------------------------------------------------===//
// Programs that the hook can't be in
//===----------------------------------------------------------------------===//

/// The beginning of a program. The loader's name stands in it in nearly all.
struct Beginning {
  int file;
  size_t size;
  _Alignas(16) char bytes[1024];
};

/// Whether the program's loader would take this object: musl's wouldn't.
static bool hasOwnLoader(const struct Beginning *b) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)b->bytes;
  for (unsigned i = 0; i < header->e_phnum && i < 64; ++i) {
    Elf64_Phdr segment;
    const Elf64_Off at = header->e_phoff + (Elf64_Off)i * sizeof segment;
    if (pread(b->file, &segment, sizeof segment, (off_t)at) != sizeof segment)
      return true;
    if (segment.p_type != PT_INTERP)
      continue;
    char loader[128] = "";
    const size_t size =
        segment.p_filesz < sizeof loader ? segment.p_filesz : sizeof loader - 1;
    return pread(b->file, loader, size, (off_t)segment.p_offset) <= 0 ||
           !strstr(loader, "/ld-musl");
  }
  // A static one has no loader. What it starts may have one.
  return true;
}

/// Copies a script's interpreter: what follows "#!" up to the next blank.
static bool readInterpreter(const struct Beginning *b, char *path,
                            size_t size) {
  size_t from = 2, length = 0;
  while (from < b->size && (b->bytes[from] == ' ' || b->bytes[from] == '\t'))
    ++from;
  for (; from + length < b->size && length + 1 < size; ++length) {
    const char c = b->bytes[from + length];
    if (c == ' ' || c == '\t' || c == '\n' || !c)
      break;
    path[length] = c;
  }
  path[length] = 0;
  return length != 0;
}

/// Whether the loader of the program can load this object, or there is none.
/// Scripts are as their interpreters. Doubtful ones are taken.
static bool canBeLoadedInto(const char *path) {
  char interpreter[256];
  for (int depth = 0; depth < 4; ++depth) {
    struct Beginning b;
    b.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (b.file < 0)
      return true;
    const ssize_t size = pread(b.file, b.bytes, sizeof b.bytes, 0);
    b.size = size < 0 ? 0 : (size_t)size;
    bool isLoadable = true, isScript = false;
    if (b.size >= sizeof(Elf64_Ehdr) && memcmp(b.bytes, ELFMAG, SELFMAG) == 0) {
      const Elf64_Ehdr *header = (const Elf64_Ehdr *)b.bytes;
      isLoadable = b.bytes[EI_CLASS] == ELFCLASS64 &&
                   header->e_machine == OwnMachine && hasOwnLoader(&b);
    } else if (b.size > 2 && b.bytes[0] == '#' && b.bytes[1] == '!') {
      isScript = readInterpreter(&b, interpreter, sizeof interpreter);
    }
    close(b.file);
    if (!isScript)
      return isLoadable;
    path = interpreter;
  }
  return true;
}

static bool isPreloadVariable(const char *variable) {
  return strncmp(variable, "LD_PRELOAD=", sizeof "LD_PRELOAD=" - 1) == 0;
}

/// LD_PRELOAD without this object. `to` has room for `variable`. False if
/// nothing is left.
static bool copyWithoutHook(char *to, const char *variable) {
  const size_t start = sizeof "LD_PRELOAD=" - 1, own = strlen(preloaded);
  memcpy(to, variable, start);
  char *end = to + start;
  for (const char *at = variable + start; *at;) {
    size_t length = 0;
    while (at[length] && at[length] != ':' && at[length] != ' ')
      ++length;
    if (length && !(length == own && memcmp(at, preloaded, own) == 0)) {
      if (end != to + start)
        *end++ = ':';
      memcpy(end, at, length);
      end += length;
    }
    at += length;
    if (*at)
      ++at;
  }
  *end = 0;
  return end != to + start;
}

//===----------------------------------------------------------------------===//
// Starting
//===----------------------------------------------------------------------===//

/// How the caller wanted the program to be started.
struct Start {
  /// For posix_spawn(), else null.
  SpawnFunction spawn;
  pid_t *pid;
  const posix_spawn_file_actions_t *actions;
  const posix_spawnattr_t *attributes;
};

/// As the caller's function does: an error's number, or -1 and errno.
static int start(const struct Start *how, const char *path, char *const argv[],
                 char *const envp[]) {
  if (how->spawn)
    return how->spawn(how->pid, path, how->actions, how->attributes, argv,
                      envp);
  return callExecve(path, argv, envp);
}

/// With an environment in which this object isn't named.
static int startWithoutHook(const struct Start *how, const char *path,
                            char *const argv[], char *const envp[]) {
  const size_t count = countWords(envp);
  size_t longest = 1;
  for (size_t i = 0; i < count; ++i)
    if (isPreloadVariable(envp[i]))
      longest = strlen(envp[i]) + 1;
  if (longest > 16 * PATH_MAX || count > 1 << 16)
    return start(how, path, argv, envp);
  char preload[longest];
  char *variables[count + 1];
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!isPreloadVariable(envp[i]))
      variables[kept++] = envp[i];
    else if (strlen(envp[i]) < longest && copyWithoutHook(preload, envp[i]))
      variables[kept++] = preload;
  }
  variables[kept] = NULL;
  return start(how, path, argv, variables);
}

/// "--program=" and the like with their values.
struct Words {
  char program[sizeof "--program=" + PATH_MAX];
  char state[sizeof "--state=" + PATH_MAX];
  char calledAs[sizeof "--called-as=" + PATH_MAX];
};

static bool setWord(char *to, size_t size, const char *option,
                    const char *value) {
  const size_t length = strlen(option);
  if (length + strlen(value) >= size)
    return false;
  memcpy(to, option, length);
  memcpy(to + length, value, strlen(value) + 1);
  return true;
}

/// Starts lld-cuda in the program's place. Where that fails, the program.
static int startLinker(const struct Start *how, const char *path,
                       char *const argv[], char *const envp[]) {
  const size_t count = countWords(argv);
  struct Words words;
  const char *first = count ? argv[0] : path;
  if (count > 1 << 18 ||
      !setWord(words.program, sizeof words.program, "--program=", path) ||
      !setWord(words.state, sizeof words.state, "--state=", state) ||
      !setWord(words.calledAs, sizeof words.calledAs, "--called-as=", first))
    return start(how, path, argv, envp);
  char *line[count + 8];
  size_t n = 0;
  line[n++] = linker;
  line[n++] = (char *)"-flavor";
  line[n++] = (char *)"run";
  line[n++] = words.program;
  line[n++] = words.calledAs;
  line[n++] = words.state;
  line[n++] = (char *)"--";
  for (size_t i = 1; i < count; ++i)
    line[n++] = argv[i];
  line[n] = NULL;
  const int result = start(how, linker, line, envp);
  // exec doesn't come back, and posix_spawn() leaves 0, unless it failed.
  return result == 0 ? 0 : start(how, path, argv, envp);
}

/// What was started is told at the end if nothing could be replaced.
static void noteStart(const char *name) {
  char path[PATH_MAX + 8], line[64];
  const size_t directory = strlen(state), length = strlen(name);
  if (directory + sizeof "/seen" > sizeof path || length + 1 > sizeof line)
    return;
  memcpy(path, state, directory);
  memcpy(path + directory, "/seen", sizeof "/seen");
  memcpy(line, name, length);
  line[length] = '\n';
  const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return;
  if (write(file, line, length + 1) < 0) {
    // Only a hint is lost.
  }
  close(file);
}

/// Starts the program at a path, or what stands in for it.
static int startFile(const struct Start *how, const char *path,
                     char *const argv[], char *const envp[]) {
  if (!linker[0])
    return start(how, path, argv, envp);
  if (!isRunning())
    return startWithoutHook(how, path, argv, envp);
  const char *name = baseName(path);
  if (isListed(names, name) && isProgram(path))
    return startLinker(how, path, argv, envp);
  if (strcmp(name, "nvcc") == 0 && isProgram(path))
    noteStart(name);
  if (!canBeLoadedInto(path))
    return startWithoutHook(how, path, argv, envp);
  return start(how, path, argv, envp);
}

/// Finds a program on PATH as execvp() does. False: the C library shall look,
/// and tell what is wrong.
static bool findOnPath(const char *name, char *path, size_t size) {
  const char *folders = getenv("PATH");
  if (!folders || !*name || strchr(name, '/'))
    return false;
  for (const char *at = folders;; ++at) {
    const size_t length = strcspn(at, ":");
    if (length + strlen(name) + 2 <= size) {
      memcpy(path, at, length);
      size_t end = length;
      if (length)
        path[end++] = '/';
      memcpy(path + end, name, strlen(name) + 1);
      if (isProgram(path))
        return true;
    }
    at += length;
    if (!*at)
      return false;
  }
}

//===----------------------------------------------------------------------===//
// The C library's functions
//===----------------------------------------------------------------------===//

#define EXPORTED __attribute__((visibility("default")))

static const struct Start Exec;

EXPORTED int execve(const char *path, char *const argv[], char *const envp[]) {
  return startFile(&Exec, path, argv, envp);
}

EXPORTED int execv(const char *path, char *const argv[]) {
  return startFile(&Exec, path, argv, environ);
}

EXPORTED int execvpe(const char *file, char *const argv[], char *const envp[]) {
  char path[PATH_MAX];
  if (linker[0] && findOnPath(file, path, sizeof path)) {
    const int result = startFile(&Exec, path, argv, envp);
    // A script without "#!" is for the C library to start.
    if (errno != ENOEXEC)
      return result;
  } else if (strchr(file, '/')) {
    const int result = startFile(&Exec, file, argv, envp);
    if (errno != ENOEXEC)
      return result;
  }
  if (nextExecvpe)
    return nextExecvpe(file, argv, envp);
  errno = ENOSYS;
  return -1;
}

EXPORTED int execvp(const char *file, char *const argv[]) {
  return execvpe(file, argv, environ);
}

/// The words of execl() and its like, up to the null; `next` is the list's
/// va_list at the first of them.
#define COLLECT_WORDS(FIRST)                                                   \
  va_list list;                                                                \
  size_t count = 1;                                                            \
  va_start(list, FIRST);                                                       \
  while (va_arg(list, char *))                                                 \
    ++count;                                                                   \
  va_end(list);                                                                \
  char *words[count + 1];                                                      \
  words[0] = (char *)FIRST;                                                    \
  va_start(list, FIRST);                                                       \
  for (size_t i = 1; i <= count; ++i)                                          \
  words[i] = va_arg(list, char *)

EXPORTED int execl(const char *path, const char *first, ...) {
  COLLECT_WORDS(first);
  va_end(list);
  return execv(path, words);
}

EXPORTED int execlp(const char *file, const char *first, ...) {
  COLLECT_WORDS(first);
  va_end(list);
  return execvp(file, words);
}

EXPORTED int execle(const char *path, const char *first, ...) {
  COLLECT_WORDS(first);
  char *const *variables = va_arg(list, char *const *);
  va_end(list);
  return execve(path, words, variables);
}

/// The name of an open file or directory, followed by "/" and `rest` if there
/// is one.
static bool nameOfFile(int file, const char *rest, char *path, size_t size) {
  char link[32] = "/proc/self/fd/";
  size_t end = strlen(link), digits = 1;
  for (int n = file; n >= 10; n /= 10)
    ++digits;
  for (size_t i = digits; i--; file /= 10)
    link[end + i] = (char)('0' + file % 10);
  link[end + digits] = 0;
  const ssize_t length = readlink(link, path, size - 1);
  if (length <= 0 || path[0] != '/' || (size_t)length + strlen(rest) + 2 > size)
    return false;
  path[length] = 0;
  if (*rest) {
    path[length] = '/';
    memcpy(path + length + 1, rest, strlen(rest) + 1);
  }
  return true;
}

EXPORTED int execveat(int directory, const char *path, char *const argv[],
                      char *const envp[], int flags) {
  char name[PATH_MAX];
  if (linker[0]) {
    if (path[0] == '/' || (directory == AT_FDCWD && path[0])) {
      if (isListed(names, baseName(path)))
        return startFile(&Exec, path, argv, envp);
    } else if (directory >= 0 &&
               nameOfFile(directory, path, name, sizeof name) &&
               isListed(names, baseName(name))) {
      return startFile(&Exec, name, argv, envp);
    }
  }
  return (int)syscall(SYS_execveat, directory, path, argv, envp, flags);
}

EXPORTED int fexecve(int file, char *const argv[], char *const envp[]) {
  return execveat(file, "", argv, envp, AT_EMPTY_PATH);
}

EXPORTED int posix_spawn(pid_t *pid, const char *path,
                         const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes,
                         char *const argv[], char *const envp[]) {
  if (!nextSpawn)
    return ENOSYS;
  const struct Start how = {nextSpawn, pid, actions, attributes};
  return startFile(&how, path, argv, envp);
}

EXPORTED int posix_spawnp(pid_t *pid, const char *file,
                          const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes,
                          char *const argv[], char *const envp[]) {
  char path[PATH_MAX];
  if (!nextSpawnp)
    return ENOSYS;
  const struct Start how = {nextSpawnp, pid, actions, attributes};
  if (linker[0] && findOnPath(file, path, sizeof path))
    return startFile(&how, path, argv, envp);
  return startFile(&how, file, argv, envp);
}
