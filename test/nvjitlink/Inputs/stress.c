/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* stress MODE LINKS LIBRARY FILE...
 *   threads  16 threads, each with handles of its own
 *   one      16 threads with one handle
 *   many     memory stays the same
 * Files are cubins for sm_90; the first one alone has an undefined symbol. */
#define _GNU_SOURCE
#include "../../c-api/Inputs/check.h"
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

typedef struct nvJitLink *Handle;
enum { MaxFiles = 8, Cubin = 1, Success = 0 };

static int (*create)(Handle *handle, uint32_t count, const char **options);
static int (*destroy)(Handle *handle);
static int (*add)(Handle handle, int type, const void *data, size_t size,
                  const char *name);
static int (*complete)(Handle handle);
static int (*cubin_size)(Handle handle, size_t *size);
static int (*get_cubin)(Handle handle, void *cubin);
static int (*error_size)(Handle handle, size_t *size);
static int (*get_errors)(Handle handle, char *log);

typedef struct {
  char *data;
  size_t size;
} file;

static file files[MaxFiles], expected;
static size_t file_count, links;
static Handle one;

static void load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fprintf(stderr, "%s\n", dlerror());
  CHECK(library);
  *(void **)&create = dlsym(library, "nvJitLinkCreate");
  *(void **)&destroy = dlsym(library, "nvJitLinkDestroy");
  *(void **)&add = dlsym(library, "nvJitLinkAddData");
  *(void **)&complete = dlsym(library, "nvJitLinkComplete");
  *(void **)&cubin_size = dlsym(library, "nvJitLinkGetLinkedCubinSize");
  *(void **)&get_cubin = dlsym(library, "nvJitLinkGetLinkedCubin");
  *(void **)&error_size = dlsym(library, "nvJitLinkGetErrorLogSize");
  *(void **)&get_errors = dlsym(library, "nvJitLinkGetErrorLog");
}

static file read_file(const char *path) {
  file result;
  FILE *stream = fopen(path, "rb");
  CHECK(stream && !fseek(stream, 0, SEEK_END));
  result.size = (size_t)ftell(stream);
  rewind(stream);
  result.data = malloc(result.size);
  CHECK(fread(result.data, 1, result.size, stream) == result.size);
  fclose(stream);
  return result;
}

static Handle make(void) {
  const char *options[] = {"-arch=sm_90"};
  Handle handle = NULL;
  CHECK(create(&handle, 1, options) == Success);
  return handle;
}

/* The log, which may grow between two calls. */
static size_t read_errors(Handle handle) {
  size_t size = 0;
  char *log;
  CHECK(error_size(handle, &size) == Success);
  log = malloc(size + (1 << 20));
  CHECK(get_errors(handle, log) == Success);
  free(log);
  return size;
}

static file link_files(void) {
  Handle handle = make();
  file image;
  size_t i;
  for (i = 0; i != file_count; ++i)
    CHECK(add(handle, Cubin, files[i].data, files[i].size, "x") == Success);
  CHECK(complete(handle) == Success);
  CHECK(cubin_size(handle, &image.size) == Success);
  image.data = malloc(image.size);
  CHECK(get_cubin(handle, image.data) == Success);
  CHECK(destroy(&handle) == Success && !handle);
  return image;
}

static void link_once(void) {
  file image = link_files();
  CHECK(image.size == expected.size);
  CHECK(!memcmp(image.data, expected.data, image.size));
  free(image.data);
}

static void fail_once(void) {
  Handle handle = make();
  CHECK(add(handle, Cubin, files[0].data, files[0].size, NULL) == Success);
  CHECK(add(handle, Cubin, "damaged", 7, NULL) != Success);
  CHECK(complete(handle) != Success);
  CHECK(read_errors(handle));
  CHECK(destroy(&handle) == Success);
}

static void *work(void *unused) {
  size_t i;
  for (i = 0; i != links; ++i) {
    link_once();
    if (i % 5 == 0)
      fail_once();
  }
  return unused;
}

static void *use_one(void *number) {
  size_t i;
  for (i = 0; i != links; ++i) {
    const file *given = &files[i % file_count];
    add(one, Cubin, given->data, given->size, "x"); /* Most come again. */
    if (i % 64 == 0)
      read_errors(one);
  }
  if (*(int *)number % 4 == 0)
    complete(one);
  return NULL;
}

static void many(void) {
  size_t before = 0, mapped_before = 0, i;
  for (i = 0; i != links; ++i) {
    if (i == links / 4) {
      before = heap_in_use();
      mapped_before = mapped();
    }
    link_once();
    if (i % 5 == 0)
      fail_once();
  }
  CHECK(heap_in_use() <= before + 4096);
  CHECK(mapped() <= mapped_before + (1 << 20));
}

int main(int argc, char **argv) {
  int i;
  CHECK(argc > 4 && argc - 4 <= MaxFiles);
  links = strtoul(argv[2], NULL, 10);
  load(argv[3]);
  for (i = 4; i != argc; ++i)
    files[file_count++] = read_file(argv[i]);
  expected = link_files();
  if (!strcmp(argv[1], "threads")) {
    run_threads(work);
  } else if (!strcmp(argv[1], "one")) {
    one = make();
    run_threads(use_one);
    CHECK(read_errors(one));
    CHECK(destroy(&one) == Success);
  } else {
    many();
  }
  for (i = 0; i != (int)file_count; ++i)
    free(files[i].data);
  free(expected.data);
  printf("%s: as it should be\n", argv[1]);
  return 0;
}
