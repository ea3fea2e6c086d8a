// Functions, variables and constants of other files; unused kernels.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_90 %t/main.cu %t/scale.cu %t/data.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- shared.h
extern __constant__ int factors[4];
extern __device__ int counter;
__device__ int scale(int x, int which);
extern "C" __device__ double polynomial(double x);

//--- main.cu
#include "shared.h"
__global__ void compute(int *out, double *values) {
  int i = threadIdx.x;
  out[i] = scale(i, i & 3);
  values[i] = polynomial(i);
  atomicAdd(&counter, 1);
}
__global__ void never_launched(int *out) { *out = scale(1, 1); }

int main() {
  int *out;
  double *values;
  cudaMallocManaged(&out, 32 * sizeof(int));
  cudaMallocManaged(&values, 32 * sizeof(double));
  compute<<<1, 32>>>(out, values);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  int count = 0;
  cudaMemcpyFromSymbol(&count, counter, sizeof(count));
  return out[5] == 5 * 3 + 100 && values[2] == 4 * 2.5 + 2 * 1.25 + 0.75 && count == 132 ? 0 : 2;
}

//--- scale.cu
#include "shared.h"
static __device__ int offset = 100;
static __device__ __noinline__ int helper(int x) { return x + offset; }
__device__ int scale(int x, int which) { return helper(x * factors[which]); }

//--- data.cu
#include "shared.h"
__constant__ int factors[4] = {2, 3, 5, 7};
__device__ int counter = 100;
static __device__ __noinline__ double helper(double x) { return x + 0.75; }
extern "C" __device__ double polynomial(double x) { return helper(x * x * 2.5 + x * 1.25); }
