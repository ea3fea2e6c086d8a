struct Node {
  Node *left, *right;
  float value;
};

__device__ __noinline__ float walk(Node *node) {
  if (!node)
    return 0;
  return walk(node->left) + walk(node->right) + node->value;
}

__global__ void kernel(Node *root, float *p) {
  p[0] = walk(root);
}
