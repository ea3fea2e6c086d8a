#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the fuzz targets as OSS-Fuzz wants it: with the compilers CC and CXX and their flags CFLAGS and CXXFLAGS, which
# say the sanitizers, to LIB_FUZZING_ENGINE; targets, dictionary and zipped seeds go to OUT. WORK is a folder for the build.
# LLVM 19, zlib, LZ4 and Zstandard are the system's (scripts/install-deps).
set -euo pipefail
cd "$(dirname "$0")/.."
: "${CC:?}" "${CXX:?}" "${OUT:?}" "${WORK:?}" "${LIB_FUZZING_ENGINE:?}"

# LLVM's packages use the C++ library of GCC; what is linked to them has to.
export CXXFLAGS=${CXXFLAGS-}
CXXFLAGS=${CXXFLAGS//-stdlib=libc++/}

cmake -G Ninja -S . -B "$WORK/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
  -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DLLDCUDA_STATIC=OFF -DLLDCUDA_INCLUDE_TESTS=OFF \
  -DLLDCUDA_INCLUDE_FUZZERS=ON -DLLDCUDA_FUZZING_ENGINE="$LIB_FUZZING_ENGINE"
cmake --build "$WORK/build" --target fuzzers

mkdir -p "$OUT"
for target in "$WORK"/build/fuzz/*Fuzzer; do
  name=$(basename "$target")
  cp "$target" "$OUT/"
  cp fuzz/cubin.dict "$OUT/$name.dict"
  printf '[libfuzzer]\nmax_len = 65536\ntimeout = 10\n' >"$OUT/$name.options"
done
fuzz/pack-seeds "$OUT"
