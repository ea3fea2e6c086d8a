// From a header:
__constant__ float weights[16];

__global__ void kernel_a(float *p) { *p = weights[1]; }
