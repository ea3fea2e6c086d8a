/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   pe-loader PROGRAM
 *
 * Runs a program for Windows (pe-program.c) that imports nothing, on Linux: the
 * rules of calls are the same on ARM64. Its sections are placed elsewhere than
 * it says, and relocated.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                            void *, void *, void *, void *, int *);
static int callAtExit(void (*function)(void)) { return atexit(function); }

static unsigned char file[1 << 20];

static uint64_t get(const unsigned char *from, int bytes) {
  uint64_t value = 0;
  memcpy(&value, from, bytes);
  return value;
}

/* Blocks of a page, a size, and 16 bits for each pointer. */
static void relocate(unsigned char *image, const unsigned char *table,
                     uint32_t size, uint64_t distance) {
  enum { Pointer = 10 };
  for (const unsigned char *block = table; block < table + size;
       block += get(block + 4, 4))
    for (uint32_t at = 8; at < get(block + 4, 4); at += 2) {
      uint32_t entry = get(block + at, 2);
      unsigned char *place = image + get(block, 4) + (entry & 0xfff);
      if (entry >> 12 == Pointer) {
        uint64_t value = get(place, 8) + distance;
        memcpy(place, &value, 8);
      }
    }
}

int main(int argc, char **argv) {
  FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!in || !fread(file, 1, sizeof(file), in) || fclose(in))
    return 1;
  const unsigned char *header = file + get(file + 0x3c, 4),
                      *optional = header + 24,
                      *section = optional + get(header + 20, 2);
  uint32_t size = get(optional + 56, 4);
  unsigned char *image = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (image == MAP_FAILED)
    return 1;
  for (unsigned i = 0; i != get(header + 6, 2); ++i, section += 40) {
    uint32_t virtualSize = get(section + 8, 4), inFile = get(section + 16, 4);
    memcpy(image + get(section + 12, 4), file + get(section + 20, 4),
           inFile < virtualSize ? inFile : virtualSize);
  }
  const unsigned char *directory = optional + 112 + 5 * 8;
  if (!get(directory + 4, 4))
    return 1; /* Nothing to relocate: not what this is for. */
  relocate(image, image + get(directory, 4), get(directory + 4, 4),
           (uintptr_t)image - get(optional + 24, 8));
  __builtin___clear_cache((char *)image, (char *)image + size);

  /* What is called at exit needs them, too: main's stack is gone by then. */
  static void *functions[] = {__cudaRegisterFatBinary,
                              __cudaRegisterFatBinaryEnd,
                              __cudaUnregisterFatBinary,
                              __cudaRegisterFunction, callAtExit};
  ((void (*)(void **))(image + get(optional + 16, 4)))(functions);
  FILE *log = fopen(getenv("REGISTRATIONS"), "ab");
  fprintf(log, "end of main\n");
  return fclose(log);
}
