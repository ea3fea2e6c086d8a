extern "C" __device__ float scale(float);

__global__ void kernel(float *p) {
  p[0] = scale(p[1]);
}
