// Virtual functions: tables of functions in other files, made on the device.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_80 %t/main.cu %t/shapes.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- shapes.h
struct Shape {
  __device__ Shape(float size) : size(size) {}
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
  float size;
};
struct Square : Shape {
  __device__ Square(float size);
  __device__ float area() const override;
  __device__ int corners() const override { return 4; }
};
struct Circle : Shape {
  __device__ Circle(float size);
  __device__ float area() const override;
};

//--- shapes.cu
#include "shapes.h"
__device__ Square::Square(float size) : Shape(size) {}
__device__ float Square::area() const { return size * size; }
__device__ Circle::Circle(float size) : Shape(size) {}
__device__ float Circle::area() const { return 3.0f * size * size; }

//--- main.cu
#include "shapes.h"
#include <new>
__device__ char storage[2][64];
__global__ void construct(Shape **shapes) {
  shapes[0] = new (storage[0]) Square(2);
  shapes[1] = new (storage[1]) Circle(2);
}
__global__ void measure(Shape **shapes, float *out) {
  Shape *shape = shapes[threadIdx.x];
  out[threadIdx.x] = shape->area() + shape->corners();
}
int main() {
  Shape **shapes;
  float *out;
  cudaMalloc(&shapes, 2 * sizeof(Shape *));
  cudaMallocManaged(&out, 2 * sizeof(float));
  construct<<<1, 1>>>(shapes);
  measure<<<1, 2>>>(shapes, out);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return out[0] == 8 && out[1] == 12 ? 0 : 2;
}
