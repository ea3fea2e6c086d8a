#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the inputs of the unit tests anew: needs nvcc 13.0, binutils and llvm-ar.
# The tests know sizes and names that another release would change.
set -e
cd "$(dirname "$0")"
inputs=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >first.cu <<'EOF'
__device__ int scale;
__device__ int twice(int x) { return x * scale; }
__global__ void first(int *p) { *p = twice(*p); }
EOF
cat >second.cu <<'EOF'
extern __device__ int twice(int);
__global__ void second(int *p) { *p = twice(*p) + 1; }
void launch() { second<<<1, 1>>>(nullptr); }
EOF

# Fatbins: one of each compression mode with the same four images, and one with
# identifiers (-lineinfo makes nvcc write them).
archs="-gencode arch=compute_75,code=[sm_75,compute_75]
  -gencode arch=compute_90a,code=sm_90a -gencode arch=compute_100f,code=sm_100f"
for mode in none default balance size speed; do
  nvcc -fatbin -rdc=true -Xfatbin --compress-all -Xfatbin --compress-mode=$mode \
    $archs first.cu -o "$inputs/$mode.fatbin"
done
nvcc -fatbin -rdc=true -lineinfo -gencode arch=compute_80,code=[sm_80,compute_80] \
  first.cu -o "$inputs/identifier.fatbin"


# What nvcc -dlink makes: linked images, uncompressed.
nvcc -dc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_100a,code=sm_100a \
  -gencode arch=compute_120f,code=sm_120f first.cu -o linked.o
linked=
for arch in 80 100a 120f; do
  nvlink -arch=sm_$arch linked.o -o linked.$arch.cubin
  nvlink -g -arch=sm_$arch linked.o -o debug.$arch.cubin
  linked="$linked --image3=kind=elf,sm=$arch,file=linked.$arch.cubin"
  debug="$debug --image3=kind=elf,sm=$arch,file=debug.$arch.cubin"
done
fatbinary -64 -link --compress-mode=none $linked --create="$inputs/linked.fatbin"
fatbinary -64 -g -link --compress-mode=none $debug --create="$inputs/linked-debug.fatbin"

# Host objects: two relocatable ones, both in one, and a whole program.
nvcc -dc -arch=sm_90 first.cu -o "$inputs/first.o"
nvcc -dc -arch=sm_90 second.cu -o second.o
ld -r "$inputs/first.o" second.o -o "$inputs/both.o"
nvcc -c -arch=sm_90 first.cu -o "$inputs/whole.o"

# Archives with a text, a member of odd size, a long name and a nested archive.
printf 'a text\n' >read.me
printf '\177ELF' >short.o
printf '12345' >a_name_of_more_than_15_characters.o
ar rcS nested.a read.me short.o
members="read.me short.o a_name_of_more_than_15_characters.o nested.a"
ar rcS "$inputs/gnu.a" $members
llvm-ar-19 --format=bsd rcS "$inputs/bsd.a" $members
mkdir sub
mv short.o a_name_of_more_than_15_characters.o sub
ar rcST thin.a sub/a_name_of_more_than_15_characters.o sub/short.o read.me
# GNU ar takes a nested archive apart, and names members by their offset in it.
ar qcST thin.a nested.a
cp thin.a "$inputs"
