// Shared memory of kernels and functions, static and dynamic; barriers with
// numbers; fences.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_90 %t/main.cu %t/parts.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- parts.cu
extern __shared__ int dynamic[];
// Of the function; each kernel that reaches it has one.
__device__ int rotate(int x, int by) {
  __shared__ int values[64];
  values[threadIdx.x] = x;
  asm volatile("bar.sync 5, 64;" ::: "memory");
  int result = values[(threadIdx.x + by) & 63];
  asm volatile("bar.sync 5, 64;" ::: "memory");
  return result;
}
__device__ int total_of_dynamic(int count) {
  int sum = 0;
  for (int i = 0; i != count; ++i)
    sum += dynamic[i];
  return sum;
}
// The flag may be seen only after the value.
__device__ volatile int flags[2];
__device__ volatile int values[2];
__device__ void publish(int which, int value) {
  values[which] = value;
  __threadfence();
  flags[which] = 1;
}
__device__ int await(int which) {
  while (!flags[which])
    ;
  __threadfence();
  return values[which];
}

//--- main.cu
__device__ int rotate(int x, int by);
__device__ int total_of_dynamic(int count);
__device__ void publish(int which, int value);
__device__ int await(int which);
extern __shared__ int dynamic[];

__global__ void kinds(int *out) {
  __shared__ int own[64];
  own[threadIdx.x] = 3 * threadIdx.x;
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = rotate(own[63 - threadIdx.x], 1) + total_of_dynamic(64);
}
// Two halves with a barrier each.
__global__ void halves(int *out) {
  __shared__ int half[2][32];
  int which = threadIdx.x / 32, lane = threadIdx.x % 32;
  half[which][lane] = lane + 100 * which;
  asm volatile("bar.sync %0, 32;" ::"r"(which + 1) : "memory");
  out[threadIdx.x] = half[which][31 - lane];
}
__global__ void exchange(int *out) {
  if (threadIdx.x == 0) {
    publish(blockIdx.x, 7 + blockIdx.x);
    out[blockIdx.x] = await(blockIdx.x ^ 1);
    __threadfence_system();
  }
}

int main() {
  int *out;
  cudaMallocManaged(&out, 192 * sizeof(int));
  kinds<<<1, 64, 64 * sizeof(int)>>>(out);
  halves<<<1, 64>>>(out + 64);
  void *third = out + 128, *arguments[] = {&third};
  cudaLaunchCooperativeKernel((void *)exchange, dim3(2), dim3(32), arguments);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  for (int i = 0; i != 64; ++i) {
    if (out[i] != 3 * (63 - ((i + 1) & 63)) + 2016)
      return 2;
    if (out[64 + i] != 31 - i % 32 + 100 * (i / 32))
      return 3;
  }
  return out[128] == 8 && out[129] == 7 ? 0 : 4;
}
