// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int twice(int i) { return i * 2; }
__global__ void kernel(int *p);
#ifdef CALLS_MIDDLE
void launchMiddle(int *p);
int main() {
  launchMiddle(nullptr);
  kernel<<<1, 1>>>(nullptr);
  return 0;
}
#endif
