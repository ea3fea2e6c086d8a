// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int twice(int i);
__global__ void kernel(int *p) { *p = twice(*p); }
