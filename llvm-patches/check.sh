#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks one of the two series of patches: fetches LLVM's source of the version it
# is for, applies it with git am, builds the tools that it touches and no others
# (partial-build/), runs its tests and LLVM's beside them, and, for 19.1.7, links a
# program with the patched clang and lld-cuda.
#
# usage: check.sh 19.1.7|23.1.1 [--linker LLD_CUDA] [--cuda DIR] [--work DIR] [--jobs N]
#                 [--each] [--clang DIR [--tools DIR]]
#
#   --linker  lld-cuda; default: $LLD_CUDA, else build/bin/lld-cuda of this
#             repository
#   --cuda    CUDA toolkit whose ptxas assembles the program's code; default:
#             the one that ptxas on PATH belongs to. Without ptxas that step is
#             left out, and the script says so.
#   --work    folder for everything that is fetched and built, 1.5 GB; what is
#             there from an earlier run is used again; default:
#             lld-cuda-llvm-patches-VERSION in ${TMPDIR:-/tmp}
#   --jobs    parallel compilations; default: number of processors
#   --each    builds after each patch of the series, too, and runs the tests that it
#             has up to there
#   --clang   for 23.1.1: where a clang 23.1 is installed with its libraries, as
#             /usr/lib/llvm-23 on a Debian that has it. The patches to clang are built
#             and tested then, instead of those to llvm
#   --tools   where the patched tools of a run without --clang are (WORK/pbuild/bin):
#             the program in the end is looked at with them; without them it's left out
#
# Needs a Debian system with git, cmake, ninja-build, python3, xz-utils and curl, and
#   19.1.7  the packages llvm-19-dev, llvm-19-tools, clang-19 of that version, and
#           package sources that have llvm-toolchain-19
#   23.1.1  what scripts/with-llvm gets for 23 and 22 (libraries; lit and other tools)
# Nothing is installed; nothing outside of the work folder is written, but for what
# with-llvm keeps.
set -euo pipefail
cd "$(dirname "$0")"
patches=$PWD
repository=$(dirname "$patches")

version=${1-}
case $version in
  19.1.7 | 23.1.1) shift ;;
  -h | --help) sed -n '3,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' check.sh; exit 0 ;;
  *) echo "check.sh: the first word is 19.1.7 or 23.1.1" >&2; exit 2 ;;
esac
major=${version%%.*}
series=$patches/$version
work=${TMPDIR:-/tmp}/lld-cuda-llvm-patches-$version
each="" clang="" tools=""
linker=${LLD_CUDA:-$repository/build/bin/lld-cuda}
cuda=
jobs=$(nproc)
while [[ $# -gt 0 ]]; do
  case $1 in
    --linker) linker=$2; shift 2 ;;
    --cuda) cuda=$2; shift 2 ;;
    --work) work=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    --each) each=yes; shift ;;
    --clang) clang=$2; shift 2 ;;
    --tools) tools=$(cd "$2" && pwd); shift 2 ;;
    *) echo "check.sh: unknown option '$1'" >&2; exit 2 ;;
  esac
done

step() { printf '\n== %s (%(%H:%M:%S)T)\n' "$1" -1; }
fail() { echo "check.sh: $*" >&2; exit 1; }
mkdir -p "$work"
work=$(cd "$work" && pwd)
tree=$work/tree
build=$work/pbuild

#--- The source -----------------------------------------------------------------

step "Source"
if [[ $major == 19 ]]; then
  llvm=/usr/lib/llvm-19
  lit=$llvm/build/utils/lit/lit.py
  [[ -x $llvm/bin/llvm-config ]] || fail "llvm-19-dev is not installed"
  [[ $("$llvm/bin/llvm-config" --version) == "$version" ]] ||
    fail "the patches are for LLVM $version; installed is $("$llvm/bin/llvm-config" --version)"
  package_version=$(dpkg-query -W -f='${Version}' llvm-19-dev)
elif [[ -n $clang ]]; then
  llvm=$clang libraries=$clang/lib/cmake/llvm lit=$tree/llvm/utils/lit/lit.py
else
  # shellcheck disable=SC2016 # set by with-llvm
  libraries=$("$repository/scripts/with-llvm" 23 bash -c 'echo "$LLVM_DIR"')
  # shellcheck disable=SC2016
  llvm=$("$repository/scripts/with-llvm" 22 bash -c 'echo "${LLVM_DIR%/lib/cmake/llvm}"')
  lit=$tree/llvm/utils/lit/lit.py
