/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* link ARCH OUTPUT FILE...: links device code by liblld-cuda and tells what its
 * kernels need.
 *
 *   cc link.c $(pkg-config --cflags --libs lldcuda) -o link
 *   ./link sm_90 linked.cubin a.cubin b.o
 */
#include <lldcuda.h>
#include <stdio.h>

static void tell_kernels(const lldcuda_link *link) {
  lldcuda_kernel kernel = lldcuda_kernel_init();
  size_t i;
  for (i = 0; lldcuda_link_kernel(link, i, &kernel) == LLDCUDA_OK; ++i)
    printf("%s: %u registers, %llu bytes of shared memory\n", kernel.name.data,
           kernel.registers, (unsigned long long)kernel.shared);
}

static int save(const char *path, lldcuda_bytes image) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return 0;
  if (fwrite(image.data, 1, image.size, file) != image.size) {
    fclose(file);
    return 0;
  }
  return fclose(file) == 0;
}

int main(int argc, char **argv) {
  lldcuda_options options = lldcuda_options_init();
  lldcuda_link *link = NULL;
  lldcuda_status status;
  int i;
  if (argc < 4) {
    fprintf(stderr, "usage: link ARCH OUTPUT FILE...\n");
    return 2;
  }
  options.arch = lldcuda_str(argv[1]);
  status = lldcuda_link_create(&options, &link);
  for (i = 3; status == LLDCUDA_OK && i != argc; ++i) {
    lldcuda_input input = lldcuda_input_init();
    input.path = lldcuda_str(argv[i]);
    status = lldcuda_link_add(link, &input, NULL);
  }
  if (status == LLDCUDA_OK)
    status = lldcuda_link_run(link);
  /* Errors, and warnings of links that have succeeded. */
  fprintf(stderr, "%s", lldcuda_link_log(link).data);
  if (status == LLDCUDA_OK) {
    tell_kernels(link);
    if (!save(argv[2], lldcuda_link_output(link, LLDCUDA_OUTPUT_IMAGE))) {
      perror(argv[2]);
      status = LLDCUDA_ERROR_FILE;
    }
  }
  lldcuda_link_destroy(link);
  return status != LLDCUDA_OK;
}
