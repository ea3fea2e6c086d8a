// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without nvshmem_init(): it is linked, and starts, without a GPU.
#include <cstdio>
#include <nvshmem.h>
__device__ int twice(int i);
__global__ void kernel(int *p) { nvshmem_int_p(p, twice(nvshmem_my_pe()), 0); }
int main() {
  kernel<<<1, 1>>>(nullptr);
  printf("launched: %s\n", cudaGetErrorString(cudaGetLastError()));
}
