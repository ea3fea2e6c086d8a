//===- Operands.cpp - Registers that instructions use ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The operand fields: destination in bits 16 to 23, sources A in 24 to 31, B
/// in 32 to 39, C in 64 to 71, the guard in 12 to 14. The operand form, bits 9
/// to 11, tells which of B and C is a register, a uniform register or
/// something else.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Sass/Operands.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace lld::cuda::sass {

namespace {

/// Counts in Operands.def that depend on the instruction.
enum : uint8_t {
  Sized = 0x10,
  Clock,
  Converted,
  Texels,
  Quads,
  Parts,
  Wide,
  Accumulator
};

enum class Shape : uint8_t {
  None,
  NoneToUniform,
  A,
  A64,
  B,
  AB,
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
  XuB,
  XuBSourceSized,
  Predicates,
  PredicatesToA,
  AToPredicates,
  UniformA,
  UniformB,
  UniformAB,
  UniformABC,
  UniformAB64,
  UniformABC64,
  UniformWideC,
  UniformVote,
  UniformPredicates,
  UniformPredicatesIn,
  UniformPredicatesOut,
  AToUniform,
  Elect,
  Shuffle,
  GlobalLoad,
  GlobalStore,
  CompareAndSwap,
  SharedLoad,
  SharedStore,
  SharedStoreParts,
  SharedSwap,
  Matrices,
  Texture,
  WarpSync,
  Branch,
};

struct OpcodeInfo {
  uint16_t code;
  ResultClass resultClass;
  Shape shape;
  uint8_t results;
  uint8_t predicates;
};

constexpr OpcodeInfo Opcodes[] = {
#define SASS_OP(CODE, NAME, CLASS, SHAPE, RESULT, PREDICATES)                  \
  {CODE, ResultClass::CLASS, Shape::SHAPE, RESULT, PREDICATES},
#include "lld-cuda/Sass/Operands.def"
};

constexpr ClassInfo Classes[] = {
#define SASS_CLASS(NAME, EVENTS, LATENCY, READ_LATENCY, RESULT_PIPE,           \
                   READ_PIPE)                                                  \
  {EventKind::EVENTS, LATENCY, READ_LATENCY, ResultPipe::RESULT_PIPE,          \
   ReadPipe::READ_PIPE},
#include "lld-cuda/Sass/Operands.def"
};

constexpr unsigned NumOperations = 512;

struct OpcodeTable {
  uint8_t index[NumOperations] = {}; ///< 0: unknown, else 1 + index.
  constexpr OpcodeTable() {
    for (unsigned i = 0; i != std::size(Opcodes); ++i)
      index[Opcodes[i].code] = i + 1;
  }
};
constexpr OpcodeTable Table;

constexpr unsigned NoRegister = 255, NoPredicate = 7;

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
  /// Number of registers, from the size field of loads and stores.
  unsigned size() const {
    static constexpr uint8_t Sizes[] = {1, 1, 1, 1, 1, 2, 4, 4};
    return Sizes[bits(73, 3)];
  }

  /// Registers of an operand of IADD, which may be .64.
  unsigned width() const { return bits(73, 1) ? 2 : 1; }
  unsigned numParts() const { return 1 << bits(72, 2); }
  /// Of two shapes of the same type the one with more columns of A.
  bool isLargeMatrix() const {
    const bool isTF32 = ops.operation == OpHMMA && bits(83, 1);
    return isTF32 ? !bits(78, 1) : bits(75, 1);
  }
  /// Numbers of 32 bits, or of 16, which only HMMA has.
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
  void useBC(unsigned widthB, unsigned widthC, bool hasC = true);
  void useSecondAsC(unsigned width);
  void useUniformBC(unsigned width);
  void useSources(Shape shape);
  void useRegisterSources(Shape shape);
  void useUniformSources(Shape shape);
  void useOtherSources(Shape shape);
  void addResults(const OpcodeInfo &info);

  const Instruction &inst;
  Operands ops;
  bool toUniform = false;
};

void Decoder::useBC(unsigned widthB, unsigned widthC, bool hasC) {
  switch (form()) {
  case 1:
    useR(b(), widthB);
    if (hasC)
      useR(c(), widthC);
    break;
  case 2:
  case 3:
    useR(c(), widthB);
    break;
  case 4:
  case 5:
    if (hasC)
      useR(c(), widthC);
    break;
  case 6:
    useU(b(), widthB);
    if (hasC)
      useR(c(), widthC);
    break;
  case 7:
    useU(b(), widthC);
    useR(c(), widthB);
    break;
  }
}

/// Additions have their second source where multiply-adds have the third.
void Decoder::useSecondAsC(unsigned width) {
  if (form() == 1)
    useR(c(), width);
  else if (form() == 7)
    useU(b(), width);
}

void Decoder::useUniformBC(unsigned width) {
  toUniform = true;
  useU(a());
  if (form() == 1)
    useU(b());
  useU(c(), width);
  useUP(87);
  useUP(77);
}

