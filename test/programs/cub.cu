// CUB: block-wide algorithms in device functions of two files.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_90 -std=c++17 -diag-suppress=20012 %t/main.cu %t/sum.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- sum.cu
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
__device__ int block_sum(int x) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  return Reduce(storage).Sum(x);
}
__global__ void scan(int *values) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Scan::TempStorage storage;
  int x = values[threadIdx.x];
  Scan(storage).InclusiveSum(x, x);
  values[threadIdx.x] = x;
}

//--- main.cu
#include <cub/block/block_radix_sort.cuh>
__device__ int block_sum(int x);
__global__ void scan(int *values);
__global__ void reduce(int *out) {
  int sum = block_sum(threadIdx.x);
  if (threadIdx.x == 0)
    *out = sum;
}
__global__ void sort(int *values) {
  using Sort = cub::BlockRadixSort<int, 128, 1>;
  __shared__ typename Sort::TempStorage storage;
  int keys[1] = {values[threadIdx.x]};
  Sort(storage).Sort(keys);
  values[threadIdx.x] = keys[0];
}
int main() {
  int *values;
  cudaMallocManaged(&values, 129 * sizeof(int));
  for (int i = 0; i < 128; ++i)
    values[i] = 127 - i;
  reduce<<<1, 128>>>(values + 128);
  sort<<<1, 128>>>(values);
  scan<<<1, 128>>>(values);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return values[128] == 127 * 64 && values[127] == 127 * 64 && values[2] == 3 ? 0 : 2;
}
