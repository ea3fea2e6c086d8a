__device__ __noinline__ float scale(float x) {
  return x * 2;
}

__global__ void other(float *p) {
  p[0] = scale(p[1]);
}