/// Operations of the uniform data path.
void Decoder::useUniformSources(Shape shape) {
  switch (shape) {
  case Shape::UniformA:
    toUniform = true;
    useU(a());
    break;
  case Shape::UniformB:
    toUniform = true;
    if (form() == 1 || form() == 6)
      useU(b());
    break;
  case Shape::UniformAB:
    toUniform = true;
    useU(a());
    if (form() == 1 || form() == 6)
      useU(b());
    useUP(87);
    useUP(68);
    break;
  case Shape::UniformABC:
    useUniformBC(1);
    break;
  case Shape::UniformWideC:
    useUniformBC(2);
    break;
  case Shape::UniformABC64:
    useU(c(), 2);
    [[fallthrough]];
  case Shape::UniformAB64:
    toUniform = true;
    useU(a(), 2);
    if (form() == 1 || form() == 6)
      useU(b(), 2);
    break;
  case Shape::UniformVote:
    toUniform = true;
    useP(87);
    break;
  case Shape::UniformPredicates:
    toUniform = true;
    useUP(87);
    useUP(68);
    useUP(77);
    break;
  case Shape::UniformPredicatesIn:
    toUniform = true;
    useU(c());
    add(ops.uses, FirstUniformPredicate, NoPredicate);
    break;
  case Shape::UniformPredicatesOut:
    useU(a());
    useU(b());
    useU(c());
    add(ops.defs, FirstUniformPredicate, NoPredicate);
    break;
  default:
    llvm_unreachable("not a shape of this group");
  }
}

/// Memory, textures, and exchange between threads.
void Decoder::useOtherSources(Shape shape) {
  switch (shape) {
  case Shape::Shuffle:
    useR(a());
    if (form() == 1 || form() == 2)
      useR(b());
    if (form() == 1 || form() == 4)
      useR(c());
    break;
  case Shape::GlobalLoad:
    useR(a(), 2);
    useU(b(), 2);
    break;
  case Shape::GlobalStore:
    useR(a(), 2);
    useR(b(), ops.resultClass == ResultClass::STG    ? size()
              : bits(73, 3) == 5 || bits(73, 3) == 7 ? 2
                                                     : 1);
    useU(c(), 2);
    break;
  case Shape::CompareAndSwap:
    useR(a(), 2);
    useR(b(), size());
    useR(c(), size());
    break;
  case Shape::SharedLoad:
    useR(a());
    if (hasUniformAddress())
      useU(b());
    break;
  case Shape::SharedStore:
    useR(a());
    useR(b(), size());
    if (hasUniformAddress())
      useU(c());
    break;
  case Shape::SharedStoreParts:
    useR(a());
    useR(b(), numParts());
    if (hasUniformAddress())
      useU(c());
    break;
  case Shape::SharedSwap: {
    const unsigned n = bits(73, 3) ? 2 : 1;
    useR(a());
    useR(b(), n);
    useR(c(), n);
    break;
  }
  case Shape::Matrices:
    useR(a(), isLargeMatrix() ? 4 : 2);
    useR(b(), isLargeMatrix() ? 2 : 1);
    useR(c(), accumulatorSize());
    break;
  case Shape::Texture:
    // As many as there may be.
    useR(a(), 4);
    useR(b(), 4);
    useU(c(), 2);
    useU(bits(40, 8), 2);
    break;
  case Shape::WarpSync:
    if (form() == 1)
      useR(a());
    break;
  case Shape::Branch:
    if (form() == 2) // BRA.U
      useUP(24);
    useP(87);
    break;
  default:
    llvm_unreachable("not a shape of this group");
  }
}

/// Registers, and what may stand in their place as operand B.
void Decoder::useRegisterSources(Shape shape) {
  switch (shape) {
  case Shape::A:
    useR(a());
    break;
  case Shape::A64:
    useR(a(), 2);
    break;
  case Shape::B:
    useBC(1, 1, false);
    break;
  case Shape::AB:
  case Shape::ABPredicate:
  case Shape::Compare:
    useR(a());
    useBC(1, 1, false);
    if (shape != Shape::AB)
      useP(87);
    if (shape == Shape::Compare)
      useP(68);
    break;
  case Shape::ABC:
  case Shape::ABCPredicate:
  case Shape::ABCCarries:
    useR(a());
    useBC(1, 1);
    if (shape != Shape::ABC)
      useP(87);
    if (shape == Shape::ABCCarries)
      useP(77);
    break;
  case Shape::ABWideC:
    useR(a());
    useBC(1, 2);
    break;
  case Shape::AB64:
  case Shape::AB64Predicate:
    useR(a(), 2);
    useBC(2, 2, false);
    if (shape == Shape::AB64Predicate)
      useP(87);
    break;
  case Shape::ABWide:
    useR(a(), width());
    useBC(width(), width(), false);
    break;
  case Shape::AC64:
    useR(a(), 2);
    useSecondAsC(2);
    break;
  case Shape::ABC64:
    useR(a(), 2);
    useBC(2, 2);
    break;
  case Shape::XuB:
  case Shape::XuBSourceSized: {
    constexpr unsigned Bits64 = 3;
    const bool isPair = shape == Shape::XuBSourceSized && bits(84, 2) == Bits64;
    const unsigned n = isPair ? 2 : 1;
    if (form() < 3)
      useR(b(), n);
    else if (form() == 6)
      useU(b(), n);
    break;
  }
  case Shape::Predicates:
    useP(68);
    useP(77);
    useP(87);
    break;
  case Shape::PredicatesToA:
  case Shape::AToPredicates:
    useR(a());
    add(shape == Shape::PredicatesToA ? ops.uses : ops.defs, FirstPredicate,
        NoPredicate);
    break;
  default:
    llvm_unreachable("not a shape of this group");
  }
}

