namespace math {
__device__ float scale(float x) {
  return x * 2;
}
}
