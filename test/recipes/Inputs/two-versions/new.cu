__device__ int state = 2;
__device__ __noinline__ int helper(int x) { return x * state; }
__device__ int new_solve(int x) { return helper(x); }
__device__ int solve(int x) { return 20 * helper(x); }
