__device__ float heavy(const float *p);

__global__ void __maxnreg__(24) kernel(float *p) {
  p[0] = heavy(p);
}
