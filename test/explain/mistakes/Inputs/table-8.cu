__device__ float table[8];
