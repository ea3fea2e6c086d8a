extern "C" __device__ float work(float a, float b) {
  return a + b;
}
