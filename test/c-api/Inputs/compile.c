/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* compile KERNEL FUNCTION OUTPUT: links the cubin KERNEL and PTX, which a
 * callback compiles: to the cubin FUNCTION. */
#include "common.h"

typedef struct compiler {
  file result;
  int calls, fails;
} compiler;

static int has_option(const lldcuda_compile_request *request,
                      const char *option) {
  size_t i;
  for (i = 0; i != request->option_count; ++i)
    if (!strcmp(request->options[i].data, option))
      return 1;
  return 0;
}

static int32_t compile(void *user, const lldcuda_compile_request *request,
                       lldcuda_compile_result *result) {
  compiler *self = (compiler *)user;
  ++self->calls;
  CHECK(request->struct_size >= sizeof(*request));
  CHECK(request->kind == LLDCUDA_INPUT_PTX);
  CHECK(request->input == 2);
  CHECK(!strcmp(request->arch.data, "sm_90"));
  CHECK(!strcmp(request->name.data, "the text"));
  /* It ends at the first NUL. */
  CHECK(!strcmp(request->source.data, ".version 8.0\n.target sm_90\n"));
  CHECK(request->source.size == strlen(request->source.data));
  CHECK(has_option(request, "-c") && has_option(request, "-maxrregcount=40") &&
        has_option(request, "-O3"));
  if (self->fails) {
    lldcuda_compile_set_log(result, lldcuda_str("ptxas fatal   : no\n"));
    return 1;
  }
  lldcuda_compile_set_log(result, lldcuda_str("ptxas info    : yes\n"));
  return self->result.data ? lldcuda_compile_set_output(
                                 result, self->result.data, self->result.size)
                           : 0;
}

static lldcuda_status run(compiler *self, file kernel, lldcuda_link **link) {
  static const char Text[] = ".version 8.0\n.target sm_90\n\0more";
  const lldcuda_string more = {"-O3", 3};
  lldcuda_options options = lldcuda_options_init();
  lldcuda_input input = lldcuda_input_init();
  uint32_t number;
  options.arch = lldcuda_str("sm_90");
  options.compile = compile;
  options.compile_user = self;
  options.max_registers = 40;
  options.ptxas_options = &more;
  options.ptxas_options_count = 1;
  CHECK(lldcuda_link_create(&options, link) == LLDCUDA_OK);
  input.data = kernel.data;
  input.size = kernel.size;
  CHECK(lldcuda_link_add(*link, &input, NULL) == LLDCUDA_OK);
  input.data = Text;
  input.size = sizeof(Text);
  input.kind = LLDCUDA_INPUT_PTX;
  input.name = lldcuda_str("the text");
  CHECK(lldcuda_link_add(*link, &input, &number) == LLDCUDA_OK && number == 2);
  return lldcuda_link_run(*link);
}

int main(int argc, char **argv) {
  lldcuda_link *link;
  lldcuda_bytes image;
  lldcuda_diagnostic d = lldcuda_diagnostic_init();
  compiler self = {{NULL, 0}, 0, 0};
  file kernel;
  FILE *out;
  CHECK(argc == 4);
  kernel = read_file(argv[1]);
  self.result = read_file(argv[2]);
  CHECK(run(&self, kernel, &link) == LLDCUDA_OK && self.calls == 1);
  CHECK(lldcuda_link_diagnostic(link, 0, &d) == LLDCUDA_OK);
  CHECK(d.severity == LLDCUDA_SEVERITY_VERBATIM);
  CHECK(!strcmp(d.text.data, "ptxas info    : yes\n"));
  image = lldcuda_link_output(link, LLDCUDA_OUTPUT_IMAGE);
  out = fopen(argv[3], "wb");
  CHECK(out && fwrite(image.data, 1, image.size, out) == image.size);
  fclose(out);
  lldcuda_link_destroy(link);

  self.fails = 1;
  CHECK(run(&self, kernel, &link) == LLDCUDA_ERROR_PTX);
  CHECK(!lldcuda_link_output(link, LLDCUDA_OUTPUT_IMAGE).data);
  CHECK(strstr(lldcuda_link_log(link).data, "ptxas fatal   : no\n"));
  lldcuda_link_destroy(link);

  /* What it says is success, without a result. */
  self.fails = 0;
  free(self.result.data);
  self.result.data = NULL;
  CHECK(run(&self, kernel, &link) == LLDCUDA_ERROR_PTX);
  lldcuda_link_destroy(link);

  /* Something that is no cubin. */
  self.result.data = (char *)"nothing at all, but more than an ELF header's 64 "
                             "bytes, so that it is looked at";
  self.result.size = strlen(self.result.data);
  CHECK(run(&self, kernel, &link) != LLDCUDA_OK);
  lldcuda_link_destroy(link);
  free(kernel.data);
  puts("compiled");
  return 0;
}
