// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int base(int i);
__device__ int middle(int i) { return base(i) + base(i + 1); }
__global__ void middleKernel(int *p) { *p = middle(*p); }
void launchMiddle(int *p) { middleKernel<<<1, 1>>>(p); }
