//===- Schedule.h - Scheduling fields of instructions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_SCHEDULE_H
#define LLD_CUDA_CUBIN_DIFF_SCHEDULE_H

#include "lld-cuda/Object/Cubin.h"
#include <string>
#include <vector>

namespace lld::cuda {

/// A kernel whose scheduling differs between two files.
struct RescheduledKernel {
  std::string section;
  size_t changed;      ///< Instructions with other scheduling fields.
  size_t instructions; ///< All of them.
};

/// The bytes of `other`, with the scheduling of `file` in those kernels that
/// nvlink schedules again in a final link (sections are paired by index).
/// `kernels` gets the ones where that made a difference.
std::vector<uint8_t> withScheduleOf(const CubinFile &file,
                                    const CubinFile &other,
                                    std::vector<RescheduledKernel> &kernels);

} // namespace lld::cuda

#endif
