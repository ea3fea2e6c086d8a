//===- Schedule.h - Scheduling fields of instructions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides the verdict SCHEDULING: code differs in nothing but waits and
/// stalls, which nvlink may choose anew. Compare.cpp and Meaning.cpp ask when
/// the code of two files isn't the same.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_SCHEDULE_H
#define LLD_CUDA_CUBIN_DIFF_SCHEDULE_H

#include "lld-cuda/Object/Cubin.h"
#include <string>
#include <vector>

namespace lld::cuda {

/// A function whose scheduling differs between two files.
struct ScheduleDifference {
  std::string section;
  size_t changed;      ///< Instructions with other scheduling fields.
  size_t instructions; ///< All of them.
};

/// Whether nvlink may schedule this section's code again.
bool mayBeScheduledAgain(const CubinFile &file, unsigned section);

/// Whether two instructions are the same but for their scheduling.
bool differInSchedule(llvm::ArrayRef<uint8_t> a, llvm::ArrayRef<uint8_t> b);

/// "scheduling of 2 of 4 instructions differs"
std::string scheduleText(size_t changed, size_t instructions);

/// The bytes of `other`, with the scheduling of `file` in the code that nvlink
/// may schedule again (sections are paired by index). `functions` gets the ones
/// where that made a difference.
std::vector<uint8_t> withScheduleOf(const CubinFile &file,
                                    const CubinFile &other,
                                    std::vector<ScheduleDifference> &functions);

} // namespace lld::cuda

#endif
