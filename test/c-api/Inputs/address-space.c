/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* address-space STEP_KB MOST_KB ARCH FILE...   links in child processes whose
 * address space (RLIMIT_AS) may grow by 0, STEP_KB, 2 * STEP_KB, ... MOST_KB
 * above what the process has when the library is loaded. Each link must write
 * the image of a link without a limit, or tell that memory is out. */
#define _GNU_SOURCE
#include "common.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINKED, OUT_OF_MEMORY, OTHER_IMAGE, OTHER_STATUS, KILLED, OUTCOMES };

static lldcuda_options options;
static file *files;
static size_t count;

static void put(int fd, const void *data, size_t size) {
  const char *at = data;
  while (size) {
    ssize_t done = write(fd, at, size);
    CHECK(done > 0);
    at += done;
    size -= (size_t)done;
  }
}
static void take(int fd, void *data, size_t size) {
  char *at = data;
  while (size) {
    ssize_t done = read(fd, at, size);
    CHECK(done > 0);
    at += done;
    size -= (size_t)done;
  }
}

/* The image without a limit. Another process links, since what a link leaves in
 * the heap of this one would be enough for the next. */
static file link_elsewhere(void) {
  int ends[2];
  file image;
  pid_t child;
  CHECK(!pipe(ends));
  child = fork();
  if (!child) {
    CHECK(link_files(&options, files, count, NULL, &image) == LLDCUDA_OK);
    put(ends[1], &image.size, sizeof(image.size));
    put(ends[1], image.data, image.size);
    _exit(0);
  }
  close(ends[1]);
  take(ends[0], &image.size, sizeof(image.size));
  image.data = malloc(image.size);
  take(ends[0], image.data, image.size);
  CHECK(waitpid(child, NULL, 0) == child);
  return image;
}

static rlim_t address_space(void) {
  unsigned long pages;
  FILE *statm = fopen("/proc/self/statm", "r");
  CHECK(statm && fscanf(statm, "%lu", &pages) == 1);
  fclose(statm);
  return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static int link_within(rlim_t more, const file *expected) {
  struct rlimit limit;
  file image;
  lldcuda_status status;
  limit.rlim_cur = limit.rlim_max = address_space() + more;
  alarm(60); /* A link that hangs is killed. */
  CHECK(!setrlimit(RLIMIT_AS, &limit));
  status = link_files(&options, files, count, NULL, &image);
  if (status == LLDCUDA_ERROR_OUT_OF_MEMORY)
    return OUT_OF_MEMORY;
  if (status != LLDCUDA_OK)
    return OTHER_STATUS;
  /* This program's own copy may fail, too. */
  if (!image.data)
    return OUT_OF_MEMORY;
  return image.size == expected->size &&
                 !memcmp(image.data, expected->data, image.size)
             ? LINKED
             : OTHER_IMAGE;
}

int main(int argc, char **argv) {
  int outcomes[OUTCOMES] = {0}, i;
  rlim_t step, most, more;
  file expected;
  CHECK(argc > 4);
  step = strtoul(argv[1], NULL, 10) << 10;
  most = strtoul(argv[2], NULL, 10) << 10;
  options = lldcuda_options_init();
  options.arch = lldcuda_str(argv[3]);
  files = malloc(sizeof(file) * (size_t)argc);
  for (i = 4; i != argc; ++i)
    files[count++] = read_file(argv[i]);
  expected = link_elsewhere();
  for (more = 0; more <= most; more += step) {
    int status;
    pid_t child = fork();
    if (!child)
      _exit(link_within(more, &expected));
    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) >= OUTCOMES)
      status = KILLED;
    else
      status = WEXITSTATUS(status);
    if (status > OUT_OF_MEMORY)
      printf("%lu KB: outcome %d\n", (unsigned long)(more >> 10), status);
    ++outcomes[status];
  }
  printf("linked %d, out of memory %d, other %d\n", outcomes[LINKED],
         outcomes[OUT_OF_MEMORY],
         outcomes[OTHER_IMAGE] + outcomes[OTHER_STATUS] + outcomes[KILLED]);
  return 0;
}
