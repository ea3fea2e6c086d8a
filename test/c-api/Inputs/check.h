/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the test programs of both libraries share: a check, and threads. */
#ifndef CHECK_H
#define CHECK_H

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

/* Each thread calls the function with its number, an int. */
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

#endif
