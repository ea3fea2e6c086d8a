/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* memory limits FILE...   links with limits, from nothing to enough
 * memory fails FILE...    the same, while each allocation fails in turn: alone,
 *                         and with all that come after it; links have no heap
 *                         of their own then
 * memory many FILE...     many links, also failing ones; memory stays the same.
 *                         LINKS of the environment: how many
 * ARCH of the environment: the architecture, sm_90 if it isn't there
 */
#define _GNU_SOURCE
#include "common.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

/* The allocation that fails, and whether those after it do, too; 0: none. */
static long fail_at, calls;
static int fails_once;

static int must_fail(void) {
  if (!fail_at)
    return 0;
  ++calls;
  return fails_once ? calls == fail_at : calls >= fail_at;
}

/* What the library calls: its malloc() asks for that of the program. */
void *malloc(size_t size) {
  static void *(*next)(size_t);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "malloc");
  return must_fail() ? NULL : next(size);
}
void *realloc(void *p, size_t size) {
  static void *(*next)(void *, size_t);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "realloc");
  return must_fail() ? NULL : next(p, size);
}
/* LLVM's hash tables are allocated with it. */
void *aligned_alloc(size_t alignment, size_t size) {
  static void *(*next)(size_t, size_t);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "aligned_alloc");
  return must_fail() ? NULL : next(alignment, size);
}

/* Without a heap of its own a link asks malloc() for every block. */
static int has_no_heap;
void *mmap(void *at, size_t size, int protection, int flags, int fd,
           off_t offset) {
  static void *(*next)(void *, size_t, int, int, int, off_t);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "mmap");
  return has_no_heap && (flags & MAP_ANONYMOUS)
             ? MAP_FAILED
             : next(at, size, protection, flags, fd, offset);
}

enum { MaxFiles = 8 };
/* What links leave for the next one is mapped, some of it without memory. */
enum { MostKept = 32 << 20 };
static file files[MaxFiles];
static size_t count;
static lldcuda_options options;

/* Either the image, or an error of which it is known that memory is lacking. */
static int link_once(const file *expected) {
  file image;
  lldcuda_status status = link_files(&options, files, count, NULL, &image);
  if (status == LLDCUDA_OK && image.data) {
    CHECK(image.size == expected->size);
    CHECK(!memcmp(image.data, expected->data, image.size));
  }
  CHECK(status == LLDCUDA_OK || status == LLDCUDA_ERROR_OUT_OF_MEMORY);
  free(image.data);
  return status == LLDCUDA_OK;
}

static void limits(const file *expected) {
  uint64_t limit;
  int passed = 0, failed = 0;
  size_t before = heap_in_use(), mapped_before = mapped();
  for (limit = 1; limit < (4 << 20);
       limit += limit < (256 << 10) ? 997 : 65536) {
    options.memory_limit = limit;
    if (link_once(expected))
      ++passed;
    else {
      CHECK(!passed); /* What was enough stays enough. */
      ++failed;
    }
  }
  CHECK(passed && failed);
  CHECK(mapped() <= mapped_before + MostKept);
  printf("limits: at most %ld bytes lost in %d links\n",
         (long)(heap_in_use() - before) > 0 ? (long)(heap_in_use() - before)
                                            : 0,
         failed);
}

static void fails(const file *expected) {
  long at, lost = 0, failed = 0;
  for (at = 1; at < 5000; ++at) {
    size_t before = heap_in_use();
    int passed;
    calls = 0;
    fail_at = at;
    passed = link_once(expected);
    fail_at = 0;
    if (heap_in_use() > before)
      lost += (long)(heap_in_use() - before);
    if (!passed)
      ++failed; /* An algorithm may do without memory. */
    if (calls < at)
      break;
  }
  CHECK(failed > 50 && at < 5000);
  printf("fails: %ld links without memory, %ld bytes lost\n", failed, lost);
}

static void many(const file *expected) {
  const char *const wanted = getenv("LINKS");
  const size_t links = wanted ? strtoul(wanted, NULL, 10) : 3000;
  size_t before = 0, mapped_before = 0, i;
  for (i = 0; i != links; ++i) {
    file image;
    if (i == links / 4) {
      before = heap_in_use();
      mapped_before = mapped();
    }
    CHECK(link_once(expected));
    /* An undefined symbol. */
    if (i % 5 == 0)
      CHECK(link_files(&options, files, 1, NULL, &image) ==
            LLDCUDA_ERROR_UNDEFINED);
  }
  CHECK(heap_in_use() <= before + 4096);
  CHECK(mapped() <= mapped_before + (1 << 20));
  puts("many: memory stays the same");
}

int main(int argc, char **argv) {
  file expected;
  int i;
  for (i = 2; i != argc; ++i)
    files[count++] = read_file(argv[i]);
  options = lldcuda_options_init();
  options.arch = lldcuda_str(getenv("ARCH") ? getenv("ARCH") : "sm_90");
  options.threads = 1;
  has_no_heap = !strcmp(argv[1], "fails");
  CHECK(link_files(&options, files, count, NULL, &expected) == LLDCUDA_OK);
  setvbuf(stdout, NULL, _IONBF, 0);
  if (!strcmp(argv[1], "limits"))
    limits(&expected);
  else if (!strcmp(argv[1], "fails"))
    for (fails_once = 0; fails_once != 2; ++fails_once)
      fails(&expected);
  else
    many(&expected);
  return 0;
}
