__global__ void child(float *p) {
  p[0] = 1;
}

__global__ void kernel(float *p) {
  child<<<1, 1>>>(p);
}
