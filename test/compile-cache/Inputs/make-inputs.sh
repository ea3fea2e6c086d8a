#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Texts of PTX for the stand-in of ptxas, in this folder, and what links of their cubins are:
#   make-inputs.sh CORPUS LINKER
for name in one two; do
  case $name in one) cubin=calls/alias ;; two) cubin=code/atomics ;; esac
  cp "$1/$cubin.sm_90.cubin" $name.cubin
  printf '.version 8.0\n// cubin: %s/%s.cubin\n.target sm_90\n.address_size 64\n' "$PWD" $name >$name.ptx
  "$2" -arch=sm_90 $name.cubin -o $name.expected
done
