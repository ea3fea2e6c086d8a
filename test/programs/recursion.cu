// Recursion through two files: nvlink warns that the stack size is unknown.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_80 %t/main.cu %t/odd.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- odd.cu
__device__ bool even(int n);
__device__ bool odd(int n) { return n != 0 && even(n - 1); }

//--- main.cu
__device__ bool odd(int n);
__device__ __noinline__ bool even(int n) { return n == 0 || odd(n - 1); }
__device__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__global__ void compute(int *out) {
  out[0] = even(10);
  out[1] = ackermann(2, 3);
}
int main() {
  int *out;
  cudaMallocManaged(&out, 2 * sizeof(int));
  compute<<<1, 1>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return out[0] == 1 && out[1] == 9 ? 0 : 2;
}
