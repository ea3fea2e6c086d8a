/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The host side of one file with relocatable device code, made by hand for
 * targets that nvcc isn't installed for: the device code, its wrapper, the
 * module id, and a constructor that tells the device link's object that this
 * file is there.
 *
 *   -DID=_12345678_1_a_cu_f  its module id
 *   -DFATBIN=path            its device code
 *   -DKERNEL=name            the kernel that it registers
 */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

#ifdef _WIN32
#define FLAGS "dr"
#else
#define FLAGS "a"
#endif

__asm__(".section __nv_relfatbin, \"" FLAGS "\"\n"
        ".balign 8\n"
        "device_code:\n"
        ".incbin \"" TEXT(FATBIN) "\"\n"
        ".balign 8\n"
        ".text\n");

struct Wrapper {
  int magic, version;
  const void *data, *unused;
};
#ifdef _WIN32
extern const char device_code[];
#else
extern const char device_code[] __attribute__((visibility("hidden")));
#endif
const struct Wrapper PASTE(__fatbinwrap, ID)
    __attribute__((section(".nvFatBinSegment"))) = {0x466243b1, 1, device_code,
                                                    0};

static const char module_id[]
    __attribute__((section("__nv_module_id"), used)) = TEXT(ID);

extern void __cudaRegisterFunction(void **, const char *, char *, const char *,
                                   int, void *, void *, void *, void *, int *);
extern void PASTE(__cudaRegisterLinkedBinary, ID)(void (*)(void **), void *,
                                                  void *, void (*)(void *));

/* The kernel's stub: its address stands for the kernel. */
void PASTE(stub_of, KERNEL)(void) {}

static void register_kernels(void **handle) {
  __cudaRegisterFunction(handle, (const char *)PASTE(stub_of, KERNEL), 0,
                         TEXT(KERNEL), -1, 0, 0, 0, 0, 0);
}

static void refer(void *p) {
  static void *volatile kept;
  kept = p;
}

#ifndef _WIN32
__attribute__((constructor))
#endif
static void register_all(void) {
  PASTE(__cudaRegisterLinkedBinary, ID)
  (register_kernels, (void *)&PASTE(__fatbinwrap, ID), (void *)module_id,
   refer);
}

#ifdef _WIN32
/* Where nvcc puts it; these are called in the order in which they are linked. */
static void (*const initializer)(void)
    __attribute__((section(".CRT$XCU"), used)) = register_all;
#endif
