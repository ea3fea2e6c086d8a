/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* memory LIBRARY FILE...: links in processes and threads of their own, and in
 * each of them one more allocation succeeds before all others fail. Type ANY,
 * sm_90. */
#define _GNU_SOURCE
#include "../../c-api/Inputs/check.h"
#include <dlfcn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct nvJitLink *Handle;
enum { MaxFiles = 8, Any = 10, Success = 0, Internal = 6 };

static int (*create)(Handle *handle, uint32_t count, const char **options);
static int (*destroy)(Handle *handle);
static int (*add)(Handle handle, int type, const void *data, size_t size,
                  const char *name);
static int (*complete)(Handle handle);

static char *files[MaxFiles];
static size_t sizes[MaxFiles], file_count;

/* How many allocations of the link succeed; less than 0: all. */
static long left = -1;

static int must_fail(void) { return left >= 0 && (left == 0 || !left--); }

/* What the libraries call, and the loader. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size) { return must_fail() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
  return must_fail() ? NULL : __libc_calloc(count, size);
}
void *realloc(void *p, size_t size) {
  return must_fail() ? NULL : __libc_realloc(p, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return must_fail() ? NULL : __libc_memalign(alignment, size);
}

/* `allowed`: how many allocations succeed. Ends the process: with 1 if the link
 * succeeds, with 0 after an error. */
static void *link_files(void *allowed) {
  const char *options[] = {"-arch=sm_90"};
  Handle handle = NULL;
  size_t i;
  int result;
  left = *(long *)allowed;
  result = create(&handle, 1, options);
  for (i = 0; result == Success && i != file_count; ++i)
    result = add(handle, Any, files[i], sizes[i], NULL);
  if (result == Success)
    result = complete(handle);
  CHECK(result == Success || result == Internal);
  CHECK(!handle || destroy(&handle) == Success);
  _exit(result == Success);
}

/* Returns how the process ended. */
static int link_in_process(long allowed) {
  int status;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (!child) {
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, link_files, &allowed));
    pthread_join(thread, NULL);
  }
  CHECK(waitpid(child, &status, 0) == child);
  return status;
}

static void read_file(const char *path) {
  FILE *stream = fopen(path, "rb");
  CHECK(stream && file_count != MaxFiles && !fseek(stream, 0, SEEK_END));
  sizes[file_count] = (size_t)ftell(stream);
  rewind(stream);
  files[file_count] = __libc_malloc(sizes[file_count]);
  CHECK(fread(files[file_count], 1, sizes[file_count], stream) ==
        sizes[file_count]);
  fclose(stream);
  ++file_count;
}

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  long allowed;
  int i, status = 0;
  CHECK(library);
  *(void **)&create = dlsym(library, "nvJitLinkCreate");
  *(void **)&destroy = dlsym(library, "nvJitLinkDestroy");
  *(void **)&add = dlsym(library, "nvJitLinkAddData");
  *(void **)&complete = dlsym(library, "nvJitLinkComplete");
  for (i = 2; i != argc; ++i)
    read_file(argv[i]);
  for (allowed = 0; allowed != 5000 && !status; ++allowed)
    status = link_in_process(allowed);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  CHECK(allowed > 50);
  printf("%ld links without memory: an error each\n", allowed - 1);
  return 0;
}
