// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int twice(int i) { return i * 2; }
#ifdef CALLS_MIDDLE
void launchMiddle(int *p);
void launchKernel(int *p);
int main() {
  launchMiddle(nullptr);
  launchKernel(nullptr);
  return 0;
}
#endif
