__device__ float heavy(const float *p) {
  float v[40], sum = 0;
#pragma unroll
  for (int i = 0; i < 40; ++i)
    v[i] = p[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 40; ++i)
    sum = sum * v[39 - i] + v[i];
  return sum;
}
