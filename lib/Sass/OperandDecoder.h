//===- OperandDecoder.h - Decoder of operands -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The decoder of an instruction's operands: which registers it reads and
/// writes. Operands.cpp makes one for each instruction of a function that is
/// decoded, as the passes do that schedule code or allocate scoreboards
/// (lib/Reschedule, lib/FinalCode). Its parts are in Operands.cpp,
/// MemoryOperands.cpp and AsyncOperands.cpp; Operands.def has a row for each
/// operation.
/// The operand fields of the 128-bit instruction word: destination in bits 16
/// to 23, sources A in 24 to 31, B in 32 to 39, C in 64 to 71, the guard in 12
/// to 14. The operand form, bits 9 to 11, tells which of B and C is a register,
/// a uniform register or something else.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_SASS_OPERANDDECODER_H
#define LLD_CUDA_LIB_SASS_OPERANDDECODER_H

#include "lld-cuda/Sass/Operands.h"

namespace lld::cuda::sass {

/// Values that Operands.def has in place of a number of registers where that
/// depends on the instruction.
enum : uint8_t {
  Sized = 0x10,
  Clock,
  Converted,
  Texels,
  Quads,
  Parts,
  Wide,
  Integers,
  Floats,
  Swapped,
  Accumulator,
  BarrierState,
  TensorRegisters
};

/// Which fields of an instruction are sources, in groups.
enum class Shape : uint8_t {
  None,
  NoneToUniform,
  // Registers.
  A,
  A64,
  B,
  AB,
  ABNoC,
  ABPredicate,
  Compare,
  ABC,
  ABCPredicate,
  ABCCarries,
  ABWideC,
  AB64,
  AB64Predicate,
  ABWide,
  AC64,
  ABC64,
  Pairs,
  PairsNoC,
  XuB,
  XuBSourceSized,
  Vote,
  Predicates,
  PredicatesToA,
  AToPredicates,
  // Uniform registers.
  UniformA,
  UniformB,
  UniformAB,
  UniformABC,
  UniformABCPredicate,
  UniformABCCarries,
  UniformAB64,
  UniformABC64,
  UniformWideC,
  UniformVote,
  UniformPredicates,
  UniformPredicatesIn,
  UniformPredicatesOut,
  // To uniform registers, jumps.
  AToUniform,
  UniformSourceA,
  Elect,
  WarpSync,
  Branch,
  // Memory, textures, matrices, exchange between threads.
  Shuffle,
  AWide,
  GlobalQuery,
  GlobalLoad,
  MulticastLoad,
  GlobalStore,
  GlobalStoreQuads,
  GlobalFloats,
  GlobalToShared,
  Arrival,
  CompareAndSwap,
  SharedLoad,
  SharedStore,
  SharedStoreParts,
  SharedSwap,
  Matrices,
  DoubleMatrices,
  Texture,
  TextureQuery,
  Surface,
  SurfaceStore,
  SurfaceTexels,
  SurfaceUpdate,
  // Asynchronous copies and tensor memory.
  UniformNone,
  UniformA64,
  BarrierAccess,
  BarrierExchange,
  TensorCopy,
  BulkCopy,
  AsyncStore,
  AsyncReduction,
  MemorySet,
  TensorMemoryCopy,
  TensorBarrier,
  TensorMultiply,
  TensorStore,
  TensorLoad,
};

/// A row of Operands.def.
struct OpcodeInfo {
  uint16_t code;
  ResultClass resultClass;
  Shape shape;
  uint8_t results;
  uint8_t predicates;
};

constexpr unsigned NoRegister = 255, NoPredicate = 7;

/// Used in place of a number of predicates.
constexpr uint8_t AfterRead = 0xff;

/// Decodes one instruction, which must outlive it.
class Decoder {
public:
  explicit Decoder(const Instruction &inst) : inst(inst) {}
  Operands decode();

private:
  unsigned bits(unsigned at, unsigned width) const {
    uint64_t value = at < 64 ? inst.low >> at : inst.high >> (at - 64);
    return value & ((1u << width) - 1);
  }
  unsigned dest() const { return bits(16, 8); }
  unsigned a() const { return bits(24, 8); }
  unsigned b() const { return bits(32, 8); }
  unsigned c() const { return bits(64, 8); }
  unsigned form() const { return bits(9, 3); }
  bool hasUniformAddress() const { return bits(91, 1); }
  /// Returns the number of registers, from the size field of loads and stores.
  unsigned size() const {
    static constexpr uint8_t Sizes[] = {1, 1, 1, 1, 1, 2, 4, 4};
    return Sizes[bits(73, 3)];
  }

