//===- Schedule.h - Code that differs in scheduling only --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The test for the verdict SCHEDULING: code differs only in the scheduling
/// fields of instructions (waits and stalls), which nvlink may choose anew.
/// Compare.cpp and Meaning.cpp call it when the code of two cubins isn't equal.
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
  size_t changed;      ///< Instructions whose scheduling fields differ.
  size_t instructions; ///< Number of all instructions.
};

/// Returns whether nvlink may schedule this section's code again.
bool mayBeScheduledAgain(const CubinFile &file, unsigned section);

/// Returns whether two instructions are equal except for their scheduling
/// fields.
bool differInSchedule(llvm::ArrayRef<uint8_t> a, llvm::ArrayRef<uint8_t> b);

/// Returns a text such as "scheduling of 2 of 4 instructions differs".
std::string scheduleText(size_t changed, size_t instructions);

/// Returns the bytes of `other` with the scheduling fields of `file` in the
/// code that nvlink may schedule again. Sections are paired by index. Adds to
/// `functions` those in which this changed something.
std::vector<uint8_t> withScheduleOf(const CubinFile &file,
                                    const CubinFile &other,
                                    std::vector<ScheduleDifference> &functions);

} // namespace lld::cuda

#endif
