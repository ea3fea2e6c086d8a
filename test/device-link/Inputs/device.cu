// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file of a program: -DNAME=a, and -DCALLS=b if it calls the function of
// another.
#define PASTE_(a, b) a##b
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#define PASTE(a, b) PASTE_(a, b)
#define VARIABLE PASTE(NAME, _variable)
#define FUNCTION PASTE(NAME, _function)
#define KERNEL PASTE(NAME, _kernel)

#ifdef CALLS
__device__ int PASTE(CALLS, _function)(int);
#define CALL(x) PASTE(CALLS, _function)(x)
#else
#define CALL(x) (x)
#endif

__device__ int VARIABLE = 3;
// Not the same contents in all files.
__constant__ double PASTE(NAME, _constant)[4] = {TEXT(NAME)[0]};
__device__ __noinline__ int FUNCTION(int x) { return CALL(x) * VARIABLE; }
extern "C" __global__ void KERNEL(int *p) {
  *p = FUNCTION(*p) + PASTE(NAME, _constant)[*p & 3];
}
void PASTE(NAME, _launch)(int *p) { KERNEL<<<1, 1>>>(p); }
