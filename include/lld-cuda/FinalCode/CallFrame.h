//===- CallFrame.h - Instructions of call frames ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The call frame instructions of an FDE of .debug_frame, as DWARF 3 has them,
/// in the 64-bit format:
///
///   u32  ~0
///   u64  length of what follows
///   u64  the CIE's offset
///   u64  address of the function, relocated
///   u64  its size
///   call frame instructions, and DW_CFA_nop up to a multiple of 8
///
/// A CIE has the same first two fields, and then:
///
///   u64  ~0
///   u8   version
///   asciz  augmentation; empty in compilers' output
///   ULEB128  code alignment; version 4 has two bytes in front of it
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_CALLFRAME_H
#define LLD_CUDA_FINALCODE_CALLFRAME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>

namespace lld::cuda {

struct FrameInstruction {
  uint8_t opcode;
  uint64_t offset; ///< In the FDE.
  uint64_t size;   ///< With the operands.
  /// How far it advances, in units of the CIE's code alignment. The distance
  /// stands in the bytes behind the opcode, or in its low six bits if it is the
  /// only byte.
  std::optional<uint64_t> advance;
};

/// A CIE's or FDE's first two fields, and where the length stands.
constexpr uint64_t UnitHeaderSize = 12, LengthOffset = 4;
/// Where an FDE has the function's size, and where its instructions begin.
constexpr uint64_t FrameRangeOffset = 28, FrameInstructionsOffset = 36;
/// Where a CIE has its version.
constexpr uint64_t CieVersionOffset = 20;

/// The unit of a frame's advances; 0 if the CIE is cut off.
uint64_t getCodeAlignment(llvm::ArrayRef<uint8_t> cie);

/// Visits the instructions in order, up to the first error. Errors: a cut
/// instruction, an unknown one, and the visitor's.
llvm::Error forEachFrameInstruction(
    llvm::ArrayRef<uint8_t> fde,
    llvm::function_ref<llvm::Error(const FrameInstruction &)> visit);

} // namespace lld::cuda

#endif
