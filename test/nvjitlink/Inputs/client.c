// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program as NVIDIA's header of one release makes it: all calls go to the names of that release. With PREFIX
// __nvJitLink and SUFFIX _13_5 FN(Create) is __nvJitLinkCreate_13_5. It links cubins that it frees before the link, and their names, too.
//   client OUT OPTION FILE...
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN(PREFIX, NAME, SUFFIX) PREFIX##NAME##SUFFIX
#define JOIN_VALUES(PREFIX, NAME, SUFFIX) JOIN(PREFIX, NAME, SUFFIX)
#define FN(NAME) JOIN_VALUES(PREFIX, NAME, SUFFIX)

typedef struct nvJitLink *Handle;
enum { Cubin = 1 };

int FN(Create)(Handle *handle, uint32_t count, const char **options);
int FN(Destroy)(Handle *handle);
int FN(AddData)(Handle handle, int type, const void *data, size_t size, const char *name);
int FN(Complete)(Handle handle);
int FN(GetLinkedCubinSize)(Handle handle, size_t *size);
int FN(GetLinkedCubin)(Handle handle, void *cubin);
int FN(GetErrorLogSize)(Handle handle, size_t *size);
int FN(GetErrorLog)(Handle handle, char *log);
int nvJitLinkVersion(unsigned *major, unsigned *minor);

static int fail(Handle handle, const char *what, int result) {
  size_t size = 0;
  if (!FN(GetErrorLogSize)(handle, &size) && size) {
    char *log = malloc(size);
    if (!FN(GetErrorLog)(handle, log))
      fputs(log, stderr);
    free(log);
  }
  fprintf(stderr, "%s: %d\n", what, result);
  return 1;
}

static int add(Handle handle, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END))
    return -1;
  const size_t size = ftell(file);
  rewind(file);
  char *data = malloc(size), *name = malloc(strlen(path) + 1);
  strcpy(name, path);
  const size_t got = fread(data, 1, size, file);
  fclose(file);
  const int result = got == size ? FN(AddData)(handle, Cubin, data, size, name) : -1;
  memset(data, 0x55, size);
  memset(name, 'X', strlen(path));
  free(data);
  free(name);
  return result;
}

int main(int count, char **words) {
  unsigned major = 0, minor = 0;
  if (count < 4 || nvJitLinkVersion(&major, &minor))
    return 2;
  Handle handle = NULL;
  const char *options[] = {words[2]};
  int result = FN(Create)(&handle, 1, options);
  if (result)
    return fail(handle, "create", result);
  for (int i = 3; i < count; ++i)
    if ((result = add(handle, words[i])))
      return fail(handle, words[i], result);
  if ((result = FN(Complete)(handle)))
    return fail(handle, "complete", result);
  size_t size = 0;
  FN(GetLinkedCubinSize)(handle, &size);
  char *cubin = malloc(size);
  FN(GetLinkedCubin)(handle, cubin);
  FILE *out = fopen(words[1], "wb");
  const int isWritten = out && fwrite(cubin, 1, size, out) == size && !fclose(out);
  free(cubin);
  result = FN(Destroy)(&handle);
  printf("%u.%u: destroy %d, handle %s\n", major, minor, result, handle ? "there" : "gone");
  return !isWritten;
}
