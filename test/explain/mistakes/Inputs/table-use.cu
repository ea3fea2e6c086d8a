extern __device__ float table[4];

__global__ void kernel(float *p) {
  p[0] = table[1];
}
