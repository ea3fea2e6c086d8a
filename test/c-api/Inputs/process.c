/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* process FILE...: links in a child after fork(), and in a thread with a stack
 * of 64 KB; without environment, and with nothing changed in the process.
 *
 * With LLVM in the environment, that library is loaded before or after ours,
 * with its symbols visible to all. */
#define _GNU_SOURCE
#include "common.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MaxFiles = 8 };
static file files[MaxFiles], expected;
static size_t count;
static lldcuda_options options;

static void link_once(void) {
  file image;
  CHECK(link_files(&options, files, count, NULL, &image) == LLDCUDA_OK);
  if (!expected.data) {
    expected = image;
    return;
  }
  CHECK(image.size == expected.size);
  CHECK(!memcmp(image.data, expected.data, image.size));
  free(image.data);
}

/* A link that fails, with explanations. */
static void fail_once(void) {
  file image;
  CHECK(link_files(&options, files, 1, NULL, &image) ==
        LLDCUDA_ERROR_UNDEFINED);
}

static void *work(void *unused) {
  link_once();
  fail_once();
  return unused;
}

static void in_small_stack(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK(!pthread_attr_setstacksize(&attributes, 64 << 10));
  CHECK(!pthread_create(&thread, &attributes, work, NULL));
  pthread_join(thread, NULL);
  puts("a stack of 64 KB will do");
}

static void after_fork(void) {
  int status;
  pid_t child;
  lldcuda_link *link;
  lldcuda_input input = lldcuda_input_init();
  CHECK(lldcuda_link_create(&options, &link) == LLDCUDA_OK);
  input.data = files[0].data;
  input.size = files[0].size;
  CHECK(lldcuda_link_add(link, &input, NULL) == LLDCUDA_OK);
  child = fork();
  if (!child) {
    size_t i;
    work(NULL);
    /* One that was begun before. */
    for (i = 1; i != count; ++i) {
      input.data = files[i].data;
      input.size = files[i].size;
      CHECK(lldcuda_link_add(link, &input, NULL) == LLDCUDA_OK);
    }
    CHECK(lldcuda_link_run(link) == LLDCUDA_OK);
    lldcuda_link_destroy(link);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  lldcuda_link_destroy(link);
  puts("a child links");
}

static void changes_nothing(void) {
  struct sigaction before[NSIG], after;
  char cwd[PATH_MAX], now[PATH_MAX];
  int i;
  for (i = 1; i != NSIG; ++i)
    sigaction(i, NULL, &before[i]);
  CHECK(getcwd(cwd, sizeof(cwd)));
  work(NULL);
  for (i = 1; i != NSIG; ++i)
    if (!sigaction(i, NULL, &after))
      CHECK(after.sa_handler == before[i].sa_handler);
  CHECK(getcwd(now, sizeof(now)) && !strcmp(cwd, now));
  puts("handlers and directory are as they were");
}

int main(int argc, char **argv) {
  int i;
  for (i = 1; i != argc; ++i)
    files[count++] = read_file(argv[i]);
  options = lldcuda_options_init();
  options.arch = lldcuda_str("sm_90");
  changes_nothing();
  in_small_stack();
  after_fork();
  return 0;
}
