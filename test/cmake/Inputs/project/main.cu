// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int middle(int i);
__global__ void mainKernel(int *p) { *p = middle(*p) * 2; }
int main() {
  mainKernel<<<1, 1>>>(nullptr);
  return cudaDeviceSynchronize() == cudaSuccess;
}
