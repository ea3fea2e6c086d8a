/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cache FOLDER COMPILER NO-FILE...: lldcuda_link_cache_find() and ..._keep()
 * keep copies, by what a key says, refuse what can't be a key, and find nothing
 * where a compiler is not a regular file. */
#include "common.h"
#include <string.h>

static const lldcuda_status Invalid = LLDCUDA_ERROR_INVALID_ARGUMENT;

static lldcuda_link *make_link(const char *folder) {
  lldcuda_options options = lldcuda_options_init();
  lldcuda_link *made = NULL;
  options.arch = lldcuda_str("sm_90");
  options.cache_directory = lldcuda_str(folder);
  CHECK(lldcuda_link_create(&options, &made) == LLDCUDA_OK);
  return made;
}

static int finds(lldcuda_link *link, const lldcuda_cache_key *key,
                 const char *text) {
  lldcuda_bytes result = {"x", 1};
  CHECK(lldcuda_link_cache_find(link, key, &result) == LLDCUDA_OK);
  if (!text)
    return !result.data && !result.size;
  return result.size == strlen(text) && !memcmp(result.data, text, result.size);
}

static void refuse(lldcuda_link *link, const lldcuda_cache_key *key) {
  lldcuda_bytes result = {"x", 1};
  CHECK(lldcuda_link_cache_find(link, key, &result) == Invalid);
  CHECK(!result.data && !result.size);
  CHECK(lldcuda_link_cache_keep(link, key, "x", 1) == Invalid);
}

static void invalid(lldcuda_link *link, lldcuda_cache_key key) {
  const size_t sizes[] = {0, 8, 4097, (size_t)-1};
  lldcuda_string bad = {NULL, 3};
  lldcuda_bytes result = {NULL, 0};
  lldcuda_cache_key changed;
  size_t i;
  for (i = 0; i != sizeof(sizes) / sizeof(*sizes); ++i) {
    changed = key;
    changed.struct_size = sizes[i];
    refuse(link, &changed);
  }
  refuse(link, NULL);
  changed = key;
  changed.texts = NULL;
  refuse(link, &changed);
  changed = key;
  changed.compilers = NULL;
  refuse(link, &changed);
  changed = key;
  changed.text_count = (size_t)-1;
  refuse(link, &changed);
  changed = key;
  changed.texts = &bad;
  changed.text_count = 1;
  refuse(link, &changed);
  changed = key;
  changed.compilers = &bad;
  refuse(link, &changed);
  CHECK(lldcuda_link_cache_find(link, &key, NULL) == Invalid);
  CHECK(lldcuda_link_cache_keep(link, &key, NULL, 1) == Invalid);
  CHECK(lldcuda_link_cache_find(NULL, &key, &result) == Invalid);
  CHECK(lldcuda_link_cache_keep(NULL, &key, "x", 1) == Invalid);
}

int main(int argc, char **argv) {
  lldcuda_string texts[] = {lldcuda_str("sort"), lldcuda_str("source"),
                            lldcuda_str("-O3")};
  lldcuda_string swapped[] = {texts[0], texts[2], texts[1]};
  lldcuda_string joined[] = {lldcuda_str("sortsource"), lldcuda_str("-O3")};
  lldcuda_string compiler = lldcuda_str(argv[2]);
  lldcuda_cache_key key = lldcuda_cache_key_init(), other;
  lldcuda_link *link = make_link(argv[1]), *later;
  char contents[] = "result";
  int i;
  key.texts = texts;
  key.text_count = 3;
  key.compilers = &compiler;
  key.compiler_count = 1;

  CHECK(finds(link, &key, NULL));
  CHECK(lldcuda_link_cache_keep(link, &key, contents, 6) == LLDCUDA_OK);
  memset(contents, 'x', 6);
  CHECK(finds(link, &key, "result"));
  other = key;
  other.texts = swapped;
  CHECK(finds(link, &other, NULL));
  other.texts = joined;
  other.text_count = 2;
  CHECK(finds(link, &other, NULL));
  other = key;
  other.compiler_count = 0;
  CHECK(finds(link, &other, NULL));

  invalid(link, key);
  CHECK(finds(link, &key, "result"));

  for (i = 3; i < argc; ++i) {
    lldcuda_string file = lldcuda_str(argv[i]);
    other = key;
    other.compilers = &file;
    CHECK(finds(link, &other, NULL));
    CHECK(lldcuda_link_cache_keep(link, &other, "x", 1) == LLDCUDA_OK);
    CHECK(finds(link, &other, NULL));
  }
  CHECK(lldcuda_link_diagnostic_count(link) == 0);

  /* Another link finds it. A compiler that changes in between is another. */
  later = make_link(argv[1]);
  CHECK(finds(later, &key, "result"));
  {
    FILE *file = fopen(argv[2], "a");
    CHECK(file && fputs("changed", file) >= 0 && !fclose(file));
  }
  CHECK(finds(later, &key, NULL));
  CHECK(lldcuda_link_cache_keep(later, &key, "wrong", 5) == LLDCUDA_OK);
  lldcuda_link_destroy(later);
  later = make_link(argv[1]);
  CHECK(finds(later, &key, NULL));
  lldcuda_link_destroy(later);
  lldcuda_link_destroy(link);

  /* Without a folder nothing is kept; one that isn't usable is one warning. */
  link = make_link("");
  CHECK(lldcuda_link_cache_keep(link, &key, "x", 1) == LLDCUDA_OK);
  CHECK(finds(link, &key, NULL));
  CHECK(lldcuda_link_diagnostic_count(link) == 0);
  lldcuda_link_destroy(link);
  link = make_link(argv[2]);
  CHECK(lldcuda_link_cache_keep(link, &key, "x", 1) == LLDCUDA_OK);
  CHECK(finds(link, &key, NULL));
  CHECK(lldcuda_link_diagnostic_count(link) == 1);
  lldcuda_link_destroy(link);
  puts("kept by its key");
  return 0;
}
