//===- Results.cpp - Numbers and names of results -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Translates between the results of this stand-in for NVIDIA's libnvJitLink
/// and their numbers. Exports.cpp calls codeOf() at the end of each exported
/// function, for the number that a program gets; Nvidia.cpp calls resultOf()
/// for each answer of NVIDIA's library. nameOf() and nameOfType() give the
/// names of results and types of inputs, for lines of the log. The libraries of
/// CUDA 12 and 13 differ: what CUDA 12 has no number for becomes one that says
/// less, so a null pointer is 10 (NULL_INPUT) for a program of CUDA 13 and 3
/// (INVALID_INPUT) for one of CUDA 12.
///
//===----------------------------------------------------------------------===//

#include "Results.h"

namespace lld::cuda::nvjitlink {

namespace {
struct ResultRow {
  Result result;
  int code12;
  const char *word;
};
} // namespace

static constexpr ResultRow ResultRows[] = {
#define RESULT(NAME, CODE_13, CODE_12, WORD) {Result::NAME, CODE_12, WORD},
#include "Results.def"
};

int codeOf(Result result) {
  if (Major == 12)
    for (const ResultRow &row : ResultRows)
      if (row.result == result)
        return row.code12;
  return static_cast<int>(result);
}

Result resultOf(int code) {
  for (const ResultRow &row : ResultRows)
    if (static_cast<int>(row.result) == code)
      return row.result;
  return Result::Internal;
}

std::string nameOf(Result result) {
  for (const ResultRow &row : ResultRows)
    if (row.result == result)
      return std::string("NVJITLINK_ERROR_") + row.word;
  return "NVJITLINK_ERROR_INTERNAL";
}

std::string nameOfType(int type) {
  switch (static_cast<InputType>(type)) {
  case InputType::Cubin:
    return "CUBIN";
  case InputType::Ptx:
    return "PTX";
  case InputType::LtoIR:
    return "LTOIR";
  case InputType::Fatbin:
    return "FATBIN";
  case InputType::Object:
    return "OBJECT";
  case InputType::Library:
    return "LIBRARY";
  case InputType::Index:
    return "INDEX";
  case InputType::Any:
    return "ANY";
  }
  return "";
}

} // namespace lld::cuda::nvjitlink
