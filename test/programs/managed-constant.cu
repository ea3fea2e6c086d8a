// Managed variables, constants of several files, constructors of variables.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_80 %t/main.cu %t/data.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- data.h
struct Settings {
  int width;
  double scale;
  const char *name;
};
extern __constant__ Settings settings;
extern __managed__ int results[64];
extern __managed__ double total;
extern __device__ const float weights[5];

//--- data.cu
#include "data.h"
__device__ const char label[] = "label";
__constant__ Settings settings = {7, 0.5, nullptr};
__managed__ int results[64] = {1, 2, 3};
__managed__ double total = 1.5;
__device__ const float weights[5] = {1, 2, 3, 4, 5};
__constant__ short odd_sized[3] = {4, 5, 6};
__global__ void use_odd(short *out) { *out = odd_sized[threadIdx.x] + label[threadIdx.x]; }

//--- main.cu
#include "data.h"
__global__ void compute() {
  int i = threadIdx.x;
  results[i] += settings.width + (int)weights[i % 5];
  if (i == 0)
    total += settings.scale;
}
int main() {
  compute<<<1, 64>>>();
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return results[1] == 2 + 7 + 2 && total == 2.0 ? 0 : 2;
}
