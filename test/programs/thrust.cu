// Thrust, whose kernels are instances of the same templates in two files.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_80 -std=c++17 -Xcompiler -w %t/main.cu %t/other.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- other.cu
#include <thrust/device_ptr.h>
#include <thrust/transform.h>
struct Square {
  __device__ int operator()(int x) const;
};
__device__ int square(int x);
__device__ int Square::operator()(int x) const { return square(x); }
void square_all(int *values, int n) {
  thrust::device_ptr<int> begin(values);
  thrust::transform(begin, begin + n, begin, Square());
}

//--- main.cu
#include <thrust/device_ptr.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
__device__ int bias = 1;
__device__ int square(int x) { return x * x + bias; }
void square_all(int *values, int n);
int main() {
  int *values;
  cudaMallocManaged(&values, 100 * sizeof(int));
  thrust::device_ptr<int> begin(values);
  thrust::sequence(begin, begin + 100);
  square_all(values, 100);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return values[9] == 82 ? 0 : 2;
}
