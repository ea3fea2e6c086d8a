//===- MemoryOperands.cpp - Operands of accesses to memory ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of the decoder of operands (OperandDecoder.h) for instructions of
/// sm_100 and later that access memory, exchange values between threads, or
/// multiply matrices. Operands.cpp calls it for each such instruction when the
/// linker finalizes a function's code. How many registers an operand has
/// depends on other fields: a 128-bit load writes four [scoreboards-operands].
///
//===----------------------------------------------------------------------===//

#include "OperandDecoder.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace lld::cuda::sass {

/// Coordinates, what is stored, and the handle.
void Decoder::useSurface(Shape shape) {
  const unsigned type = bits(73, 3);
  constexpr unsigned U64 = 2, S64 = 5;
  useR(a(), numCoordinates());
  useU(bits(40, 8));
  switch (shape) {
  case Shape::SurfaceStore:
    useR(b(), size());
    break;
  case Shape::SurfaceTexels:
    useR(b(), bits(75, 1) ? 4 : bits(73, 1) ? 2 : 1);
    break;
  case Shape::SurfaceUpdate:
    useR(b(), type == U64 || type == S64 ? 2 : 1);
    break;
  default:
    break;
  }
}

/// Exchange between threads, matrices, textures and shared memory.
void Decoder::useExchangeSources(Shape shape) {
  switch (shape) {
  case Shape::Shuffle:
    useR(a());
    if (form() == 1 || form() == 2)
      useR(b());
    if (form() == 1 || form() == 4)
      useR(c());
    break;
  case Shape::AWide:
    useR(a(), width());
    break;
  case Shape::Matrices:
    useR(a(), isLargeMatrix() ? 4 : 2);
    useR(b(), isSparse() ? 4 : isLargeMatrix() ? 2 : 1);
    useR(c(), accumulatorSize());
    if (form() == 2) { // .SF
      useR(bits(40, 8), isSparse() ? 2 : 1);
      useR(bits(52, 8));
    }
    break;
  case Shape::DoubleMatrices:
    useR(a(), 2);
    useR(b(), 2);
    useR(c(), 4);
    break;
  case Shape::Texture:
    // How many registers a texture's coordinates take isn't known; four is the
    // most.
    useR(a(), 4);
    useR(b(), 4);
    useU(c(), 2);
    useU(bits(40, 8), 2);
    break;
  case Shape::TextureQuery:
    useR(a());
    useU(bits(40, 8), 2);
    break;
  case Shape::Arrival:
    useR(a());
    if (hasUniformAddress())
      useU(c());
    break;
  case Shape::SharedLoad:
    useR(a());
    if (hasUniformAddress())
      useU(b());
    break;
  case Shape::SharedStore:
    useR(a());
    useR(b(), ops.resultClass == ResultClass::ATOMS ? numIntegers() : size());
    if (hasUniformAddress())
      useU(c());
    break;
  case Shape::SharedStoreParts:
    useR(a());
    useR(b(), numParts());
    if (hasUniformAddress())
      useU(c());
    break;
  case Shape::SharedSwap:
    useR(a());
    useR(b(), numIntegers());
    useR(c(), numIntegers());
    break;
  default:
    llvm_unreachable("not a shape of this group");
  }
}

/// Adds the sources of accesses to global memory and of surfaces.
void Decoder::useMemorySources(Shape shape) {
  switch (shape) {
  case Shape::GlobalQuery:
    useR(a(), 2);
    if (hasUniformAddress())
      useU(b(), 2);
    break;
  case Shape::GlobalLoad:
    useR(a(), 2);
    if (hasUniformAddress())
      useU(b(), 2);
    break;
  case Shape::MulticastLoad:
    useR(a(), 2);
    useU(c(), 2);
    break;
  case Shape::GlobalStoreQuads:
    useR(a(), 2);
    useR(b(), 4);
    useR(dest(), 4);
    if (hasUniformAddress())
      useU(c(), 2);
    break;
  case Shape::GlobalStore: {
    // Where the address has no uniform part a store has its data there.
    const bool isStore = ops.resultClass == ResultClass::STG;
    useR(a(), 2);
    useR(isStore && form() == 1 ? c() : b(), isStore ? size() : numIntegers());
    if (hasUniformAddress())
      useU(c(), 2);
    break;
  }
  case Shape::GlobalFloats:
    useR(a(), 2);
    useR(b(), numFloats());
    if (hasUniformAddress())
      useU(c(), 2);
    break;
  case Shape::GlobalToShared:
    useR(dest());
    useR(a(), 2);
    if (hasUniformAddress())
      useU(c(), 2);
    useP(87);
    break;
  case Shape::CompareAndSwap:
    useR(a(), 2);
    useR(b(), numIntegers());
    useR(c(), numIntegers());
    break;
  case Shape::Surface:
  case Shape::SurfaceStore:
  case Shape::SurfaceTexels:
  case Shape::SurfaceUpdate:
    useSurface(shape);
    break;
  default:
    useExchangeSources(shape);
  }
}

} // namespace lld::cuda::sass
