#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Links small programs with the patched clang and lld-cuda, and looks at the
# results with the patched tools. NVIDIA's nvlink isn't needed; if there is one,
# the results are compared with what clang does without -fuse-ld=cuda.
#
# Environment: CUDA (toolkit with bin/ptxas), LINKER (lld-cuda), WORK (folder),
# LLVM_BIN (the unpatched programs of that LLVM; default: those of Debian's 19);
# PATH has the patched tools first.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$WORK"
mkdir -p "$WORK/bin"
cd "$WORK"
ln -s "$(readlink -f "$LINKER")" bin/ld.cuda
ln -s "$(readlink -f "$LINKER")" bin/lld-cuda

cat >kernel.c <<'C'
int scale(int);
extern int offset;
[[clang::nvptx_kernel]] void kernel(int *p) { p[0] = scale(p[1]) + offset; }
C
cat >scale.c <<'C'
int offset = 5;
int scale(int x) { return x * 3 + offset; }
C
cat >unused.c <<'C'
int unused(int x) { return x - 1; }
C

checks=0
ok() { echo "ok: $*"; checks=$((checks + 1)); }
fail() { echo "link-program.sh: $*" >&2; exit 1; }
flags=(--target=nvptx64-nvidia-cuda -O2 -std=c23 -Wno-unknown-cuda-version --cuda-path="$CUDA")

# The name, type, space and section of each symbol, and what the code needs.
symbols() { llvm-readelf -s --wide "$1" | awk '$8 != "" { print $4, $5, $6, $NF }' | sort; }
code_sizes() { llvm-readelf -S --wide "$1" | sed -n 's/.* \(\.text\.[^ ]*\) *PROGBITS *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1 \2/p' | sort; }

# The patched tools on real files.
check_tools() {
  local file
  for file in "$@"; do
    ! llvm-objdump -d $file >dump 2>&1 || fail "llvm-objdump has a disassembler now?"
    grep -q 'nvptx64' dump || fail "llvm-objdump: $(head -1 dump)"
    cp $file copy
    ! llvm-strip copy 2>err || fail "llvm-strip took $file"
    cmp -s $file copy || fail "llvm-strip changed $file"
    # Not linked files: their segments lie behind the section table.
    if [[ $file == *.o ]]; then
      obj2yaml $file >file.yaml 2>warnings
      yaml2obj file.yaml -o again
      same "$file: header" header
      same "$file: symbols" symbols
      same "$file: relocations" relocations
    fi
    llvm-readelf -h -S -r -s $file >names
    ! grep -n 'Unknown\|LOPROC\|<unknown>\|<other' names || fail "$file: something without a name"
  done
}
header() { llvm-readelf -h "$1" | grep -E 'OS/ABI|ABI Version|Flags'; }
relocations() { llvm-readelf -r "$1" | awk '/R_(CUDA|MERCURY)_/ { print $1, $3, $NF }'; }
same() { # after obj2yaml and yaml2obj
  cmp -s <($2 $file) <($2 again) || { diff <($2 $file) <($2 again) | head; fail "$1 after obj2yaml and yaml2obj"; }
}

for arch in sm_75 sm_90; do
  for source in kernel scale unused; do
    clang "${flags[@]}" -march=$arch -c $source.c -o $source.$arch.o
  done

  clang "${flags[@]}" -march=$arch -B bin -fuse-ld=cuda kernel.$arch.o scale.$arch.o -o $arch.cubin
  grep -q "Flags: .*, $arch\(, sass, cuinfo .*\)\?\$" <<<"$(llvm-readelf -h $arch.cubin)" ||
    fail "$arch: e_flags of the linked file"
  grep -q 'FUNC GLOBAL DEFAULT kernel' <<<"$(symbols $arch.cubin)" || fail "$arch: no kernel"
  grep -q 'offset' <<<"$(symbols $arch.cubin)" || fail "$arch: no variable"
  ok "$arch: two objects"

  rm -f lib.a
  llvm-ar rc lib.a scale.$arch.o unused.$arch.o
  clang "${flags[@]}" -march=$arch -B bin -fuse-ld=cuda kernel.$arch.o lib.a -o $arch.archive.cubin
  grep -q scale <<<"$(symbols $arch.archive.cubin)" || fail "$arch: no function from the archive"
  ! grep -q unused <<<"$(symbols $arch.archive.cubin)" || fail "$arch: unused member"
  ok "$arch: an archive"

  clang "${flags[@]}" -march=$arch -B bin -fuse-ld=cuda kernel.c scale.c -o $arch.once.cubin
  cmp -s <(code_sizes $arch.cubin) <(code_sizes $arch.once.cubin) || fail "$arch: compiled and linked at once"
  ok "$arch: compiled and linked at once"

  # Undefined symbols are the linker's error, and clang's exit status.
  if clang "${flags[@]}" -march=$arch -B bin -fuse-ld=cuda kernel.$arch.o -o bad.cubin 2>err; then
    fail "$arch: a link with undefined symbols succeeded"
  fi
  grep -q scale err || fail "$arch: the error doesn't name the undefined function"
  ok "$arch: undefined symbol"

  # The wrapper with our program in nvlink's place.
  clang "${flags[@]}" -march=$arch -Wl,--linker="$WORK/bin/lld-cuda" kernel.$arch.o scale.$arch.o -o $arch.wrapper.cubin
  cmp -s <(code_sizes $arch.cubin) <(code_sizes $arch.wrapper.cubin) || fail "$arch: --linker="
  ok "$arch: the wrapper's --linker="

  # The same with bitcode, which the wrapper compiles.
  clang "${flags[@]}" -march=$arch -flto -c kernel.c -o kernel.bc.o
  clang "${flags[@]}" -march=$arch -flto -Wl,--linker="$WORK/bin/lld-cuda" kernel.bc.o scale.$arch.o -o $arch.lto.cubin
  grep -q 'FUNC GLOBAL DEFAULT kernel' <<<"$(symbols $arch.lto.cubin)" || fail "$arch: bitcode through the wrapper"
  ok "$arch: bitcode through the wrapper"

  # Bitcode without the wrapper, where the linker has its program for that.
  if [[ -x $(dirname "$(readlink -f bin/ld.cuda)")/lld-cuda-lto ]]; then
    clang "${flags[@]}" -march=$arch -B bin -fuse-ld=cuda -flto kernel.bc.o scale.$arch.o -o $arch.own-lto.cubin
    grep -q 'FUNC GLOBAL DEFAULT kernel' <<<"$(symbols $arch.own-lto.cubin)" || fail "$arch: bitcode"
    ok "$arch: bitcode"
  fi

  if [[ -x $CUDA/bin/nvlink ]]; then
    clang "${flags[@]}" -march=$arch kernel.$arch.o scale.$arch.o -o $arch.nvlink.cubin
    cmp -s <(symbols $arch.cubin; code_sizes $arch.cubin) \
           <(symbols $arch.nvlink.cubin; code_sizes $arch.nvlink.cubin) ||
      fail "$arch: symbols or sizes differ from nvlink's"
    ok "$arch: symbols and code sizes as with nvlink"
  fi

  check_tools kernel.$arch.o scale.$arch.o $arch.cubin
  ok "$arch: llvm-objdump, llvm-strip, obj2yaml, yaml2obj, llvm-readelf"
