// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
__device__ int twice(int i);
__global__ void kernel(int *p) { *p = twice(*p); }
int main() { kernel<<<1, 1>>>(nullptr); printf("%s\n", cudaGetErrorString(cudaGetLastError())); }