  /// Returns the number of registers of an operand of IADD, which may be
  /// IADD.64.
  unsigned width() const { return bits(73, 1) ? 2 : 1; }
  unsigned numParts() const { return 1 << bits(72, 2); }
  /// Returns the number of registers of what an atomic operation adds to
  /// floating-point numbers: 2, 4 or 8 of 16 bits (two types), 1, 2 or 4 of 32
  /// (types 9 to 11, for LDGMC 12 to 14), 1 of 64.
  unsigned numFloats() const {
    static constexpr uint8_t Numbers[] = {1, 2, 4, 1, 2, 4, 1, 1,
                                          1, 1, 2, 4, 1, 2, 4, 2};
    return Numbers[bits(73, 4)];
  }
  /// Returns the number of registers for integers: U32, S32, U64, S64, 128
  /// bits.
  unsigned numIntegers() const {
    static constexpr uint8_t Numbers[] = {1, 1, 2, 2, 4, 1, 1, 1};
    return Numbers[bits(73, 3)];
  }
  /// Returns the number of coordinates of a surface: 1D, not known, 1D array,
  /// 2D, 2D array, 3D.
  unsigned numCoordinates() const {
    static constexpr uint8_t Numbers[] = {1, 3, 2, 2, 3, 3, 3, 3};
    return Numbers[bits(61, 3)];
  }
  /// Returns whether the instruction has the larger of a type's two matrix
  /// shapes, in which A has more columns.
  bool isLargeMatrix() const {
    const bool isTF32 = ops.operation == OpHMMA && bits(83, 1);
    return isTF32 ? !bits(78, 1) : bits(75, 1);
  }
  /// Returns whether half of A is zeros, so that B has twice the rows.
  bool isSparse() const { return ops.operation == OpOMMA && bits(80, 1); }
  /// Returns the number of registers of an accumulator: of 32-bit numbers, or
  /// of 16-bit ones, which only HMMA has.
  unsigned accumulatorSize() const {
    return ops.operation == OpHMMA && !bits(76, 1) ? 2 : 4;
  }

  static void add(Operands::List &list, unsigned first, unsigned n) {
    list.push_back({uint16_t(first), uint16_t(n)});
  }
  void useR(unsigned r, unsigned n = 1) {
    if (r != NoRegister)
      add(ops.uses, r, n);
  }
  void useU(unsigned r, unsigned n = 1) {
    if (r != NoRegister)
      add(ops.uses, FirstUniform + r, n);
  }
  void useP(unsigned at) {
    if (bits(at, 3) != NoPredicate)
      add(ops.uses, FirstPredicate + bits(at, 3), 1);
  }
  void useUP(unsigned at) {
    if (bits(at, 3) != NoPredicate)
      add(ops.uses, FirstUniformPredicate + bits(at, 3), 1);
  }
  /// Returns the number of registers that an operation on pairs takes: 2, or 1
  /// that counts twice.
  unsigned pairSize(unsigned at) const { return bits(at, 3) == 2 ? 1 : 2; }
  void useBC(unsigned widthB, unsigned widthC, bool hasC = true);
  void useSecondAsC(unsigned width);
  void usePairs(Shape shape);
  void useUniformBC(unsigned width);
  void useSurface(Shape shape);
  void useSources(Shape shape);
  void useRegisterSources(Shape shape);
  void useUniformSources(Shape shape);
  void useUnitSources(Shape shape);
  void useControlSources(Shape shape);
  void useExchangeSources(Shape shape);
  void useMemorySources(Shape shape);
  void useAsyncSources(Shape shape);
  /// Returns whether a uniform predicate guards the instruction.
  bool hasUniformGuard() const;
  /// Returns the number of registers for a part of tensor memory.
  unsigned tensorRegisters() const;
  void addResults(const OpcodeInfo &info);
  /// Returns the index of the operation's row in Operands.def.
  unsigned row() const;

  const Instruction &inst;
  Operands ops;
  bool toUniform = false;
};

} // namespace lld::cuda::sass

#endif