fi
export PATH=$build/bin:$llvm/bin:$PATH

# The system's package sources, with source packages, in folders of our own.
apt_options=()
prepare_apt() {
  [[ ${#apt_options[@]} -eq 0 ]] || return 0
  local apt=$work/apt file
  mkdir -p "$apt/sources.d" "$apt/lists/partial" "$apt/cache/archives/partial"
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ -e $file ]] && sed 's/^Types:.*/Types: deb deb-src/' "$file" >"$apt/sources.d/${file##*/}"
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [[ -e $file ]] && sed -n 's/^deb\(-src\)\? \(.*\)/deb \2\ndeb-src \2/p' "$file" |
      sort -u >"$apt/sources.d/from-${file##*/}"
  done
  apt_options=(-q -o Dir::Etc::sourcelist=/dev/null
    -o "Dir::Etc::sourceparts=$apt/sources.d" -o "Dir::State::lists=$apt/lists"
    -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User="$(id -un)")
  apt-get "${apt_options[@]}" update >"$work/apt.log" 2>&1 ||
    fail "apt-get update failed; see $work/apt.log"
}

fetch_19() {
  prepare_apt
  (cd "$work/source.part" &&
    apt-get "${apt_options[@]}" source --download-only \
      "llvm-toolchain-19=$package_version" >>"$work/apt.log" 2>&1) ||
    fail "cannot fetch the source package; see $work/apt.log"
}

# The source that Debian made its 23.1.1 from is in the pool of its mirrors still.
fetch_23() {
  local mirror
  # shellcheck disable=SC2016 # apt fills it in
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -m1 '/debian/$') ||
    fail "apt knows no mirror of Debian"
  (cd "$work/source.part" &&
    curl -fsSLO "${mirror}pool/main/l/llvm-toolchain-23/llvm-toolchain-23_$version.orig.tar.xz") ||
    fail "cannot fetch the source from $mirror"
}

if ! ls "$work"/source/*.orig.tar.xz >/dev/null 2>&1; then
  mkdir -p "$work/source.part"
  "fetch_$major"
  mv "$work/source.part" "$work/source"
fi
archive=$(ls "$work"/source/llvm-toolchain-"$major"_"$version".orig.tar.xz) ||
  fail "the source package is not of LLVM $version"
echo "${archive##*/}, $(stat -c %s "$archive") bytes"

if [[ $major == 19 ]]; then
  # Headers and archives of clang's libraries: from the package, unpacked, if it
  # isn't installed.
  clang_prefix=$llvm
  if [[ ! -e $llvm/lib/libclangDriver.a ]]; then
    clang_prefix=$work/clangdev$llvm
    if [[ ! -e $clang_prefix/lib/libclangDriver.a ]]; then
      prepare_apt
      (cd "$work" && apt-get "${apt_options[@]}" download \
        "libclang-19-dev=$package_version" >>"$work/apt.log" 2>&1) ||
        fail "cannot fetch libclang-19-dev; see $work/apt.log"
      dpkg-deb -x "$work"/libclang-19-dev_*.deb "$work/clangdev"
    fi
  fi
  echo "clang's libraries: $clang_prefix"
fi

#--- The series -----------------------------------------------------------------

step "git am"
quiet_git() { git -C "$tree" -c user.name=check -c user.email=check@invalid \
  -c commit.gpgsign=false -c core.autocrlf=false -c gc.auto=0 "$@"; }
folders=(cmake/Modules llvm/include llvm/lib/{Object,ObjectYAML,ObjCopy}
  llvm/tools/{llvm-readobj,obj2yaml,yaml2obj,llvm-objdump,llvm-objcopy}
  llvm/test/tools/{llvm-readobj,llvm-objdump,llvm-objcopy,obj2yaml,yaml2obj}
  llvm/docs clang/include/clang clang/lib/Driver clang/tools/{driver,clang-nvlink-wrapper}
  clang/test/Driver clang/docs)
[[ $major == 19 ]] || folders+=(llvm/cmake llvm/utils/{TableGen,FileCheck,lit} clang/test/OffloadTools)
if ! quiet_git rev-parse -q --verify base >/dev/null 2>&1; then
  rm -rf "$tree"
  mkdir -p "$tree"
  tar -xJf "$archive" -C "$tree" --strip-components=1 --wildcards "${folders[@]/#/*/}"
  git init -q "$tree"
  quiet_git add -A -f
  quiet_git commit -q -m "LLVM $version"
  quiet_git tag base
