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

/// Whether nvlink schedules this section's code again in a final link.
bool isScheduledAgain(const CubinFile &file, unsigned section);

/// Whether two instructions are the same but for their scheduling.
bool differInSchedule(llvm::ArrayRef<uint8_t> a, llvm::ArrayRef<uint8_t> b);

/// "scheduling of 2 of 4 instructions differs"
std::string scheduleText(size_t changed, size_t instructions);

/// The bytes of `other`, with the scheduling of `file` in those kernels that
/// nvlink schedules again in a final link (sections are paired by index).
/// `kernels` gets the ones where that made a difference.
std::vector<uint8_t> withScheduleOf(const CubinFile &file,
                                    const CubinFile &other,
                                    std::vector<RescheduledKernel> &kernels);

} // namespace lld::cuda

#endif
