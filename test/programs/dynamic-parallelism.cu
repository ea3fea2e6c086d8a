// Kernels that launch kernels: links libcudadevrt.
// Rules: [device-runtime] [constant-size-symbol]
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_90 %t/main.cu %t/child.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- child.h
__global__ void child(int *out, int value);

//--- child.cu
#include "child.h"
__device__ int transform(int x) { return 2 * x + 1; }
__global__ void child(int *out, int value) { out[threadIdx.x] = transform(value + threadIdx.x); }

//--- main.cu
#include "child.h"
__global__ void parent(int *out) {
  child<<<1, 16>>>(out + 16 * threadIdx.x, threadIdx.x);
}
__global__ void never_launched(int *out) { child<<<1, 1>>>(out, 0); }
int main() {
  int *out;
  cudaMallocManaged(&out, 32 * sizeof(int));
  parent<<<1, 2>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return out[3] == 7 && out[16 + 3] == 9 ? 0 : 2;
}
