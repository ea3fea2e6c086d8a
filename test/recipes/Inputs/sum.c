// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < 100; ++i)
    sum += i;
  printf("%d\n", sum);
}
