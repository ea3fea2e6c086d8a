__device__ float scale(int x) {
  return x * 2;
}
