#!/bin/sh
# An nvlink that links nothing.
if [ "$1" = --version ]; then
  echo "nvlink: NVIDIA (R) Cuda linker"
  echo "Cuda compilation tools, release 13.0, VRELEASE"
else
  echo "installed nvlink: $*"
  exit 3
fi
