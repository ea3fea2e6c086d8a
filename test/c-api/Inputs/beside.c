/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* beside FIRST SECOND FILE...: loads two libraries in this order, their symbols
 * visible to all, and links with the one that can. */
#define _GNU_SOURCE
#include "common.h"
#include <dlfcn.h>

/* The interface, from wherever it is. */
static void *find(const char *name) {
  void *function = dlsym(RTLD_DEFAULT, name);
  CHECK(function);
  return function;
}

int main(int argc, char **argv) {
  lldcuda_options options = lldcuda_options_init();
  lldcuda_link *link;
  lldcuda_status (*create)(const lldcuda_options *, lldcuda_link **);
  lldcuda_status (*add)(lldcuda_link *, const lldcuda_input *, uint32_t *);
  lldcuda_status (*run)(lldcuda_link *);
  void (*destroy)(lldcuda_link *);
  void *second;
  int i, round;
  CHECK(dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL));
  second = dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL);
  CHECK(second);
  *(void **)&create = find("lldcuda_link_create");
  *(void **)&add = find("lldcuda_link_add");
  *(void **)&run = find("lldcuda_link_run");
  *(void **)&destroy = find("lldcuda_link_destroy");
  options.arch = lldcuda_str("sm_90");
  for (round = 0; round != 10; ++round) {
    CHECK(create(&options, &link) == LLDCUDA_OK);
    for (i = 3; i != argc; ++i) {
      lldcuda_input input = lldcuda_input_init();
      input.path = lldcuda_str(argv[i]);
      CHECK(add(link, &input, NULL) == LLDCUDA_OK);
    }
    CHECK(run(link) == LLDCUDA_OK);
    destroy(link);
  }
  puts("they live side by side");
  return 0;
}
