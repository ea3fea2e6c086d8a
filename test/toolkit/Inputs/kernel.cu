#include <cuda_runtime.h>
extern __device__ int twice(int);
__global__ void kernel(int *p) { *p = twice(*p); }
int main() { kernel<<<1, 1>>>(nullptr); }
