/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Helpers of the C test programs of this folder: they read files and link
 * them. */
#ifndef COMMON_H
#define COMMON_H

#include "check.h"
#include "lldcuda.h"

typedef struct file {
  char *data;
  size_t size;
} file;

static inline file read_file(const char *path) {
  file result;
  FILE *stream = fopen(path, "rb");
  CHECK(stream);
  fseek(stream, 0, SEEK_END);
  result.size = (size_t)ftell(stream);
  rewind(stream);
  result.data = (char *)malloc(result.size + 1);
  CHECK(fread(result.data, 1, result.size, stream) == result.size);
  fclose(stream);
  return result;
}

/* Links files and, unless it is NULL, a prepared input. Returns the status of
 * the first call that fails; after success `image` is a copy of the image,
 * which the caller frees. */
static inline lldcuda_status link_files(const lldcuda_options *options,
                                        const file *files, size_t count,
                                        lldcuda_prepared *prepared,
                                        file *image) {
  lldcuda_link *link = NULL;
  lldcuda_status status = lldcuda_link_create(options, &link);
  size_t i;
  image->data = NULL;
  image->size = 0;
  for (i = 0; status == LLDCUDA_OK && i != count; ++i) {
    lldcuda_input input = lldcuda_input_init();
    input.data = files[i].data;
    input.size = files[i].size;
    status = lldcuda_link_add(link, &input, NULL);
  }
  if (status == LLDCUDA_OK && prepared) {
    lldcuda_input input = lldcuda_input_init();
    input.prepared = prepared;
    status = lldcuda_link_add(link, &input, NULL);
  }
  if (status == LLDCUDA_OK)
    status = lldcuda_link_run(link);
  if (status == LLDCUDA_OK) {
    lldcuda_bytes bytes = lldcuda_link_output(link, LLDCUDA_OUTPUT_IMAGE);
    image->data = (char *)malloc(bytes.size);
    if (image->data) {
      memcpy(image->data, bytes.data, bytes.size);
      image->size = bytes.size;
    }
  }
  lldcuda_link_destroy(link);
  return status;
}

#endif