fi
read_version() { sed -n "s/.*set(LLVM_VERSION_$1 \([0-9]*\)).*/\1/p" "$tree/cmake/Modules/LLVMVersion.cmake"; }
source_version=$(read_version MAJOR).$(read_version MINOR).$(read_version PATCH)
[[ $source_version == "$version" ]] || fail "the source is of LLVM $source_version"
echo "source of LLVM $source_version, $(quiet_git ls-files | wc -l) files"
# Applied in a second tree and taken over only where something differs, so that
# a second run compiles nothing anew.
rm -rf "$work/apply"
quiet_git worktree prune
quiet_git worktree add -q --detach "$work/apply" base
git -C "$work/apply" -c user.name=check -c user.email=check@invalid \
  -c commit.gpgsign=false am -q --keep-non-patch "$series"/0*.patch || fail "git am failed"
applied=$(git -C "$work/apply" rev-parse HEAD)
quiet_git log --format='  %s' --reverse "base..$applied"
quiet_git worktree remove --force "$work/apply"
take_over() { # COMMIT
  if ! quiet_git diff --quiet HEAD "$1" || ! quiet_git diff --quiet; then
    quiet_git reset -q --hard "$1"
  else
    quiet_git update-ref HEAD "$1"
  fi
}
take_over "$applied"
# What LLVM asks of a patch.
[[ -z $(quiet_git diff --check base "$applied") ]] ||
  fail "white space: $(quiet_git diff --check base "$applied" | head -3)"

step "Names and numbers"
headers=$tree/llvm/include/llvm/BinaryFormat
python3 partial-build/compare-tables.py "$repository/include/lld-cuda/BinaryFormat" "$headers"
if [[ $major != 19 ]]; then
  python3 names.py "$headers" | diff NAMES.md - || fail "NAMES.md isn't what names.py prints"
fi

#--- Build and tests ----------------------------------------------------------

options=()
command -v ccache >/dev/null && options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
command -v ld.lld >/dev/null && options+=(-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld)
if [[ $major == 19 ]]; then
  options+=(-DLLVM_CONFIG="$llvm/bin/llvm-config" -DCLANG_PREFIX="$clang_prefix")
else
  options+=(-DLLVM_DIR="$libraries" ${clang:+-DCLANG_PREFIX="$clang"})
fi
build_tools() { # SOURCE BUILD
  # CMake refuses a build that another copy of this repository began.
  grep -qsx "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD/partial-build/$major" "$2/CMakeCache.txt" || rm -f "$2/CMakeCache.txt"
  cmake -G Ninja -S "partial-build/$major" -B "$2" -DLLVM_SOURCE="$1" "${options[@]}" \
    >"$work/cmake.log" 2>&1 || { tail -20 "$work/cmake.log"; fail "cmake failed"; }
  ninja -C "$2" -j "$jobs" >"$work/build.log" 2>&1 ||
    { grep -A5 'error' "$work/build.log" | head -40; fail "the build failed; see $work/build.log"; }
}
step "Build"
build_tools "$tree" "$build"
mkdir -p "$build/lib"
ln -sfn "$llvm/lib/clang" "$build/lib/clang" # the compiler's own headers
(cd "$build/bin" && ls -d -- *) | tr '\n' ' '; echo

# lit takes the configuration from the folders above a test; the tree hasn't
# LLVM's own.
for suite in llvm clang; do
  ln -sfn "$patches/partial-build/lit.cfg.py" "$tree/$suite/test/lit.cfg.py"
  echo "/$suite/test/lit.cfg.py"
done >"$tree/.git/info/exclude"
run_lit() { # TOOLS ARGS...: TOOLS is where bin/ with the tools to be tested is
  local tools=$1
  shift
  mkdir -p "$tools/test"
  python3 "$lit" -j "$jobs" \
    --param build="$tools" --param llvm="$llvm/bin" "$@" 2>&1 | { grep -v ': note: using' || true; }
}
# The tests that the series adds or changes, those of the tools that are built.
tests_of() { # COMMIT
  local suites=(llvm/test)
  [[ $major != 19 ]] || suites+=(clang/test)
  [[ -z $clang ]] || suites=(clang/test)
  quiet_git diff --name-only --diff-filter=AM base "$1" -- "${suites[@]}" |
    grep -v 'lit.local.cfg$' | sed "s|^|$tree/|"
}

