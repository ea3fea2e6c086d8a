__device__ int sides = 4;
__device__ int perimeter(int length) { return sides * length; }
