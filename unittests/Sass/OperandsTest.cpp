//===- OperandsTest.cpp - Which registers instructions use ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Instructions that ptxas 13.0 made of small kernels, and the registers that
/// nvdisasm names in them. Widths come from the PTX: the type, the number of
/// coordinates.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Sass/Operands.h"
#include "llvm/ADT/ArrayRef.h"
#include "gtest/gtest.h"
#include <set>
#include <vector>

using namespace lld::cuda;
using namespace lld::cuda::sass;

namespace {

constexpr unsigned U0 = FirstUniform, P0 = FirstPredicate;

struct Example {
  const char *text;
  uint64_t low, high;
  std::vector<RegisterRange> uses, defs;
};

const Example Examples[] = {
    {"SULD.D.BA.1D.128.STRONG.SM.TRAP R8, [R2], UR6",
     0x10ff060002087f99,
     0x81ead00,
     {{2, 1}, {U0 + 6, 1}},
     {{8, 4}}},
    {"SULD.D.BA.1D_ARRAY.64.STRONG.SM.TRAP R2, [R2], UR6",
     0x50ff060002027f99,
     0x81eab00,
     {{2, 2}, {U0 + 6, 1}},
     {{2, 2}}},
    {"SULD.D.BA.3D.STRONG.SM.TRAP R9, [R8], UR6",
     0xb0ff060008097f99,
     0x81ea900,
     {{8, 3}, {U0 + 6, 1}},
     {{9, 1}}},
    {"SUST.D.BA.2D.64.STRONG.SM.IGN [R6], R2, UR4",
     0x60ff040206007f9d,
     0x810ab00,
     {{6, 2}, {2, 2}, {U0 + 4, 1}},
     {}},
    {"SUST.D.BA.2D_ARRAY.U8.STRONG.SM.TRAP [R4], R7, UR4",
     0x90ff040704007f9d,
     0x810a100,
     {{4, 3}, {7, 1}, {U0 + 4, 1}},
     {}},
    {"SUST.P.2D.STRONG.SM.RG.TRAP [R4], R6, UR4",
     0x70ff040604007f9b,
     0x810a300,
     {{4, 2}, {6, 2}, {U0 + 4, 1}},
     {}},
    {"SUST.P.1D.STRONG.SM.TRAP [R0], R4, UR4",
     0x10ff040400007f9b,
     0x810af00,
     {{0, 1}, {4, 4}, {U0 + 4, 1}},
     {}},
    {"SURED.D.BA.2D.ADD.U64.STRONG.SYS.TRAP [R6], R2, UR4",
     0x70ff040206007f9f,
     0x8114500,
     {{6, 2}, {2, 2}, {U0 + 4, 1}},
     {}},
    {"SURED.D.BA.1D.MAX.S64.STRONG.SYS.TRAP [R7], R2, UR4",
     0x10ff040207007f9f,
     0x9114b00,
     {{7, 1}, {2, 2}, {U0 + 4, 1}},
     {}},
    {"LDGSTS.E [R5], desc[UR4][R2.64]",
     0x0000000002057fae,
     0xb9a1004,
     {{5, 1}, {2, 2}, {U0 + 4, 2}},
     {}},
    {"LDGSTS.E.128.ZFILL [R7], desc[UR4][R4.64], P0",
     0x0000000004077fae,
     0x81e1804,
     {{7, 1}, {4, 2}, {U0 + 4, 2}, {P0, 1}},
     {}},
    {"ARRIVES.LDGSTSBAR.64.ARVCNT [UR17]",
     0x00000000ff0079b0,
     0x8001a11,
     {{U0 + 17, 1}},
     {}},
    {"REDG.E.ADD.F64.RN.STRONG.GPU desc[UR4][R4.64], R2",
     0x00000002040079a6,
     0xc12ff04,
     {{4, 2}, {2, 2}, {U0 + 4, 2}},
     {}},
    {"REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R8",
     0x00000008020079a6,
     0xc12f704,
     {{2, 2}, {8, 4}, {U0 + 4, 2}},
     {}},
    {"REDG.E.ADD.BF16x4.RN.STRONG.GPU desc[UR4][R2.64], R6",
     0x00000006020079a6,
     0xc12e904,
     {{2, 2}, {6, 2}, {U0 + 4, 2}},
     {}},
    {"DMMA.8x8x4 R16, R8, R2, R16",
     0x000000020810723f,
     0x10,
     {{8, 2}, {2, 2}, {16, 4}},
     {{16, 4}}},
    {"ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU P1, R0, desc[UR6][R2.64], R5",
     0x80000005020079a2,
     0xc12f306,
     {{2, 2}, {5, 1}, {U0 + 6, 2}},
     {{0, 1}}},
    {"ATOM.E.ADD.F64.RN.STRONG.GPU P1, RZ, desc[UR6][R2.64], R4",
     0x8000000402ff79a2,
     0xc12ff06,
     {{2, 2}, {4, 2}, {U0 + 6, 2}},
     {}},
    {"ATOM.E.EXCH.64.STRONG.GPU P0, R4, [R10], R2",
     0x000000020a04738a,
     0x410e500,
     {{10, 2}, {2, 2}},
     {{4, 2}}},
    {"ATOM.E.CAS.128.STRONG.GPU PT, R8, [R6], R8, R12",
     0x000000080608738b,
     0x1ee90c,
     {{6, 2}, {8, 4}, {12, 4}},
     {{8, 4}}},
    {"ATOMS.CAS R6, [R5], R7, R6",
     0x000000070506738d,
     0x6,
     {{5, 1}, {7, 1}, {6, 1}},
     {{6, 1}}},
    {"ATOMS.CAST.SPIN P0, [R2], R6, R7",
     0x000000060200758d,
     0x1800007,
     {{2, 1}, {6, 1}, {7, 1}},
     {{P0, 1}}},
    {"ST.E.64 [R8], R2", 0x0000000008007385, 0x100b02, {{8, 2}, {2, 2}}, {}},
    {"MATCH.ANY.U64 R7, R2", 0x00000000020773a1, 0xe8200, {{2, 2}}, {{7, 1}}},
    {"HSETP2.LT.AND P0, P1, R0, R7, P0",
     0x0000000700007234,
     0x101000,
     {{0, 1}, {7, 1}, {P0, 1}},
     {{P0, 1}, {P0 + 1, 1}}},
    {"FADD R7, R7, -24", 0xc1c0000007077421, 0, {{7, 1}}, {{7, 1}}},
    {"FSETP.NEU.FTZ.AND P2, PT, |R4|, +INF , PT",
     0x7f8000000400780b,
     0x3f5d200,
     {{4, 1}},
     {{P0 + 2, 1}}},
    {"@!P0 BRA.DIV UR4",
     0x0000000204388947,
     0xb800000,
     {{P0, 1}, {U0 + 4, 1}},
     {}},
    {"BRA.U !UP0",
     0x0000000108147547,
     0xb800000,
     {{FirstUniformPredicate, 1}},
     {}},
    {"BRXU UR6", 0xffffffb006447958, 0xb83ffff, {{U0 + 6, 1}}, {}},
    {"FADD2 R10, R4.F32x2.HI_LO, R6.F32x2.HI_LO",
     0x6040a724b,
     0x0,
     {{4, 2}, {6, 2}},
     {{10, 2}}},
    {"FMUL2 R4, R10.F32x2.HI_LO, R4.F32x2.HI_LO",
     0x40a04724a,
     0x0,
     {{10, 2}, {4, 2}},
     {{4, 2}}},
    {"FFMA2 R4, R10.F32x2.HI_LO, R6.F32x2.HI_LO, R4.F32x2.HI_LO",
     0x60a047249,
     0x4,
     {{10, 2}, {6, 2}, {4, 2}},
     {{4, 2}}},
    {"FFMA2 R4, R10.F32x2.HI_LO, R6.F32, R4.F32x2.HI_LO",
     0x60a047249,
     0x1000004,
     {{10, 2}, {6, 1}, {4, 2}},
     {{4, 2}}},
    {"UVIMNMX.U32 UR4, UR10, UR5, !UPT",
     0x50a04724a,
     0xffe0000,
     {{U0 + 10, 1}, {U0 + 5, 1}},
     {{U0 + 4, 1}}},
    {"STG.E.ENL2.256 desc[UR4][R4.64], R8, R12",
     0xf8000008040c797f,
     0xf121804,
     {{4, 2}, {8, 4}, {12, 4}, {U0 + 4, 2}},
     {}},
    {"LDGMC.E.ADD.32.STRONG.SYS R9, [R2.64+URZ]",
     0x20979a4,
     0x80341ff,
     {{2, 2}},
     {{9, 1}}},
    {"LDGMC.E.MIN.64.STRONG.SYS R6, [R2.64+URZ+0x8]",
     0x800020679a4,
     0x88345ff,
     {{2, 2}},
     {{6, 2}}},
    {"LDGMC.E.ADD.F32x4.RN.STRONG.SYS R12, [R2.64+URZ]",
     0x20c79a5,
     0x8035dff,
     {{2, 2}},
     {{12, 4}}},
    {"REDAS.ADD.64 [R2.64], R4", 0x402007dbe, 0x80005ff, {{2, 2}, {4, 2}}, {}},
    {"TXQ RZ, R0, R0, TEX_HEADER_DIMENSION, UR4, 0x0, 0x1",
     0x40000007f6f,
     0x80001ff,
     {{0, 1}, {U0 + 4, 2}},
     {{0, 1}}},
    {"UMEMSETS.64 [UR4], URZ, UR5",
     0xff040073cb,
     0x8000005,
     {{U0 + 4, 1}, {U0 + 5, 1}},
     {}},
    {"VABSDIFF4.U8.ACC R5, R5, R12, R6",
     0xc05057215,
     0xe0806,
     {{5, 1}, {12, 1}, {6, 1}},
     {{5, 1}}},
};

std::set<unsigned> toSet(llvm::ArrayRef<RegisterRange> list) {
  std::set<unsigned> registers;
  for (RegisterRange r : list)
    for (unsigned i = 0; i != r.count; ++i)
      registers.insert(r.first + i);
  return registers;
}

} // namespace

