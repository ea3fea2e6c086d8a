/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a device link's object refers to, for programs that are linked and not
 * run: the inputs' wrappers, the runtime's functions, and an entry that calls
 * the functions that it defines.
 */
struct Wrapper {
  int magic, version;
  const void *data, *unused;
};
const struct Wrapper __fatbinwrap_calls_kernel_cu_id = {1};
const struct Wrapper __fatbinwrap_calls_function_cu_id = {2};

void **__cudaRegisterFatBinary(void *wrapper) { return wrapper; }
void __cudaRegisterFatBinaryEnd(void **handle) { *handle = 0; }
void __cudaUnregisterFatBinary(void **handle) { *handle = handle; }
static void (*last)(void);
int atexit(void (*function)(void)) {
  last = function;
  return 0;
}

typedef void Register(void (*)(void **), void *, void *, void (*)(void *));
Register __cudaRegisterLinkedBinary_calls_kernel_cu_id,
    __cudaRegisterLinkedBinary_calls_function_cu_id;
int entry(void) {
  __cudaRegisterLinkedBinary_calls_kernel_cu_id(0, 0, 0, 0);
  __cudaRegisterLinkedBinary_calls_function_cu_id(0, 0, 0, 0);
  last();
  return 0;
}
