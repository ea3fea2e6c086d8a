#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds and runs libFuzzer targets, with AddressSanitizer and UBSan.
#
#   scripts/fuzz.sh --list             the targets; builds them (status 2: can't, tools are missing)
#   scripts/fuzz.sh TARGET [SECONDS]   run one (default: 60 s)
#   scripts/fuzz.sh --built TARGET [SECONDS]   the same, which is built already: several may run at once
#
# The inputs of the tests are the seeds, those of fuzz/corpus/TARGET, past
# findings among them, and those that fuzz/make-seeds makes of both. What a target finds stays in
# $FUZZ_BUILD_DIR/findings/TARGET, new inputs in $FUZZ_BUILD_DIR/corpus/TARGET.
# With 0 SECONDS the seeds are run and nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${FUZZ_BUILD_DIR:-build-fuzz}
isBuilt=
if [[ ${1-} == --built ]]; then
  isBuilt=1
  shift
fi

clang=$(command -v clang-19 || command -v clang) || {
  echo "fuzz: clang is missing. On Debian: apt-get install clang-19 libclang-rt-19-dev" >&2
  exit 2
}
if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char *, long) { return 0; }' |
  "${clang/clang/clang++}" -x c++ -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null; then
  echo "fuzz: clang's runtime is missing. On Debian: apt-get install libclang-rt-19-dev" >&2
  exit 2
fi

[[ -n $isBuilt ]] || BUILD_DIR=$build CMAKE_ARGS="${CMAKE_ARGS-} -DCMAKE_C_COMPILER=$clang -DCMAKE_CXX_COMPILER=${clang/clang/clang++}
  -DLLDCUDA_INCLUDE_FUZZERS=ON -DLLDCUDA_SANITIZE=address,undefined" \
  scripts/build fuzzers >&2

if [[ ${1-} == --list ]]; then
  (cd "$build/fuzz" && find . -maxdepth 1 -type f -perm -u+x -printf '%f\n' | sort)
  exit
fi

target=${1:?usage: fuzz.sh --list | TARGET [SECONDS]} seconds=${2:-60}
mkdir -p "$build/corpus/$target" "$build/findings/$target"
rm -rf "$build/seeds/$target"
fuzz/make-seeds "$target" "$build/seeds/$target"
seeds=("$build/seeds/$target")
# What isn't a file of a link has seeds of its own.
own=$(sed -n '/^OWN_SEEDS/,/}/p' fuzz/pack-seeds)
[[ $own == *"\"$target\""* ]] || seeds+=(test/corpus/Inputs unittests/Inputs)
[[ -d fuzz/corpus/$target ]] && seeds+=("fuzz/corpus/$target")
limits=(-max_total_time="$seconds")
[[ $seconds == 0 ]] && limits=(-runs=0)
exec "$build/fuzz/$target" "${limits[@]}" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
  -dict=fuzz/cubin.dict -print_final_stats=0 -verbosity=1 \
  -artifact_prefix="$build/findings/$target/" \
  "$build/corpus/$target" "${seeds[@]}" </dev/null
