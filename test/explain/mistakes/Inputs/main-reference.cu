__device__ float scale(const float &x);
__global__ void kernel(float *p) { *p = scale(*p); }
