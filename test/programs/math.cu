// The mathematical functions of the compiler's library, with their constants.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_90 %t/main.cu %t/double.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- double.cu
__device__ double wave(double x) { return sin(x) * exp(-x) + pow(x, 1.5); }
__device__ double quotient(double x, double y) { return x / y + sqrt(y); }

//--- main.cu
#include <cuda_fp16.h>
__device__ double wave(double x);
__device__ double quotient(double x, double y);
__global__ void compute(double *out) {
  int i = threadIdx.x;
  out[i] = wave(i) + quotient(i, i + 1.0) + cosf(i) + (double)__half2float(__hadd(__float2half(i), __float2half(1)));
}
__global__ void only_quotient(double *out) { *out = quotient(out[1], out[2]); }
int main() {
  double *out;
  cudaMallocManaged(&out, 32 * sizeof(double));
  compute<<<1, 32>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return out[0] == 0 + 1 + 1 + 1 ? 0 : 2;
}
