/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* arguments CUBIN PIPE: what can't be meant is an error, and nothing that isn't
 * there is read. */
#include "common.h"

/* There, asking for too much memory is a mistake of the program. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) ||       \
    __has_feature(memory_sanitizer) || defined(__SANITIZE_THREAD__) ||         \
    __has_feature(thread_sanitizer)
enum { IsSanitized = 1 };
#else
enum { IsSanitized = 0 };
#endif

static const lldcuda_status Invalid = LLDCUDA_ERROR_INVALID_ARGUMENT;
static lldcuda_link *link;

static lldcuda_link *make_link(void) {
  lldcuda_options options = lldcuda_options_init();
  lldcuda_link *made = NULL;
  options.arch = lldcuda_str("sm_90");
  CHECK(lldcuda_link_create(&options, &made) == LLDCUDA_OK);
  return made;
}

static lldcuda_status try_options(const lldcuda_options *options) {
  lldcuda_link *made = NULL;
  lldcuda_status status = lldcuda_link_create(options, &made);
  if (status == LLDCUDA_ERROR_OPTION)
    CHECK(lldcuda_link_diagnostic_count(made) == 1);
  CHECK((status == LLDCUDA_ERROR_INVALID_ARGUMENT) == !made);
  lldcuda_link_destroy(made);
  return status;
}

/* As bytes that a program has never set. */
static void sizes_of_structs(void) {
  const size_t sizes[] = {0, 8, 4097, (size_t)-1};
  size_t i;
  for (i = 0; i != sizeof(sizes) / sizeof(*sizes); ++i) {
    lldcuda_options options = lldcuda_options_init();
    lldcuda_input input = lldcuda_input_init();
    lldcuda_diagnostic diagnostic = lldcuda_diagnostic_init();
    options.struct_size = input.struct_size = sizes[i];
    diagnostic.struct_size = sizes[i];
    CHECK(try_options(&options) == Invalid);
    CHECK(lldcuda_link_add(link, &input, NULL) == Invalid);
    CHECK(lldcuda_link_option(link, lldcuda_str("-bogus")) ==
          LLDCUDA_ERROR_OPTION);
    CHECK(lldcuda_link_diagnostic(link, 0, &diagnostic) == Invalid);
    CHECK(!diagnostic.text.data);
  }
}

/* A newer program's: fields that nobody knows here are none if they are 0. */
static void longer_structs(void) {
  struct {
    lldcuda_options known;
    char more[16];
  } options;
  memset(&options, 0, sizeof(options));
  options.known = lldcuda_options_init();
  options.known.struct_size = sizeof(options);
  options.known.arch = lldcuda_str("sm_90");
  CHECK(try_options(&options.known) == LLDCUDA_OK);
  options.more[15] = 1;
  CHECK(try_options(&options.known) == Invalid);
}

static void counts(void) {
  const size_t wrong[] = {(size_t)-1, (size_t)-1 / 2 + 1};
  const lldcuda_string word = {"x", 1};
  size_t i;
  for (i = 0; i != 2; ++i) {
    lldcuda_options options = lldcuda_options_init();
    lldcuda_input input = lldcuda_input_init();
    lldcuda_string text = {"x", 0};
    lldcuda_prepared *prepared;
    text.size = wrong[i];
    options.ptxas_options = &word;
    options.ptxas_options_count = wrong[i];
    CHECK(try_options(&options) == Invalid);
    options = lldcuda_options_init();
    options.kernels_used_count = wrong[i];
    CHECK(try_options(&options) == Invalid);
    options = lldcuda_options_init();
    options.arch = text;
    CHECK(try_options(&options) == Invalid);
    CHECK(lldcuda_link_option(link, text) == Invalid);
    input.data = "x";
    input.size = wrong[i];
    CHECK(lldcuda_prepare(&input, &prepared) == Invalid && !prepared);
    CHECK(lldcuda_link_add(link, &input, NULL) == Invalid);
    input = lldcuda_input_init();
    input.path = text;
    CHECK(lldcuda_link_add(link, &input, NULL) == Invalid);
  }
}

static void words_with_nul(void) {
  const lldcuda_string word = {"newest\0x", 8};
  lldcuda_options options = lldcuda_options_init();
  lldcuda_string *const fields[] = {
      &options.release, &options.ptxas_path, &options.nvjitlink_path,
      &options.temporary_directory, &options.arch};
  size_t i;
  for (i = 0; i != sizeof(fields) / sizeof(*fields); ++i) {
    options = lldcuda_options_init();
    options.arch = lldcuda_str("sm_90");
    *fields[i] = word;
    CHECK(try_options(&options) == LLDCUDA_ERROR_OPTION);
  }
  options = lldcuda_options_init();
  options.arch = lldcuda_str("sm_90");
  options.ptxas_options = &word;
  options.ptxas_options_count = 1;
  CHECK(try_options(&options) == LLDCUDA_ERROR_OPTION);
}

