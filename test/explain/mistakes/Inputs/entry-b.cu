extern "C" __device__ void work(float *p);

__global__ void kernel(float *p) {
  work(p);
}
