/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program for Windows that pe-loader.c runs: what it needs of the runtime and
 * of the C library it is handed in a table. Its entry calls its initializers.
 */
static void **functions;

void **__cudaRegisterFatBinary(void *wrapper) {
  return ((void **(*)(void *))functions[0])(wrapper);
}
void __cudaRegisterFatBinaryEnd(void **handle) {
  ((void (*)(void **))functions[1])(handle);
}
void __cudaUnregisterFatBinary(void **handle) {
  ((void (*)(void **))functions[2])(handle);
}
typedef void RegisterFunction(void **, const char *, char *, const char *, int,
                              void *, void *, void *, void *, int *);
void __cudaRegisterFunction(void **handle, const char *host, char *stub,
                            const char *name, int threads, void *tid, void *bid,
                            void *block, void *grid, int *warp) {
  ((RegisterFunction *)functions[3])(handle, host, stub, name, threads, tid,
                                     bid, block, grid, warp);
}
int atexit(void (*function)(void)) {
  return ((int (*)(void (*)(void)))functions[4])(function);
}

/* The linker sorts these sections by name: the inputs' .CRT$XCU is between. */
typedef void (*Initializer)(void);
__attribute__((section(".CRT$XCA"))) const Initializer first = 0;
__attribute__((section(".CRT$XCZ"))) const Initializer last = 0;

void entry(void **table) {
  functions = table;
  for (const Initializer *volatile i = &first + 1; i < &last; ++i)
    if (*i)
      (*i)();
}
