// From a header:
__constant__ float weights[16];

__global__ void kernel_b(float *p) { *p = weights[1]; }
