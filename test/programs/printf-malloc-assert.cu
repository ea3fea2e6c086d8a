// What the driver provides: printf, the heap, assert.
// RUN: rm -rf %t && split-file %s %t
// RUN: %build-program %t -arch=sm_86 %t/main.cu %t/list.cu
// RUN: %if gpu %{ %t/ours/program | FileCheck %s %}
// CHECK: sum 6 of 3

//--- list.cu
#include <cassert>
struct Node {
  int value;
  Node *next;
};
__device__ Node *push(Node *head, int value) {
  Node *node = (Node *)malloc(sizeof(Node));
  assert(node && "out of memory");
  *node = {value, head};
  return node;
}
__device__ int sum(Node *head, int *count) {
  int sum = 0;
  while (head) {
    Node *next = head->next;
    sum += head->value;
    ++*count;
    delete head;
    head = next;
  }
  assert(*count > 0);
  return sum;
}

//--- main.cu
#include <cstdio>
struct Node;
__device__ Node *push(Node *head, int value);
__device__ int sum(Node *head, int *count);
__global__ void run() {
  Node *head = nullptr;
  for (int i = 1; i < 4; ++i)
    head = push(head, i);
  int count = 0;
  int total = sum(head, &count);
  printf("sum %d of %d\n", total, count);
}
int main() {
  run<<<1, 1>>>();
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
