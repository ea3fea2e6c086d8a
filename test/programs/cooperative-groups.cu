// Cooperative groups: tiles, a grid-wide barrier, a cluster.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_90 %t/main.cu %t/sum.cu
// RUN: %if gpu %{ %t/ours/program %}

//--- sum.cu
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__device__ int tile_sum(int x) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  return cg::reduce(tile, x, cg::plus<int>());
}
__global__ void __cluster_dims__(2, 1, 1) over_cluster(int *out) {
  __shared__ int value;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    value = 10 + cluster.block_rank();
  cluster.sync();
  int *remote = cluster.map_shared_rank(&value, cluster.block_rank() ^ 1);
  if (threadIdx.x == 0)
    out[blockIdx.x] = *remote;
  cluster.sync();
}

//--- main.cu
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int tile_sum(int x);
__global__ void over_cluster(int *out);
__global__ void over_grid(int *out) {
  cg::grid_group grid = cg::this_grid();
  int sum = tile_sum(threadIdx.x);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
  grid.sync();
  if (grid.thread_rank() == 0)
    out[2] = out[0] + out[1];
}
int main() {
  int *out;
  cudaMallocManaged(&out, 8 * sizeof(int));
  void *arguments[] = {&out};
  cudaLaunchCooperativeKernel((void *)over_grid, dim3(2), dim3(32), arguments);
  int *second = out + 4;
  over_cluster<<<2, 32>>>(second);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  return out[2] == 2 * 496 && out[4] == 11 && out[5] == 10 ? 0 : 2;
}
