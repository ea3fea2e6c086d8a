__constant__ float a[10000];

__global__ void kernel_a(float *p) {
  p[0] = a[threadIdx.x];
}
