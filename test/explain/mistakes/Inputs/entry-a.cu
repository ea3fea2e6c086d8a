extern "C" __global__ void work(float *p) {
  p[0] = 1;
}