done

# clang 19 doesn't know later processors, but ptxas takes code for sm_90 there.
clang "${flags[@]}" -march=sm_90 -S kernel.c -o kernel.s
clang "${flags[@]}" -march=sm_90 -S scale.c -o scale.s
for arch in sm_100 sm_120; do
  for source in kernel scale; do
    "$CUDA/bin/ptxas" -arch=$arch -c $source.s -o $source.$arch.o
  done
  bin/ld.cuda -arch=$arch kernel.$arch.o scale.$arch.o -o $arch.cubin
  grep -q "Flags: .*, $arch\(, mercury, cuinfo .*\)\?\$" <<<"$(llvm-readelf -h $arch.cubin)" || fail "$arch: e_flags"
  check_tools kernel.$arch.o scale.$arch.o $arch.cubin
  ok "$arch: llvm-objdump, llvm-strip, obj2yaml, yaml2obj, llvm-readelf"
done
# A CUDA program with the new driver. The linker wrapper runs the clang beside
# itself, so it is copied; what clang 19 misses in CUDA 13 comes from
# lld-cuda-toolkit.
installed=${LLVM_BIN:-/usr/lib/llvm-19/bin}
mkdir -p driver/bin driver/lib
cp "$(readlink -f "$(command -v clang)")" "$installed/clang-linker-wrapper" driver/bin/
ln -s clang driver/bin/clang++
# What goes to the clang that the wrapper runs, and not to the linker: since 20.
option=-Xoffload-compiler-nvptx64-nvidia-cuda
[[ $installed != *-19/bin ]] || option=-Xoffload-linker-nvptx64-nvidia-cuda
for packager in clang-offload-packager llvm-offload-binary; do # its name until 21, and since
  [[ ! -e $installed/$packager ]] || ln -s "$installed/$packager" driver/bin/
done
ln -s "$installed/../lib/clang" driver/lib/
sh "$repository/tools/lld-cuda-toolkit/lld-cuda-toolkit" --clang --cuda-path="$CUDA" \
  --linker="$WORK/bin/ld.cuda" toolkit >/dev/null
rm -f toolkit/bin/nvlink # is ours there
cat >main.cu <<'C'
extern __device__ int scale(int);
__global__ void kernel(int *p) { p[0] = scale(p[1]); }
int main() { kernel<<<1, 1>>>(nullptr); }
C
cat >scale.cu <<'C'
__device__ int offset = 5;
__device__ int scale(int x) { return x * 3 + offset; }
C
driver/bin/clang++ -x cuda --offload-new-driver -fgpu-rdc --cuda-gpu-arch=sm_90 --cuda-path=toolkit \
  -Wno-unknown-cuda-version -B bin "$option" -fuse-ld=cuda -v \
  main.cu scale.cu -L"$CUDA/lib64" -lcudart -o program >log 2>&1 || { tail -3 log; fail "CUDA program"; }
grep -q '/ld.cuda" -o' log || fail "CUDA program: ld.cuda wasn't run"
! grep -q 'clang-nvlink-wrapper"' log || fail "CUDA program: the wrapper was run"
[[ -x program ]] || fail "CUDA program"
ok "a CUDA program with the new driver"
echo "$checks checks"
