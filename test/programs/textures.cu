// Texture and surface objects.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_86 %t/main.cu %t/sample.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- sample.cu
__device__ float sample(cudaTextureObject_t image, float x, float y) {
  return tex2D<float>(image, x, y) + tex2D<float>(image, x + 1, y);
}
__device__ void store(cudaSurfaceObject_t surface, int x, int y, float value) {
  surf2Dwrite(value, surface, x * sizeof(float), y);
}

//--- main.cu
__device__ float sample(cudaTextureObject_t image, float x, float y);
__device__ void store(cudaSurfaceObject_t surface, int x, int y, float value);
__global__ void fill(cudaSurfaceObject_t surface) {
  store(surface, threadIdx.x, threadIdx.y, threadIdx.x + 10 * threadIdx.y);
}
__global__ void read(cudaTextureObject_t image, float *out) { *out = sample(image, 1.5f, 2.5f); }
int main() {
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 8, 8, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  cudaTextureObject_t image;
  cudaSurfaceObject_t surface;
  cudaCreateTextureObject(&image, &resource, &description, nullptr);
  cudaCreateSurfaceObject(&surface, &resource);
  float *out;
  cudaMallocManaged(&out, sizeof(float));
  fill<<<1, dim3(8, 8)>>>(surface);
  read<<<1, 1>>>(image, out);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return *out == 21 + 22 ? 0 : 2;
}
