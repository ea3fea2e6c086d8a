/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Helpers of the C test programs of liblld-cuda (test/c-api) and of
 * libnvJitLink (test/nvjitlink): CHECK, which ends the program if a condition
 * doesn't hold, threads, and the memory in use. */
#ifndef CHECK_H
#define CHECK_H

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__,             \
              #condition);                                                     \
      abort();                                                                 \
    }                                                                          \
  } while (0)

enum { Threads = 16 };

/* Runs the function in each of `Threads` threads, with the thread's number (a
 * pointer to an int), and waits until all have returned. */
static inline void run_threads(void *(*function)(void *)) {
  pthread_t threads[Threads];
  int numbers[Threads], i;
  for (i = 0; i != Threads; ++i) {
    numbers[i] = i;
    CHECK(!pthread_create(&threads[i], NULL, function, &numbers[i]));
  }
  for (i = 0; i != Threads; ++i)
    pthread_join(threads[i], NULL);
}

/* Returns how many bytes are allocated and not freed. Sanitizers have a heap of
 * their own, of which glibc knows nothing. */
static inline size_t heap_in_use(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  size_t __sanitizer_get_current_allocated_bytes(void);
  return __sanitizer_get_current_allocated_bytes();
#else
  return mallinfo2().uordblks;
#endif
}

/* Returns how many bytes of memory are mapped. The heap of a link is mapped,
 * and isn't glibc's. */
static inline size_t mapped(void) {
  char line[256];
  unsigned long kilobytes = 0;
  FILE *status = fopen("/proc/self/status", "r");
  CHECK(status);
  while (!kilobytes && fgets(line, sizeof(line), status))
    sscanf(line, "VmSize: %lu", &kilobytes);
  fclose(status);
  CHECK(kilobytes);
  return kilobytes << 10;
}

#endif
