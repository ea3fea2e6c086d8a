struct Shape {
  __device__ virtual float area() const;
};

__global__ void kernel(float *p, int n) {
  Shape shape;
  Shape *other = n ? &shape : (Shape *)p;
  p[0] = other->area();
}
