extern __device__ float factor;

__global__ void kernel(float *p) {
  p[0] = factor;
}
