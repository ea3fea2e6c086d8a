#!/bin/sh
# NVIDIA's fatbinary of CUDA 13, which clang 19 calls as it calls that of CUDA 12.
for word in "$@"; do
  shift
  case $word in
  --image=profile=sm_*) word=${word#*=profile=sm_} word=--image3=kind=elf,sm=${word%%,*},${word#*,} ;;
  --image=profile=compute_*) word=${word#*=profile=compute_} word=--image3=kind=ptx,sm=${word%%,*},${word#*,} ;;
  esac
  set -- "$@" "$word"
done
exec "${0%/*}/fatbinary-installed" "$@"
