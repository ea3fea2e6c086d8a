// A program of several files, with a static library, printf and dynamic
// parallelism's library, built by other releases of the toolkit.
// RUN: rm -rf %t && split-file %s %t
// RUN: %if cuda-13.2.86 %{ %build-with-release=%cuda-13.2.86 %t/13.2.86 --library %t/tables.cu %t/shapes.cu -lineinfo %t/main.cu -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 %}
// RUN: %if cuda-13.4.92 %{ %build-with-release=%cuda-13.4.92 %t/13.4.92 --library %t/tables.cu %t/shapes.cu -lineinfo %t/main.cu -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 %}
// RUN: %if cuda-13.5.37 %{ %build-with-release=%cuda-13.5.37 %t/13.5.37 --library %t/tables.cu %t/shapes.cu -lineinfo %t/main.cu -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 %}
// RUN: %if cuda-13.5.37 %{ %build-with-release=%cuda-13.5.37 %t/debug --library %t/tables.cu %t/shapes.cu -G %t/main.cu -arch=sm_90 %}

//--- shapes.h
struct Shape {
  __device__ virtual float area() const = 0;
};
__device__ float weigh(const Shape &shape, int which);
__device__ float from_table(int which);
extern __device__ int calls;
extern __constant__ float weights[4];

//--- tables.cu
#include "shapes.h"
__constant__ float weights[4] = {1, 2, 4, 8};
__device__ float from_table(int which) { return weights[which & 3]; }

//--- shapes.cu
#include "shapes.h"
#include <cstdio>
__device__ int calls;
__device__ float weigh(const Shape &shape, int which) {
  __shared__ float last;
  last = shape.area() * from_table(which);
  if (last < 0)
    printf("%d: %f\n", which, last);
  atomicAdd(&calls, 1);
  return last;
}

//--- main.cu
#include "shapes.h"
struct Square : Shape {
  float side;
  __device__ Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
extern __shared__ float dynamic[];
__global__ void child(float *out) { out[threadIdx.x] += from_table(threadIdx.x); }
__global__ void parent(float *out) {
  Square square(threadIdx.x);
  dynamic[threadIdx.x] = weigh(square, threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = dynamic[31 - threadIdx.x];
  if (threadIdx.x == 0)
    child<<<1, 32>>>(out);
}
int main() {
  parent<<<1, 32, 128>>>(nullptr);
  return 0;
}
