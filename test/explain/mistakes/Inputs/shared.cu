__global__ void kernel(float *p) {
  __shared__ float tile[16384];
  tile[threadIdx.x] = p[0];
  __syncthreads();
  p[1] = tile[threadIdx.x ^ 1];
}
