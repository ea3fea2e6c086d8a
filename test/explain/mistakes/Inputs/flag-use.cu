extern __device__ int flag;
__global__ void kernel(int *p) { *p = flag; }
