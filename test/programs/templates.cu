// The same instances of templates, functions and variables, in several files (weak); lambdas.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_89 -std=c++17 --extended-lambda %t/main.cu %t/first.cu %t/second.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- algorithms.h
template <typename T> __device__ T bias = T(1);

template <typename T> __device__ __noinline__ T twice(T x) { return x + x; }

template <typename T, int N> __global__ void transform(T *out) {
  __shared__ T tile[N];
  tile[threadIdx.x % N] = twice(T(threadIdx.x));
  __syncthreads();
  out[threadIdx.x] = tile[(threadIdx.x + 1) % N] + bias<T>;
}
template <typename F> __global__ void for_each(int *out, F f) { out[threadIdx.x] = f(threadIdx.x); }

//--- first.cu
#include "algorithms.h"
void first(int *out) {
  transform<int, 32><<<1, 32>>>(out);
  int offset = 7;
  for_each<<<1, 32>>>(out + 32, [offset] __device__(int i) { return i + offset; });
}

//--- second.cu
#include "algorithms.h"
void second(int *out, double *values) {
  transform<int, 32><<<1, 32>>>(out);
  transform<double, 64><<<1, 64>>>(values);
  for_each<<<1, 32>>>(out + 32, [] __device__(int i) { return twice(i); });
}

//--- main.cu
#include "algorithms.h"
void first(int *out);
void second(int *out, double *values);
int main() {
  int *out;
  double *values;
  cudaMallocManaged(&out, 128 * sizeof(int));
  cudaMallocManaged(&values, 64 * sizeof(double));
  first(out);
  second(out + 64, values);
  transform<int, 16><<<1, 16>>>(out + 96);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return out[3] == 9 && out[35] == 10 && out[64 + 3] == 9 && values[3] == 9 && out[99] == 9 ? 0 : 2;
}
