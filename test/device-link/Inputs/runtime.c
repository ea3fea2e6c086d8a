/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A stand-in for the CUDA runtime that needs neither a GPU nor CUDA: it writes
 * down, in order, what the host code of a program registers and unregisters.
 * REGISTRATIONS names the file; without it standard output.
 *
 *   fatbin 1: version 2, cubin 80, cubin 90; linked from 2
 *     linked from 1800 bytes, cafe...
 *   function 1: _Z6kernelPi
 *   variable 1: counter, 4 bytes
 *   complete 1
 *   unregister 1
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int magic, version;
  const unsigned char *data;
  const void **linked_from; /* Version 2: null-terminated. */
} Wrapper;

static FILE *output(void) {
  static FILE *file;
  if (!file) {
    const char *name = getenv("REGISTRATIONS");
    file = name ? fopen(name, "ab") : stdout;
    if (!file || setvbuf(file, NULL, _IONBF, 0)) /* Others write, too. */
      abort();
  }
  return file;
}

static uint64_t get(const unsigned char *data, int bytes) {
  uint64_t value = 0;
  while (bytes--)
    value = value << 8 | data[bytes];
  return value;
}

/* Of a fatbin, with its header. */
static uint64_t sizeOf(const unsigned char *data) {
  if (get(data, 4) != 0xba55ed50u)
    abort();
  return get(data + 6, 2) + get(data + 8, 8);
}

/* What is in a fatbin: kinds and architectures. */
static void list(const unsigned char *data) {
  uint64_t size = sizeOf(data), at = get(data + 6, 2);
  while (at < size) {
    const unsigned char *entry = data + at;
    unsigned kind = (unsigned)get(entry, 2);
    fprintf(output(), ", %s %u",
            kind == 1 ? "PTX" : kind == 2 ? "cubin" : "other",
            (unsigned)get(entry + 0x1c, 4));
    at += get(entry + 4, 4) + get(entry + 8, 8);
  }
}

static void describe(const unsigned char *data) {
  uint64_t size = sizeOf(data), hash = 0xcbf29ce484222325u;
  for (uint64_t at = 0; at < size; ++at)
    hash = (hash ^ data[at]) * 0x100000001b3u;
  fprintf(output(), "%llu bytes, %016llx", (unsigned long long)size,
          (unsigned long long)hash);
}

enum { MaxFatbins = 64 };
static int handles[MaxFatbins + 1], count;

static int number(void **handle) {
  int n = (int)((int *)(void *)handle - handles);
  return n >= 1 && n <= count ? n : -1;
}

void **__cudaRegisterFatBinary(void *image) {
  const Wrapper *wrapper = image;
  const void **from = wrapper->version == 2 ? wrapper->linked_from : NULL;
  int n = 0;
  if (count == MaxFatbins || wrapper->magic != 0x466243b1)
    abort();
  ++count;
  while (from && from[n])
    ++n;
  fprintf(output(), "fatbin %d: version %d", count, wrapper->version);
  list(wrapper->data);
  fprintf(output(), "; linked from %d\n", n);
  for (int i = 0; i < n; ++i) {
    fprintf(output(), "  linked from ");
    describe(from[i]);
    fprintf(output(), "\n");
  }
  return (void **)(void *)&handles[count];
}

void __cudaRegisterFatBinaryEnd(void **handle) {
  fprintf(output(), "complete %d\n", number(handle));
}

void __cudaUnregisterFatBinary(void **handle) {
  fprintf(output(), "unregister %d\n", number(handle));
}

void __cudaRegisterFunction(void **handle, const char *host, char *stub,
                            const char *name, int threads, void *tid, void *bid,
                            void *block, void *grid, int *warp) {
  (void)host, (void)stub, (void)threads, (void)tid, (void)bid, (void)block;
  (void)grid, (void)warp;
  fprintf(output(), "function %d: %s\n", number(handle), name);
}

void __cudaRegisterVar(void **handle, char *host, char *address,
                       const char *name, int external, size_t size,
                       int constant, int global) {
  (void)host, (void)address, (void)external, (void)global;
  fprintf(output(), "%s %d: %s, %llu bytes\n",
          constant ? "constant" : "variable", number(handle), name,
          (unsigned long long)size);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *address,
                              const char *name, int external, size_t size,
                              int constant, int global) {
  (void)host, (void)address, (void)external, (void)constant, (void)global;
  fprintf(output(), "managed %d: %s, %llu bytes\n", number(handle), name,
          (unsigned long long)size);
}

char __cudaInitModule(void **handle) {
  fprintf(output(), "initialize %d\n", number(handle));
  return 1;
}

/* What host code that launches kernels refers to. No kernel runs. */
int __cudaLaunchKernel(void) { return 100; }
int __cudaLaunchKernel_ptsz(void) { return 100; }
int cudaLaunchKernel(void) { return 100; }
int __cudaGetKernel(void) { return 100; }
unsigned __cudaPushCallConfiguration(void) { return 100; }
int __cudaPopCallConfiguration(void) { return 100; }
int cudaGetLastError(void) { return 100; }
int cudaDeviceSynchronize(void) { return 100; }
const char *cudaGetErrorString(int error) { return error ? "no device" : "ok"; }
