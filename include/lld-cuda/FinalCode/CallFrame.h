//===- CallFrame.h - Reader of call frame instructions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reader of the call frame instructions in an FDE of .debug_frame. When the
/// linker finalizes functions of sm_100 and later, lib/FinalCode/Debug.cpp and
/// the linker's DebugFrame.cpp and FrameRows.cpp use it to find the addresses
/// that must follow moved code. The instructions are those of DWARF 3. An FDE
/// has the 64-bit format:
///
///   u32  ~0
///   u64  length of the rest
///   u64  offset of the CIE
///   u64  address of the function, relocated
///   u64  size of the function
///   call frame instructions, and DW_CFA_nop up to a multiple of 8
///
/// A CIE has the same first two fields, followed by:
///
///   u64  ~0
///   u8   version
///   asciz  augmentation; empty in compilers' output
///   ULEB128  code alignment; version 4 has two bytes before it
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

/// A decoded call frame instruction (DW_CFA_*).
struct FrameInstruction {
  uint8_t opcode;
  uint64_t offset; ///< Bytes from the start of the FDE.
  uint64_t size;   ///< Bytes, including the operands.
  /// How far it advances, in units of the CIE's code alignment. The distance is
  /// in the bytes after the opcode, or in the opcode's low six bits if it is
  /// the only byte. nullopt for all other instructions.
  std::optional<uint64_t> advance;
};

/// Size of the first two fields of a CIE or FDE, and offset of the length, in
/// bytes.
constexpr uint64_t UnitHeaderSize = 12, LengthOffset = 4;
/// Offsets in an FDE of the function's size and of the first instruction.
constexpr uint64_t FrameRangeOffset = 28, FrameInstructionsOffset = 36;
/// Offset of the version in a CIE.
constexpr uint64_t CieVersionOffset = 20;

/// Returns the CIE's code alignment, the unit of a frame's advances; 0 if the
/// CIE is truncated.
uint64_t getCodeAlignment(llvm::ArrayRef<uint8_t> cie);

/// Visits the instructions in order, up to the first error. It fails on a
/// truncated or unknown instruction, and if `visit` fails.
llvm::Error forEachFrameInstruction(
    llvm::ArrayRef<uint8_t> fde,
    llvm::function_ref<llvm::Error(const FrameInstruction &)> visit);

} // namespace lld::cuda

#endif
