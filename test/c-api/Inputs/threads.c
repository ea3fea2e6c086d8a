/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* threads LINKS PREPARED FILE...: 16 threads link, each LINKS times and with
 * handles of its own, while others let go of the prepared input; then 16
 * threads use one handle. */
#define _GNU_SOURCE
#include "common.h"

enum { MaxFiles = 8 };

static file files[MaxFiles], expected;
static size_t file_count, links;
static const char *prepared_path;
static lldcuda_prepared *shared;
static lldcuda_link *one;
static lldcuda_options options;

static lldcuda_prepared *prepare(void) {
  lldcuda_input input = lldcuda_input_init();
  lldcuda_prepared *prepared = NULL;
  input.path = lldcuda_str(prepared_path);
  CHECK(lldcuda_prepare(&input, &prepared) == LLDCUDA_OK);
  return prepared;
}

static void *work(void *unused) {
  size_t i;
  for (i = 0; i != links; ++i) {
    file image;
    CHECK(link_files(&options, files, file_count, shared, &image) ==
          LLDCUDA_OK);
    CHECK(image.size == expected.size);
    CHECK(!memcmp(image.data, expected.data, image.size));
    free(image.data);
  }
  return unused;
}

/* A link outlives what it was given. */
static void *let_go(void *unused) {
  size_t i;
  for (i = 0; i != links; ++i) {
    lldcuda_prepared *prepared = prepare();
    lldcuda_link *link;
    lldcuda_input input = lldcuda_input_init();
    CHECK(lldcuda_link_create(&options, &link) == LLDCUDA_OK);
    input.data = files[0].data;
    input.size = files[0].size;
    CHECK(lldcuda_link_add(link, &input, NULL) == LLDCUDA_OK);
    input = lldcuda_input_init();
    input.prepared = prepared;
    CHECK(lldcuda_link_add(link, &input, NULL) == LLDCUDA_OK);
    lldcuda_prepared_destroy(prepared);
    CHECK(lldcuda_link_run(link) == LLDCUDA_OK);
    CHECK(lldcuda_link_output(link, LLDCUDA_OUTPUT_IMAGE).size ==
          expected.size);
    lldcuda_link_destroy(link);
  }
  return unused;
}

static void *use_one(void *number) {
  lldcuda_input input = lldcuda_input_init();
  lldcuda_diagnostic d = lldcuda_diagnostic_init();
  /* Its diagnostics, and each text of them, stay until the link goes. */
  const size_t most = 50, count = links < most ? links : most;
  size_t i;
  input.data = files[0].data;
  input.size = files[0].size;
  for (i = 0; i != count; ++i) {
    lldcuda_link_add(one, &input, NULL);
    lldcuda_link_diagnostic(one, i, &d);
    lldcuda_link_log(one);
  }
  if (*(int *)number == Threads / 2)
    lldcuda_link_run(one);
  return NULL;
}

int main(int argc, char **argv) {
  int i;
  CHECK(argc > 3 && argc - 3 <= MaxFiles);
  links = (size_t)atoi(argv[1]);
  prepared_path = argv[2];
  for (i = 3; i != argc; ++i)
    files[file_count++] = read_file(argv[i]);
  options = lldcuda_options_init();
  options.arch = lldcuda_str("sm_90");
  shared = prepare();
  CHECK(link_files(&options, files, file_count, shared, &expected) ==
        LLDCUDA_OK);
  run_threads(work);
  lldcuda_prepared_destroy(shared);
  run_threads(let_go);
  CHECK(lldcuda_link_create(&options, &one) == LLDCUDA_OK);
  run_threads(use_one);
  /* The first of them was taken, the others define the same again. */
  CHECK(lldcuda_link_diagnostic_count(one) >= Threads - 1);
  lldcuda_link_destroy(one);
  puts("all images are the same");
  return 0;
}
