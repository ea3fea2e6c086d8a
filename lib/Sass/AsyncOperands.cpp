//===- AsyncOperands.cpp - Operands of asynchronous instructions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of the decoder of operands (OperandDecoder.h) for instructions of
/// sm_100 and later whose work goes on while the thread continues: copies,
/// their barriers, and tensor memory. Operands.cpp calls it for each such
/// instruction when the linker finalizes a function's code and follows
/// registers from instruction to instruction. Most of their operands are
/// uniform registers, which hold descriptors and addresses
/// [scoreboards-asynchronous].
///
//===----------------------------------------------------------------------===//

#include "OperandDecoder.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace lld::cuda::sass {

bool Decoder::hasUniformGuard() const {
  switch (ops.resultClass) {
  case ResultClass::AsyncUniform:
  case ResultClass::TensorUniform:
  case ResultClass::CommandFlush:
  case ResultClass::LDTM:
  case ResultClass::STTM:
    return true;
  default:
    return false;
  }
}

/// The lanes' share of a line of 32, 64, 128 or 256 bits, so many times.
unsigned Decoder::tensorRegisters() const {
  static constexpr uint8_t PerLine[] = {2, 4, 1, 1};
  return PerLine[bits(81, 2)] << bits(83, 3);
}

/// Copies, their barriers, and tensor memory: descriptors and addresses stand
/// in uniform registers.
void Decoder::useAsyncSources(Shape shape) {
  // The registers of a bulk tensor copy: address, barrier, and coordinates,
  // whose number depends on bits 79 to 81.
  const unsigned tensorSize = 3 + bits(79, 3);
  switch (shape) {
  case Shape::UniformNone:
    break;
  case Shape::UniformA64:
    useU(a(), 2);
    break;
  case Shape::BarrierAccess:
    useR(a());
    useR(b());
    useU(c());
    break;
  case Shape::BarrierExchange:
    toUniform = true;
    useU(a());
    if (form() == 1 || form() == 2)
      useU(b(), 2);
    break;
  case Shape::TensorCopy:
    useU(a(), 2);
    useU(b(), tensorSize);
    useU(c());
    useU(bits(40, 8), 2);
    break;
  case Shape::BulkCopy:
    useU(a(), 2);
    useU(b(), 2);
    useU(c());
    break;
  case Shape::AsyncStore:
    useR(a(), 2);
    useR(b(), size());
    useU(c());
    break;
  case Shape::AsyncReduction:
    useR(a(), 2);
    useR(b(), numIntegers());
    useU(c());
    break;
  case Shape::MemorySet: // Address, value, size.
    useU(a());
    useU(b(), 2);
    useU(c());
    break;
  case Shape::TensorMemoryCopy:
    useU(a());
    useU(b(), 2);
    break;
  case Shape::TensorBarrier:
    useU(a(), 2);
    useU(b());
    useU(c());
    break;
  case Shape::TensorMultiply:
    useU(a(), 2);
    useU(b(), 2);
    useU(c());
    useU(bits(40, 8), 2);
    useU(bits(48, 8), 2);
    useUP(87);
    break;
  case Shape::TensorStore:
    useR(b(), tensorRegisters());
    useU(c());
    break;
  case Shape::TensorLoad:
    useU(b());
    break;
  default:
    llvm_unreachable("not a shape of this group");
  }
}

} // namespace lld::cuda::sass
