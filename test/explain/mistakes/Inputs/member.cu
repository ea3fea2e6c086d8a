struct Scaler {
  float factor;
  __device__ float apply(float x);
};
__global__ void kernel(Scaler *s) { s->factor = s->apply(2); }