step "Tests of the series"
mapfile -t tests < <(tests_of "$applied")
run_lit "$build" -v "${tests[@]}"

# Each must fail without the patches, or it shows nothing. For 19.1.7 and for clang
# the installed programs are those; for the tools of 23.1.1 they are built.
without=$work/installed
if [[ $major != 19 && -z $clang ]]; then
  step "Build without the patches"
  without=$work/pbuild-base
  quiet_git worktree prune
  [[ -d $work/tree-base ]] || quiet_git worktree add -q --detach "$work/tree-base" base
  build_tools "$work/tree-base" "$without"
fi
step "The same without the patches: all must fail"
run_lit "$without" "${tests[@]}" >"$work/without.log" 2>&1 || true
failed=$(grep -c '^FAIL:' "$work/without.log" || true)
echo "$failed of ${#tests[@]} fail"
[[ $failed -eq ${#tests[@]} ]] ||
  fail "a test passes without the patches; see $work/without.log"

# Neighbours: LLVM's tests of the same tools.
step "LLVM's tests beside them: none may fail"
neighbours=()
[[ -n $clang ]] || for folder in llvm/test/tools/{llvm-readobj,llvm-objdump,llvm-objcopy}/ELF \
  llvm/test/tools/{obj2yaml,yaml2obj}/ELF; do
  neighbours+=("$tree/$folder")
done
if [[ $major == 19 || -n $clang ]]; then
  for test in "$tree"/clang/test/Driver/{cuda-*.cu,cuda-cross-compiling.c,nvlink-wrapper.c,linker-wrapper.c,openmp-offload*.c,fuse-ld.c} \
    "$tree"/clang/test/OffloadTools/clang-{linker,nvlink}-wrapper; do
    [[ -e $test ]] && neighbours+=("$test")
  done
fi
run_lit "$build" -v "${neighbours[@]}" >"$work/neighbours.log" 2>&1 || true
sed -n '/^Total Discovered/,$p' "$work/neighbours.log"
if grep '^\(FAIL\|UNRESOLVED\|TIMEOUT\):' "$work/neighbours.log"; then
  fail "a test fails; see $work/neighbours.log"
fi
grep -q '^  Passed' "$work/neighbours.log" || fail "no test passed; see $work/neighbours.log"

if [[ -n $each ]]; then
  step "After each patch"
  for commit in $(quiet_git rev-list --reverse "base..$applied"); do
    take_over "$commit"
    build_tools "$tree" "$build"
    mapfile -t tests < <(tests_of "$commit")
    run_lit "$build" "${tests[@]}" >"$work/each.log" 2>&1 || true
    ! grep -q '^\(FAIL\|UNRESOLVED\):' "$work/each.log" || fail "tests fail; see $work/each.log"
    printf '  %2d tests  %s\n' "${#tests[@]}" "$(quiet_git log -1 --format=%s "$commit")"
  done
fi

if [[ $major != 19 && ( -z $clang || -z $tools ) ]]; then
  [[ -n $clang ]] || echo "The patches to clang apply; --clang builds and tests them."
  step "Passed"
  exit 0
fi
if [[ -n $clang ]]; then
  mkdir -p "$work/together"
  ln -sfn "$tools"/* "$build"/bin/* "$work/together"
  ln -sfn clang "$work/together/clang++"
  export PATH=$work/together:$PATH LLVM_BIN=$llvm/bin
fi

#--- A program ----------------------------------------------------------------

step "clang --target=nvptx64-nvidia-cuda -fuse-ld=cuda"
if [[ ! -x $linker ]]; then
  fail "no lld-cuda: '$linker'; build it (scripts/build) or give --linker"
fi
if [[ -z $cuda ]]; then
  ptxas=$(command -v ptxas || true)
  [[ -z $ptxas ]] || cuda=$(dirname "$(dirname "$(readlink -f "$ptxas")")")
fi
if [[ -z $cuda || ! -x $cuda/bin/ptxas ]]; then
  echo "LEFT OUT: there is no ptxas (on PATH or by --cuda)"
  exit 0
fi
CUDA=$cuda LINKER=$linker WORK=$work/program partial-build/link-program.sh
step "Passed"
