extern "C" __device__ float work(float a);

__global__ void kernel(float *p) {
  p[0] = work(p[1]);
}
