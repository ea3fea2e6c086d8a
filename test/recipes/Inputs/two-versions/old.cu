__device__ int state = 1;
__device__ __noinline__ int helper(int x) { return x + state; }
__device__ int old_solve(int x) { return helper(x); }
__device__ int solve(int x) { return 10 * helper(x); }
