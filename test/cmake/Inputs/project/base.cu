// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int table[4] = {1, 2, 3, 4};
__device__ int base(int i) { return table[i & 3]; }
