# tile.sh TOOLKIT NVLINK ARCH: the link of main.cu and solver.cu by both linkers has the same bytes.
set -e
"$1/bin/nvcc" --enable-tile -rdc=true "-arch=$3" -dc main.cu solver.cu
"$1/bin/nvlink" "-arch=$3" main.o solver.o -o theirs.cubin
"$2" --nvlink-release=13.5.37 --nvlink-compat "-arch=$3" main.o solver.o -o ours.cubin
cmp theirs.cubin ours.cubin
