// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module of Python that launches a kernel, which calls a function of another file.
#include <Python.h>
__device__ int twice(int i);
__global__ void kernel(int *p) { *p = twice(*p); }
static PyObject *launch(PyObject *, PyObject *) {
  kernel<<<1, 1>>>(nullptr);
  return PyUnicode_FromString(cudaGetErrorString(cudaGetLastError()));
}
static PyMethodDef methods[] = {{"launch", launch, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "extension", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_extension() { return PyModule_Create(&module); }
