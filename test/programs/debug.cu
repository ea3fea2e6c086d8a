// -G: debug information of everything; nothing is removed.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_90 -G -g %t/main.cu %t/helper.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- helper.h
struct Pair {
  int first;
  float second;
};
__device__ Pair combine(Pair a, Pair b);

//--- helper.cu
#include "helper.h"
static __device__ int calls;
__device__ Pair combine(Pair a, Pair b) {
  ++calls;
  Pair result = {a.first + b.first, a.second * b.second};
  return result;
}
__device__ int not_called(int x) { return x + calls; }

//--- main.cu
#include "helper.h"
__global__ void compute(Pair *pairs) {
  extern __shared__ Pair shared[];
  int i = threadIdx.x;
  shared[i] = pairs[i];
  __syncthreads();
  pairs[i] = combine(shared[i], shared[i ^ 1]);
}
int main() {
  Pair *pairs;
  cudaMallocManaged(&pairs, 2 * sizeof(Pair));
  pairs[0] = {1, 2};
  pairs[1] = {3, 4};
  compute<<<1, 2, 2 * sizeof(Pair)>>>(pairs);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return pairs[1].first == 4 && pairs[0].second == 8 ? 0 : 2;
}
