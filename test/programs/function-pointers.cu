// Tables of function pointers across files, and a callback.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_75 %t/main.cu %t/operations.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- operations.h
typedef int (*Operation)(int, int);
extern __device__ Operation operations[3];
extern __constant__ Operation default_operation;
__device__ int apply(Operation operation, int x, int y);

//--- operations.cu
#include "operations.h"
static __device__ int plus(int x, int y) { return x + y; }
static __device__ int times(int x, int y) { return x * y; }
__device__ int power(int x, int y) {
  int local[8];
  int r = 1;
  for (int i = 0; i < y; ++i)
    local[i & 7] = r *= x;
  return y ? local[(y - 1) & 7] : 1;
}
__device__ Operation operations[3] = {plus, times, power};
__constant__ Operation default_operation = times;
__device__ __noinline__ int apply(Operation operation, int x, int y) {
  __syncthreads();
  return operation(x, y);
}

//--- main.cu
#include "operations.h"
__global__ void compute(int *out) {
  int i = threadIdx.x;
  out[i] = i < 3 ? operations[i](3, 4) : default_operation(i, 2);
}
__global__ void call_back(int *out) { out[threadIdx.x] = apply(operations[threadIdx.x & 1], 5, 6); }
int main() {
  int *out;
  cudaMallocManaged(&out, 8 * sizeof(int));
  compute<<<1, 4>>>(out);
  call_back<<<1, 1>>>(out + 4);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return out[0] == 7 && out[1] == 12 && out[2] == 81 && out[3] == 6 && out[4] == 11 ? 0 : 2;
}
