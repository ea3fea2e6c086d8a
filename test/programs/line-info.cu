// -lineinfo: line tables, with inlined and removed functions.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_90 -lineinfo %t/main.cu %t/functions.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- functions.h
inline __device__ float clamp(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
template <int N> __device__ __noinline__ float repeat(float x) {
  for (int i = 0; i < N; ++i)
    x = clamp(x * 1.5f);
  return x;
}
__device__ float shade(float x);

//--- functions.cu
#include "functions.h"
__device__ float shade(float x) { return repeat<4>(x) * 0.5f; }
__device__ float never_called(float x) { return repeat<5>(x); }

//--- main.cu
#include "functions.h"
__global__ void render(float *out) { out[threadIdx.x] = shade(out[threadIdx.x]) + repeat<4>(2); }
__global__ void never_launched(float *out) { *out = repeat<6>(*out); }
int main() {
  float *out;
  cudaMallocManaged(&out, 4 * sizeof(float));
  out[3] = 0.5f;
  render<<<1, 4>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return out[3] == 1.5f ? 0 : 2;
}
