//===- Operands.cpp - Registers that instructions use ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decodes which registers an instruction of sm_100 or later reads and writes.
/// lib/Reschedule calls decodeOperands() for each instruction of a function
/// whose scoreboards it allocates anew, lib/FinalCode where it adjusts waits
/// and stalls; both when the linker finalizes functions at the end of a link.
/// Operands.def has a row for each operation; its "shape" selects the code
/// here, in MemoryOperands.cpp or in AsyncOperands.cpp that adds the sources.
/// An operation without a row is marked as unknown, and a function that has one
/// isn't scheduled anew.
///
//===----------------------------------------------------------------------===//

#include "OperandDecoder.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace lld::cuda::sass {

namespace {

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

/// The first number of operations that share their code with another one, which
/// sm_120 has (row()).
constexpr unsigned FirstOther = 512, NumOperations = FirstOther + 2;
static_assert(std::size(Opcodes) < 255);

struct OpcodeTable {
  uint8_t index[NumOperations] = {}; ///< 0: unknown, else 1 + index.
  constexpr OpcodeTable() {
    for (unsigned i = 0; i != std::size(Opcodes); ++i)
      index[Opcodes[i].code] = i + 1;
  }
};
constexpr OpcodeTable Table;

} // namespace

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
    if (ops.operation == OpUISETP)
      useUP(68);
    break;
  case Shape::UniformABC:
    useUniformBC(1);
    break;
  case Shape::UniformABCPredicate:
    useUniformBC(1);
    useUP(87);
    break;
  case Shape::UniformABCCarries:
    useUniformBC(1);
    useUP(87);
    useUP(77);
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

/// Adds the sources of conversions, and of instructions about predicates.
void Decoder::useUnitSources(Shape shape) {
  switch (shape) {
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
  case Shape::Vote:
    useP(87);
    break;
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

void Decoder::usePairs(Shape shape) {
  constexpr unsigned SizeOfA = 81, SizeOfB = 87, SizeOfC = 84;
  useR(a(), pairSize(SizeOfA));
  if (shape == Shape::Pairs)
    useBC(pairSize(SizeOfB), pairSize(SizeOfC), ops.operation == OpFFMA2);
  else if (form() == 1)
    useR(b(), pairSize(SizeOfB));
  else if (form() == 7)
    useU(b(), pairSize(SizeOfB));
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
  case Shape::ABNoC: // A number may stand where C has the second source.
    useR(a());
    if (form() == 1)
      useR(b());
    else if (form() == 6)
      useU(b());
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
    useP(87);
    break;
  case Shape::AC64:
    useR(a(), 2);
    useSecondAsC(2);
    break;
  case Shape::ABC64:
    useR(a(), 2);
    useBC(2, 2);
    break;
  case Shape::Pairs:
  case Shape::PairsNoC:
    usePairs(shape);
    break;
  default:
    useUnitSources(shape);
  }
}

/// Adds the sources of moves between register files, and of jumps.
void Decoder::useControlSources(Shape shape) {
  switch (shape) {
  case Shape::AToUniform:
    toUniform = true;
    useR(a());
    break;
  case Shape::Elect:
    toUniform = true;
    useP(87);
    break;
  case Shape::UniformSourceA:
    useU(a());
    break;
  case Shape::WarpSync:
    if (form() == 1)
      useR(a());
    break;
  case Shape::Branch:
    if (form() == 2) // BRA.U
      useUP(24);
    else if (hasUniformAddress()) // BRA.DIV
      useU(a());
    useP(87);
    break;
  default:
    llvm_unreachable("not a shape of this group");
  }
}

void Decoder::useSources(Shape shape) {
  if (shape == Shape::NoneToUniform)
    toUniform = true;
  if (shape <= Shape::NoneToUniform)
    return;
  if (shape <= Shape::AToPredicates)
    useRegisterSources(shape);
  else if (shape <= Shape::UniformPredicatesOut)
    useUniformSources(shape);
  else if (shape <= Shape::Branch)
    useControlSources(shape);
  else if (shape <= Shape::SurfaceUpdate)
    useMemorySources(shape);
  else
    useAsyncSources(shape);
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
  case Integers:
    n = numIntegers();
    break;
  case Floats:
    n = numFloats();
    break;
  case Swapped:
    n = form() == 1 ? numIntegers() : 0;
    if (const unsigned p = bits(81, 3); form() != 1 && p != NoPredicate)
      add(ops.defs, FirstPredicate + p, 1);
    break;
  case Accumulator:
    n = accumulatorSize();
    break;
  case BarrierState: // Form 2 tests a phase.
    n = form() == 4 ? 2 : 0;
    if (form() == 2 && bits(81, 3) != NoPredicate)
      add(ops.defs, FirstPredicate + bits(81, 3), 1);
    break;
  case TensorRegisters:
    n = tensorRegisters();
    break;
  case Texels: { // The mask's first two, then the others.
    const unsigned count = llvm::popcount(bits(72, 4));
    n = std::min(count, 2u);
    if (count > n && c() != NoRegister)
      add(ops.defs, c(), count - n);
    break;
  }
  }
  if (n && dest() != NoRegister)
    add(ops.defs, (toUniform ? unsigned(FirstUniform) : 0) + dest(), n);
  const bool uniformPredicates = toUniform && info.shape != Shape::AToUniform &&
                                 info.shape != Shape::Elect;
  if (info.predicates == AfterRead) {
    if (const unsigned p = bits(81, 3); p != NoPredicate)
      ops.readResult = FirstPredicate + p;
    return;
  }
  for (unsigned i = 0; i != info.predicates; ++i)
    if (unsigned p = bits(81 + 3 * i, 3); p != NoPredicate)
      add(ops.defs,
          (uniformPredicates ? FirstUniformPredicate : FirstPredicate) + p, 1);
}

/// FFMA2 and FMUL2 have the codes of two operations on uniform registers.
unsigned Decoder::row() const {
  const bool isShared =
      ops.operation == OpFFMA2 || ops.operation == OpFFMA2 + 1;
  const bool isUniform = (form() == 1 || form() == 4) && bits(91, 1);
  return isShared && !isUniform ? ops.operation - OpFFMA2 + FirstOther
                                : ops.operation;
}

Operands Decoder::decode() {
  constexpr unsigned ENDCOLLECTIVE = 0x91b;
  ops.operation = inst.operation();
  ops.isCollective = inst.opcode() == ENDCOLLECTIVE || inst.isCall() ||
                     inst.operation() == OpRET ||
                     (inst.operation() == OpWARPSYNC && inst.displacement());
  const unsigned at = Table.index[row()];
  if (at)
    ops.resultClass = Opcodes[at - 1].resultClass;
  if (ops.resultClass == ResultClass::SYNCS && form() == 2)
    ops.resultClass = ResultClass::PHASECHK;
  if (unsigned guard = bits(12, 3); guard != NoPredicate)
    add(ops.uses,
        (hasUniformGuard() ? FirstUniformPredicate : FirstPredicate) + guard,
        1);
  if (at) {
    const OpcodeInfo &info = Opcodes[at - 1];
    useSources(info.shape);
    addResults(info);
    return std::move(ops);
  }
  ops.isKnown = false;
  return std::move(ops);
}

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
