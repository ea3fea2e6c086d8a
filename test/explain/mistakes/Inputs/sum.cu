__device__ float sum(float *values) {
  return values[0] + values[1];
}