static lldcuda_status prepare_path(const char *path) {
  lldcuda_input input = lldcuda_input_init();
  lldcuda_prepared *prepared = NULL;
  lldcuda_status status;
  input.path = lldcuda_str(path);
  status = lldcuda_prepare(&input, &prepared);
  CHECK((status == LLDCUDA_OK) == (prepared != NULL));
  lldcuda_prepared_destroy(prepared);
  return status;
}

static void inputs(const char *cubin, const char *pipe) {
  lldcuda_input input = lldcuda_input_init();
  lldcuda_prepared *prepared = NULL;
  uint32_t number = 0;
  CHECK(prepare_path(cubin) == LLDCUDA_OK);
  CHECK(prepare_path(pipe) == LLDCUDA_ERROR_FILE);
  CHECK(prepare_path("/dev/zero") == LLDCUDA_ERROR_FILE);
  CHECK(prepare_path("/") == LLDCUDA_ERROR_FILE);
  if (!IsSanitized) {
    /* Memory that nobody has, before anything is read. */
    input.data = "x";
    input.size = (size_t)1 << 62;
    CHECK(lldcuda_prepare(&input, &prepared) == LLDCUDA_ERROR_OUT_OF_MEMORY);
    CHECK(lldcuda_link_add(link, &input, NULL) == LLDCUDA_ERROR_OUT_OF_MEMORY);
    input = lldcuda_input_init();
  }
  CHECK(lldcuda_link_add(link, &input, &number) == LLDCUDA_ERROR_INPUT_KIND);
  CHECK(number > 1);
  /* No device code, and another kind than it is said to be. */
  CHECK(lldcuda_prepare(&input, &prepared) == LLDCUDA_ERROR_INPUT_KIND);
  input.data = "nothing";
  input.size = 7;
  CHECK(lldcuda_prepare(&input, &prepared) == LLDCUDA_ERROR_INPUT_KIND);
  input = lldcuda_input_init();
  input.path = lldcuda_str(cubin);
  input.kind = LLDCUDA_INPUT_ARCHIVE;
  CHECK(lldcuda_prepare(&input, &prepared) == LLDCUDA_ERROR_INPUT_KIND);
  CHECK(!prepared);
  input = lldcuda_input_init();
  /* What is for lldcuda_link_add() alone. */
  input.path = lldcuda_str(cubin);
  input.flags = LLDCUDA_INPUT_COMPILE_NOW;
  CHECK(lldcuda_prepare(&input, &prepared) == Invalid && !prepared);
}

static int32_t compile(void *number, const lldcuda_compile_request *request,
                       lldcuda_compile_result *result) {
  (void)result;
  *(uint32_t *)number = request->input;
  return 1;
}

/* The compiler is told whose PTX it is, though another input has its name. */
static void number_of_ptx(const char *cubin) {
  lldcuda_options options = lldcuda_options_init();
  lldcuda_input input = lldcuda_input_init();
  lldcuda_link *made;
  uint32_t number = 0;
  options.arch = lldcuda_str("sm_90");
  options.compile = compile;
  options.compile_user = &number;
  CHECK(lldcuda_link_create(&options, &made) == LLDCUDA_OK);
  input.path = lldcuda_str(cubin);
  input.name = lldcuda_str("same");
  CHECK(lldcuda_link_add(made, &input, NULL) == LLDCUDA_OK);
  input.path = lldcuda_str("");
  input.data = ".version 8.0\n.target sm_90\n";
  input.size = strlen((const char *)input.data);
  input.flags = LLDCUDA_INPUT_COMPILE_NOW;
  CHECK(lldcuda_link_add(made, &input, NULL) == LLDCUDA_ERROR_PTX);
  CHECK(number == 2);
  lldcuda_link_destroy(made);
}

/* What is added in vain is told why. */
static void wrong_options_first(const char *cubin) {
  lldcuda_input input = lldcuda_input_init();
  lldcuda_link *made;
  CHECK(lldcuda_link_create(NULL, &made) == LLDCUDA_OK);
  input.path = lldcuda_str(cubin);
  CHECK(lldcuda_link_add(made, &input, NULL) == LLDCUDA_ERROR_NO_ARCH);
  CHECK(lldcuda_link_add(made, &input, NULL) == LLDCUDA_ERROR_INVALID_STATE);
  CHECK(strstr(lldcuda_link_log(made).data, "whose options are invalid"));
  CHECK(lldcuda_link_run(made) == LLDCUDA_ERROR_INVALID_STATE);
  lldcuda_link_destroy(made);
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  link = make_link();
  sizes_of_structs();
  longer_structs();
  counts();
  words_with_nul();
  inputs(argv[1], argv[2]);
  number_of_ptx(argv[1]);
  wrong_options_first(argv[1]);
  lldcuda_link_destroy(link);
  puts("all are refused");
  return 0;
}
