__device__ float skale(float x) {
  return x * 2;
}
