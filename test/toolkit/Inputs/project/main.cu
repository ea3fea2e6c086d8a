#include <cstdio>
extern __device__ int area(int);
__global__ void compute(int *result) { *result = area(*result); }
int main() {
  int *value;
  if (cudaMallocManaged(&value, sizeof *value) != cudaSuccess)
    return 77; // No GPU.
  *value = 6;
  compute<<<1, 1>>>(value);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  std::printf("%d\n", *value);
  return *value != 36;
}
