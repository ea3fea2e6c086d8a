#include <cuda_runtime.h>
__device__ int two = 2;
__device__ int twice(int x) { return two * x; }
