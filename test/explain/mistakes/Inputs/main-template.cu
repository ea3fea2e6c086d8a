template <typename T> __device__ T twice(T value);

__global__ void kernel(float *p) {
  p[0] = twice(p[1]);
}
