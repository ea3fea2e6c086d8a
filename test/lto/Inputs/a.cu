extern __device__ int bar(int);
extern __device__ int gb;
__global__ void k1(int *p) { p[0] = bar(p[1]) + gb; }
