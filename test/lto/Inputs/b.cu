__device__ int gb = 5, unused = 3;
__device__ int bar(int x) { return x * 3 + gb; }
__global__ void k2(int *p) { p[0] = bar(1); }
