#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the cubins of this directory with ptxas and nvlink 13.0.
set -e
cd "$(dirname "$0")"
for arch in sm_75 sm_90 sm_100; do
  ptxas -c -arch=$arch first.ptx -o first.$arch.cubin
  ptxas -c -arch=$arch second.ptx -o second.$arch.cubin
  nvlink -arch=$arch first.$arch.cubin second.$arch.cubin -o linked.$arch.cubin
  nvlink -arch=$arch -r first.$arch.cubin second.$arch.cubin -o relocatable.$arch.cubin
done
nvlink -arch=sm_75 -preserve-relocs first.sm_75.cubin second.sm_75.cubin -o resolved.sm_75.cubin
