// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// starts FUNCTION FILE WORD...: starts a program by that function, in a child made by vfork() for those of the exec
// family, and ends with its status. Where a function takes an environment, it gets one with TOLD=yes.

#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int start(const char *function, char **words, char **told) {
  const char *file = words[0];
  if (!strcmp(function, "execv"))
    return execv(file, words);
  if (!strcmp(function, "execve"))
    return execve(file, words, told);
  if (!strcmp(function, "execvp"))
    return execvp(file, words);
  if (!strcmp(function, "execvpe"))
    return execvpe(file, words, told);
  if (!strcmp(function, "execl"))
    return execl(file, words[0], words[1], words[2], NULL);
  if (!strcmp(function, "execlp"))
    return execlp(file, words[0], words[1], words[2], NULL);
  if (!strcmp(function, "execle"))
    return execle(file, words[0], words[1], words[2], NULL, told);
  if (!strcmp(function, "fexecve"))
    return fexecve(open(file, O_RDONLY), words, told);
  if (!strcmp(function, "execveat")) {
    // As a name in an open directory.
    char *slash = strrchr(file, '/');
    *slash = 0;
    int directory = open(file, O_RDONLY | O_DIRECTORY);
    int (*next)(int, const char *, char *const[], char *const[], int) = execveat;
    char name[64];
    strcpy(name, slash + 1);
    *slash = '/';
    return next(directory, name, words, told, 0);
  }
  return 99;
}

int main(int argc, char **argv) {
  static char *told[4096];
  size_t n = 0;
  for (char **variable = environ; *variable; ++variable)
    told[n++] = *variable;
  told[n++] = "TOLD=yes";
  pid_t pid;
  int status;
  if (argc < 3)
    return 99;
  if (!strcmp(argv[1], "system"))
    return WEXITSTATUS(system(argv[2]));
  if (!strcmp(argv[1], "posix_spawn") || !strcmp(argv[1], "posix_spawnp")) {
    int problem = (argv[1][11] ? posix_spawnp : posix_spawn)(
        &pid, argv[2], NULL, NULL, argv + 2, told);
    if (problem) {
      printf("%s: %s\n", argv[2], strerror(problem));
      return 98;
    }
  } else {
    pid = vfork();
    if (pid == 0) {
      start(argv[1], argv + 2, told);
      perror(argv[2]);
      _exit(98);
    }
  }
  if (waitpid(pid, &status, 0) != pid)
    return 97;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 96;
}
