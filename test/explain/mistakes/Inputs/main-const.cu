__device__ float sum(const float *values);

__global__ void kernel(float *p) {
  p[0] = sum(p);
}
