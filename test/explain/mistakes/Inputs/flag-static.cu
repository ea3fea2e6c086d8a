static __device__ int flag = 3;
__global__ void other(int *p) { *p = flag; }