void Decoder::useSources(Shape shape) {
  switch (shape) {
  case Shape::None:
    break;
  case Shape::NoneToUniform:
    toUniform = true;
    break;
  case Shape::A:
  case Shape::A64:
  case Shape::B:
  case Shape::AB:
  case Shape::ABPredicate:
  case Shape::Compare:
  case Shape::ABC:
  case Shape::ABCPredicate:
  case Shape::ABCCarries:
  case Shape::ABWideC:
  case Shape::AB64:
  case Shape::AB64Predicate:
  case Shape::ABWide:
  case Shape::AC64:
  case Shape::ABC64:
  case Shape::XuB:
  case Shape::XuBSourceSized:
  case Shape::Predicates:
  case Shape::PredicatesToA:
  case Shape::AToPredicates:
    useRegisterSources(shape);
    break;
  case Shape::UniformA:
  case Shape::UniformB:
  case Shape::UniformAB:
  case Shape::UniformABC:
  case Shape::UniformWideC:
  case Shape::UniformAB64:
  case Shape::UniformABC64:
  case Shape::UniformVote:
  case Shape::UniformPredicates:
  case Shape::UniformPredicatesIn:
  case Shape::UniformPredicatesOut:
    useUniformSources(shape);
    break;
  case Shape::AToUniform:
    toUniform = true;
    useR(a());
    break;
  case Shape::Elect:
    toUniform = true;
    useP(87);
    break;
  case Shape::Shuffle:
  case Shape::GlobalLoad:
  case Shape::GlobalStore:
  case Shape::CompareAndSwap:
  case Shape::SharedLoad:
  case Shape::SharedStore:
  case Shape::SharedStoreParts:
  case Shape::SharedSwap:
  case Shape::Matrices:
  case Shape::Texture:
  case Shape::WarpSync:
  case Shape::Branch:
    useOtherSources(shape);
    break;
  }
}

void Decoder::addResults(const OpcodeInfo &info) {
  unsigned n = info.results;
  switch (n) {
  case Sized:
    n = size();
    break;
  case Clock:
    n = bits(80, 1) ? 2 : 1;
    break;
  case Converted:
    n = bits(75, 2) == 3 ? 2 : 1;
    break;
  case Quads:
    n = 4;
    if (c() != NoRegister)
      add(ops.defs, c(), 4);
    break;
  case Parts:
    n = numParts();
    break;
  case Wide:
    n = width();
    break;
  case Accumulator:
    n = accumulatorSize();
    break;
  case Texels:
    n = 2;
    if (c() != NoRegister)
      add(ops.defs, c(), 2);
    break;
  }
  if (n && dest() != NoRegister)
    add(ops.defs, (toUniform ? unsigned(FirstUniform) : 0) + dest(), n);
  const bool uniformPredicates = toUniform && info.shape != Shape::AToUniform &&
                                 info.shape != Shape::Elect;
  for (unsigned i = 0; i != info.predicates; ++i)
    if (unsigned p = bits(81 + 3 * i, 3); p != NoPredicate)
      add(ops.defs,
          (uniformPredicates ? FirstUniformPredicate : FirstPredicate) + p, 1);
}

Operands Decoder::decode() {
  constexpr unsigned ENDCOLLECTIVE = 0x91b;
  ops.operation = inst.operation();
  ops.isCollective = inst.opcode() == ENDCOLLECTIVE || inst.isCall() ||
                     inst.operation() == OpRET ||
                     (inst.operation() == OpWARPSYNC && inst.displacement());
  if (unsigned guard = bits(12, 3); guard != NoPredicate)
    add(ops.uses, FirstPredicate + guard, 1);
  if (unsigned at = Table.index[ops.operation]) {
    const OpcodeInfo &info = Opcodes[at - 1];
    ops.resultClass = info.resultClass;
    useSources(info.shape);
    addResults(info);
    return std::move(ops);
  }
  ops.isKnown = false;
  return std::move(ops);
}

} // namespace

const ClassInfo &getClassInfo(ResultClass c) { return Classes[unsigned(c)]; }

Operands decodeOperands(const Instruction &inst) {
  return Decoder(inst).decode();
}

bool overlap(const Operands::List &a, const Operands::List &b) {
  for (RegisterRange x : a)
    for (RegisterRange y : b)
      if (x.overlaps(y))
        return true;
  return false;
}

} // namespace lld::cuda::sass
