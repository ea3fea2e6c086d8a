//===- Interface.h - Types of libnvJitLink's functions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The types of the functions that NVIDIA documents for libnvJitLink.
/// Exports.cpp defines the functions for programs that load this library;
/// Compilers.cpp looks up the same functions in NVIDIA's library. Programs are
/// built with the header of their toolkit, whose types have the same layout.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_INTERFACE_H
#define LLD_CUDA_BINDINGS_NVJITLINK_INTERFACE_H

#include <cstddef>
#include <cstdint>

namespace lld::cuda::nvjitlink {

/// A result, with the numbers of CUDA 13; see codeOf().
enum class Result : int {
#define RESULT(NAME, CODE_13, CODE_12, WORD) NAME = CODE_13,
#include "Results.def"
};

/// Returns the number that a program gets for a result: that in the header of
/// this library's major release.
int codeOf(Result result);

/// The kind of an input, with the numbers of NVIDIA's NVJITLINK_INPUT_*.
enum class InputType : int {
  Cubin = 1,
  Ptx = 2,
  LtoIR = 3,
  Fatbin = 4,
  Object = 5,
  Library = 6,
  Index = 7,
  Any = 10
};

/// Never a valid address: see Handles.h.
using Handle = void *;

/// Types of the functions, be it this library's or NVIDIA's.
using CreateFn = int(Handle *handle, uint32_t count, const char **options);
using DestroyFn = int(Handle *handle);
using AddDataFn = int(Handle handle, int type, const void *data, size_t size,
                      const char *name);
using AddFileFn = int(Handle handle, int type, const char *path);
using CompleteFn = int(Handle handle);
using SizeFn = int(Handle handle, size_t *size);
using ContentFn = int(Handle handle, void *content);
using TextFn = int(Handle handle, char *text);
using VersionFn = int(unsigned *major, unsigned *minor);

/// The major release of CUDA whose library this is: 12 or 13. Major.cpp is
/// compiled once for each.
extern const unsigned Major;
/// The release whose rules this library links by: "13.5.37".
extern const char *const Release;
/// The minor release that nvJitLinkVersion() returns.
extern const unsigned Minor;

} // namespace lld::cuda::nvjitlink

#endif
