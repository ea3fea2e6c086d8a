// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
__device__ int twice(int i);
__tile_global__ void tile() {}
__global__ void kernel(int *p) { *p = twice(*p); }
int main() {
  kernel<<<1, 1>>>(nullptr);
  printf("launched: %s\n", cudaGetErrorString(cudaGetLastError()));
}
