__global__ void kernel(float *p) {
  p[0] = 1;
}
