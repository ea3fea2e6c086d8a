// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int twice(int i);
__global__ void kernel(int *p) { *p = twice(*p); }
// Not from another file: clang's objects declare the kernel a function there.
void launchKernel(int *p) { kernel<<<1, 1>>>(p); }
