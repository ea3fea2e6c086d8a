// One device link for each architecture.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
// RUN:   -gencode arch=compute_75,code=sm_75 %t/main.cu %t/other.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- other.cu
__device__ int architecture() {
#if __CUDA_ARCH__ >= 900
  return 90;
#elif __CUDA_ARCH__ >= 800
  return 80;
#else
  return 75;
#endif
}

//--- main.cu
__device__ int architecture();
__global__ void ask(int *out) {
  __shared__ int first;
  if (threadIdx.x == 0)
    first = architecture();
  __syncthreads();
  *out = first;
}
int main() {
  int *out;
  cudaMallocManaged(&out, sizeof(int));
  ask<<<1, 32>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return *out >= 75 ? 0 : 2;
}
