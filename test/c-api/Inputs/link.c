/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* link OUTPUT WORD...: a link by liblld-cuda.so, told step by step.
 *
 * -OPTION     an option
 * FILE        an input, as bytes without a name
 * name=FILE   the same with a name
 * @FILE       an input that the library reads
 * +FILE       a prepared input; ?FILE: one that is taken if needed
 */
#include "lldcuda.h"
#include <stdio.h>
#include <stdlib.h>

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *data = NULL;
  if (!file)
    exit(3);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  data = malloc(*size + 1);
  if (fread(data, 1, *size, file) != *size)
    exit(3);
  fclose(file);
  return data;
}

static void tell(const char *what, const char *word, lldcuda_status status) {
  printf("%s %s: %s\n", what, word, lldcuda_status_name(status));
}

static void add(lldcuda_link *link, const char *word) {
  lldcuda_input input = lldcuda_input_init();
  lldcuda_prepared *prepared = NULL;
  lldcuda_status status;
  char *data = NULL, name[100];
  const char *equals = strchr(word, '=');
  uint32_t number = 0;
  if (*word == '@') {
    input.path = lldcuda_str(word + 1);
  } else if (*word == '+' || *word == '?') {
    lldcuda_input file = lldcuda_input_init();
    file.path = lldcuda_str(word + 1);
    tell("prepare", word + 1, lldcuda_prepare(&file, &prepared));
    input.prepared = prepared;
    if (*word == '?')
      input.flags = LLDCUDA_INPUT_IF_NEEDED;
    if (!prepared)
      return;
  } else {
    data = read_file(equals ? equals + 1 : word, &input.size);
    input.data = data;
    if (equals) {
      input.name.data = memcpy(name, word, (size_t)(equals - word));
      input.name.size = (size_t)(equals - word);
    }
  }
  status = lldcuda_link_add(link, &input, &number);
  /* Nothing is ours any more. */
  memset(name, 'x', sizeof(name));
  if (data)
    memset(data, 'x', input.size);
  free(data);
  lldcuda_prepared_destroy(prepared);
  printf("input %u: %s\n", number, lldcuda_status_name(status));
}

static void tell_results(const lldcuda_link *link) {
  lldcuda_diagnostic d = lldcuda_diagnostic_init();
  lldcuda_kernel k = lldcuda_kernel_init();
  size_t i, j;
  for (i = 0; lldcuda_link_diagnostic(link, i, &d) == LLDCUDA_OK; ++i) {
    printf("diagnostic %d %s input=%u symbol=%s file=%s: %s\n", d.severity,
           d.id.data, d.input, d.symbol.data, d.file.data, d.text.data);
    for (j = 0; j != d.note_count; ++j)
      printf("  note: %s\n", lldcuda_link_note(link, i, j).data);
    for (j = 0; lldcuda_link_name(link, i, LLDCUDA_NAME_FILE, j).size; ++j)
      printf("  file: %s\n",
             lldcuda_link_name(link, i, LLDCUDA_NAME_FILE, j).data);
  }
  if (i != lldcuda_link_diagnostic_count(link))
    abort();
  for (i = 0; lldcuda_link_kernel(link, i, &k) == LLDCUDA_OK; ++i)
    printf("kernel %s registers=%u stack=%lld parameters=%llu\n", k.name.data,
           k.registers, (long long)k.stack, (unsigned long long)k.parameters);
  if (i != lldcuda_link_kernel_count(link))
    abort();
}

int main(int argc, char **argv) {
  lldcuda_link *link;
  lldcuda_bytes image;
  int i;
  if (argc < 2 || lldcuda_link_create(NULL, &link) != LLDCUDA_OK)
    return 2;
  for (i = 2; i != argc; ++i) {
    if (argv[i][0] == '-')
      tell("option", argv[i], lldcuda_link_option(link, lldcuda_str(argv[i])));
    else
      add(link, argv[i]);
  }
  tell("run", "", lldcuda_link_run(link));
  tell_results(link);
  image = lldcuda_link_output(link, LLDCUDA_OUTPUT_IMAGE);
  if (image.data) {
    FILE *file = fopen(argv[1], "wb");
    fwrite(image.data, 1, image.size, file);
    fclose(file);
  }
  lldcuda_link_destroy(link);
  return 0;
}
