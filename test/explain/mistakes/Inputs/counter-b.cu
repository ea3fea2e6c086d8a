inline __device__ long counter[2] = {3, 4};
__global__ void kernel_b(long *p) { *p = counter[1]; }
