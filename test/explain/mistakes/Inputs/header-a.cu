__device__ float scale(float x) {  // in a header
  return x * 2;
}

__device__ float table[4];  // in a header
