extern "C" __device__ float scale(float x) {
  return x * 2;
}
