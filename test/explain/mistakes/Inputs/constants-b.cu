__constant__ float b[8000];

__global__ void kernel_b(float *p) {
  p[0] = b[threadIdx.x];
}
