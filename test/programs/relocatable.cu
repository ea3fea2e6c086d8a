// Device code that was linked with -r first. nvlink's -r makes wrong code of
// static shared memory in functions; ours has to compute what one link does.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: nvcc -arch=sm_90 -rdc=true -cubin kernels.cu -o kernels.cubin
// RUN: nvcc -arch=sm_90 -rdc=true -cubin functions.cu -o functions.cubin
// RUN: nvcc -arch=sm_90 -rdc=true -cubin tables.cu -o tables.cubin
// RUN: %ref_nvlink -arch=sm_90 kernels.cubin functions.cubin tables.cubin -o direct.cubin
// RUN: %nvlink -arch=sm_90 -r functions.cubin tables.cubin -o inner.cubin
// RUN: %nvlink -arch=sm_90 -r kernels.cubin inner.cubin -o outer.cubin
// RUN: %nvlink -arch=sm_90 outer.cubin -o twice.cubin
// RUN: %nvlink -arch=sm_90 kernels.cubin inner.cubin -o once.cubin
// RUN: %if gpu %{ nvcc loader.cu -lcuda -o loader %}
// RUN: %if gpu %{ ./loader direct.cubin > direct.txt %}
// RUN: %if gpu %{ ./loader once.cubin > once.txt && diff direct.txt once.txt %}
// RUN: %if gpu %{ ./loader twice.cubin > twice.txt && diff direct.txt twice.txt %}

//--- kernels.cu
__device__ int collect(int x);
__device__ int total(int count);
__device__ int look_up(int x);
__device__ int call(int which, int x);
extern __shared__ int dynamic[];
extern "C" __global__ void first(int *out) {
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = collect(threadIdx.x) + total(32) + look_up(threadIdx.x);
}
extern "C" __global__ void second(int *out) {
  __shared__ int own[32];
  own[threadIdx.x] = call(threadIdx.x & 1, threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = own[31 - threadIdx.x] + collect(1);
}

//--- functions.cu
extern __shared__ int dynamic[];
__device__ int collect(int x) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  atomicAdd(&sum, x);
  __syncthreads();
  return sum;
}
__device__ int total(int count) {
  int sum = 0;
  for (int i = 0; i != count; ++i)
    sum += dynamic[i];
  return sum;
}
__device__ int negate(int x) { return -x; }
__device__ int square(int x) { return x * x; }

//--- tables.cu
__device__ int negate(int x);
__device__ int square(int x);
__constant__ int table[4] = {11, 22, 33, 44};
__device__ int (*functions[2])(int) = {negate, square};
__device__ int look_up(int x) { return table[x & 3]; }
__device__ int call(int which, int x) { return functions[which](x); }

//--- loader.cu
#include <cstdio>
#include <cuda.h>
#define CHECK(call)                                                            \
  if (CUresult result = (call)) {                                              \
    std::fprintf(stderr, #call ": %d\n", result);                              \
    return 1;                                                                  \
  }
int main(int, char **argv) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUdeviceptr out;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoad(&module, argv[1]));
  CHECK(cuMemAlloc(&out, 32 * sizeof(int)));
  for (const char *name : {"first", "second"}) {
    CUfunction kernel;
    int values[32];
    void *arguments[] = {&out};
    CHECK(cuModuleGetFunction(&kernel, module, name));
    CHECK(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 32 * sizeof(int), nullptr,
                         arguments, nullptr));
    CHECK(cuMemcpyDtoH(values, out, sizeof(values)));
    for (int value : values)
      std::printf("%s %d\n", name, value);
  }
}
