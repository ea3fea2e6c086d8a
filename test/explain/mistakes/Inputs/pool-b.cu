inline __device__ __noinline__ float *pool() {
  __shared__ float data[128];
  return data;
}

__global__ void b(float *p) {
  pool()[threadIdx.x] = p[0];
}
