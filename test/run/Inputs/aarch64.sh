# aarch64.sh HOOK DIR: says what programs for aarch64 start in place of nvlink with the hook in them, by each function of the C
# library. They run under qemu; what they start is this machine's, which can't load that hook, and says so on standard error.
set -e
mkdir -p "$2/state"
cd "$2"
printf '#!/bin/sh\necho "in its place: $*"\n' >linker
printf '#!/bin/sh\necho "installed: $*"\n' >nvlink
chmod +x linker nvlink
export PATH="$2:$PATH"
for function in execv execve execl execle fexecve execveat posix_spawn execvp execvpe execlp posix_spawnp; do
  case $function in
    *p | execvpe) program=nvlink ;;
    *) program=$2/nvlink ;;
  esac
  echo "$function: $(qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_PRELOAD="$1" -E LLDCUDA_RUN_PROGRAM="$2/linker" \
    -E LLDCUDA_RUN_STATE="$2/state" -E LLDCUDA_RUN_NAMES=nvlink -E LLDCUDA_RUN_HOOK="$1" \
    ./starts $function "$program" -arch=sm_90 a.o 2>errors || cat errors)"
done
