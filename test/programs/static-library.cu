// A static library of device code, of which not all is used.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_89 --library %t/vector.cu %t/matrix.cu %t/unused.cu -O2 %t/main.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- library.h
__device__ float dot(const float *a, const float *b, int n);
__device__ float trace(const float *m, int n);
void fill(float *values, int n);

//--- vector.cu
#include "library.h"
__device__ float dot(const float *a, const float *b, int n) {
  float r = 0;
  for (int i = 0; i < n; ++i)
    r += a[i] * b[i];
  return r;
}
__global__ void fill_kernel(float *values, int n) {
  if (threadIdx.x < n)
    values[threadIdx.x] = threadIdx.x;
}
void fill(float *values, int n) { fill_kernel<<<1, 32>>>(values, n); }

//--- matrix.cu
#include "library.h"
__device__ float trace(const float *m, int n) {
  float r = 0;
  for (int i = 0; i < n; ++i)
    r += m[i * n + i];
  return r;
}

//--- unused.cu
__device__ double table[256];
__device__ double unused(int i) { return table[i & 255] * 1.2345; }
__global__ void unused_kernel(double *out) { *out = unused(threadIdx.x); }

//--- main.cu
#include "library.h"
__global__ void compute(const float *values, float *out) {
  out[0] = dot(values, values, 4);
  out[1] = trace(values, 3);
}
int main() {
  float *values;
  cudaMallocManaged(&values, 18 * sizeof(float));
  fill(values, 16);
  compute<<<1, 1>>>(values, values + 16);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return values[16] == 14 && values[17] == 12 ? 0 : 2;
}
