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
# The same text, in a file and as a word of the command: with -g the note names the file.
for arch in sm_90 sm_100; do
  cp debugged.ptx "application ptx input"
  ptxas -g -arch=$arch "application ptx input" && mv elf.o debugged-file.$arch.cubin
  ptxas -g -arch=$arch -ias "$(cat debugged.ptx)" && mv elf.o debugged-text.$arch.cubin
  rm "application ptx input"
done
