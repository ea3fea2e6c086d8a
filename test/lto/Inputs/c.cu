extern __device__ int bar(int);
__global__ void k3(int *p) { p[0] = bar(3) + 7; }