/// [scoreboards-operands]
TEST(Operands, AreThoseOfTheDisassembly) {
  for (const Example &e : Examples) {
    Instruction inst;
    inst.low = e.low;
    inst.high = e.high;
    const Operands ops = decodeOperands(inst);
    EXPECT_TRUE(ops.isKnown) << e.text;
    EXPECT_EQ(toSet(ops.uses), toSet(e.uses)) << e.text;
    EXPECT_EQ(toSet(ops.defs), toSet(e.defs)) << e.text;
  }
}

/// What they use counts for as much as there may be. [scoreboards-operands]
TEST(Operands, TexturesHaveAsManyResultsAsTheMaskSays) {
  const Example textures[] = {{"TEX.LL R5, R6, R4, R0, UR4, 2D, 0xb",
                               0x28ff040004067f60,
                               0x89e0b05,
                               {},
                               {{6, 2}, {5, 1}}},
                              {"TEX.LL RZ, R8, R12, R0, UR4, 2D, 0x8",
                               0x28ff04000c087f60,
                               0x89e08ff,
                               {},
                               {{8, 1}}},
                              {"TEX.LL RZ, R10, R8, R0, UR4, 2D, 0xc",
                               0x28ff0400080a7f60,
                               0x89e0cff,
                               {},
                               {{10, 2}}},
                              {"TLD.LZ RZ, R3, R4, UR4, 1D, 0x2",
                               0x00ff04ff04038f66,
                               0x81e02ff,
                               {},
                               {{3, 1}}}};
  for (const Example &e : textures)
    EXPECT_EQ(toSet(decodeOperands({e.low, e.high}).defs), toSet(e.defs))
        << e.text;
}

TEST(Operands, AtomicsAtGenericAddressesHaveAPredicateAfterTheRead) {
  for (auto [inst, predicate] :
       {// ATOM.E.ADD.F64.RN.STRONG.GPU P1, RZ, desc[UR6][R2.64], R4
        std::pair(Instruction{0x8000000402ff79a2, 0xc12ff06}, P0 + 1),
        // ATOM.E.EXCH.64.STRONG.GPU P0, R4, [R10], R2
        std::pair(Instruction{0x000000020a04738a, 0x410e500}, P0),
        // ATOM.E.CAS.128.STRONG.GPU PT, R8, [R6], R8, R12
        std::pair(Instruction{0x000000080608738b, 0x1ee90c}, 0u)})
    EXPECT_EQ(decodeOperands(inst).readResult, predicate);
}
