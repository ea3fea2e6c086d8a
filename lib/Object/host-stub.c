// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a host object, whose machine code scripts/make-host-stubs
// puts into HostStubs.inc. Nothing here is compiled when the linker is built.
//
// Each object with relocatable device code calls registerOne's caller of its
// own, with what registers its kernels and variables. The last one registers
// the linked image, then all of them [host-object].

typedef void Callback(void **);
struct Wrapper {
  int magic, version;
  const void *data;
  void *prelinked;
};
struct State {
  void **handle;
  long long registered, count; // Of 64 bits on Windows, too.
  struct Wrapper *wrapper;
  const void **prelinked;
  Callback **callbacks;
};

#define HIDDEN __attribute__((visibility("hidden")))
extern struct State state HIDDEN;
extern const struct Wrapper wrapper;
extern void **__cudaRegisterFatBinary(void *);
extern void __cudaRegisterFatBinaryEnd(void **);
extern void __cudaUnregisterFatBinary(void **);
extern int atexit(void (*)(void));

HIDDEN void unregister(void) { __cudaUnregisterFatBinary(state.handle); }

HIDDEN __attribute__((noinline)) void
registerOne(Callback *callback, const struct Wrapper *prelinked) {
  struct State *s = &state;
  s->prelinked[s->registered] = prelinked->data;
  s->callbacks[s->registered] = callback;
  if (++s->registered != s->count)
    return;
  s->prelinked[s->count] = 0;
  s->handle = __cudaRegisterFatBinary(s->wrapper);
  atexit(unregister);
  for (long long i = 0; i != s->count; ++i)
    s->callbacks[i](s->handle);
  __cudaRegisterFatBinaryEnd(s->handle);
}

// For each object, under a name of its own.
void registerObject(Callback *callback) { registerOne(callback, &wrapper); }
