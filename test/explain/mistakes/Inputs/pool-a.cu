inline __device__ __noinline__ float *pool() {
  __shared__ float data[64];
  return data;
}

__global__ void a(float *p) {
  pool()[threadIdx.x] = p[0];
}
