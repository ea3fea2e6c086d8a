inline __device__ int counter = 3;
__global__ void kernel_a(int *p) { *p = counter; }
