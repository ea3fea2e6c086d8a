//===- CallGraphTest.cpp - .nv.callgraph and .nv.prototype ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/CallGraph.h"
#include "CubinTestUtils.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;
using namespace lld::cuda::test;
using llvm::StringRef;

namespace {

using Lines = std::vector<std::string>;

/// The records in words, an error as the last line.
Lines readCallGraph(const CubinFile &file, unsigned section) {
  Lines lines;
  const CubinSymbolTable &symtab = file.symtab();
  auto name = [&](uint32_t index) {
    return symtab.name(symtab.symbols[index]).str();
  };
  std::string error = message(
      forEachCallGraphRecord(file, section, [&](const CallGraphRecord &r) {
        switch (r.group) {
        case CallGraphGroup::Calls:
          lines.push_back(name(r.symbol) + " calls " + name(r.other));
          break;
        case CallGraphGroup::AddressTaken:
          lines.push_back(name(r.symbol) + " is " + r.prototype.str());
          break;
        case CallGraphGroup::Indirect:
          lines.push_back(name(r.symbol) + " calls a " + r.prototype.str());
          break;
        case CallGraphGroup::Takes:
          lines.push_back(name(r.symbol) + " takes " + name(r.other));
          break;
        }
        return llvm::Error::success();
      }));
  if (!error.empty())
    lines.push_back(error);
  return lines;
}

Lines readCallGraph(SmallCubin &cubin) {
  auto file = cubin.read();
  EXPECT_EQ(message(file.takeError()), "");
  return readCallGraph(*file, CallGraph);
}

Lines readPrototypes(SmallCubin &cubin) {
  auto file = cubin.read();
  EXPECT_EQ(message(file.takeError()), "");
  Lines lines;
  std::string error = message(forEachPrototype(
      *file, Prototype, [&](uint32_t symbol, StringRef prototype) {
        lines.push_back(std::to_string(symbol) + " is " + prototype.str());
        return llvm::Error::success();
      }));
  if (!error.empty())
    lines.push_back(error);
  return lines;
}

// [call-graph-format]
TEST(CallGraph, AllGroups) {
  SmallCubin cubin;
  EXPECT_EQ(readCallGraph(cubin),
            Lines({"k calls f", "f is i(i)", "k calls a i(i)", "k takes f"}));
}

TEST(CallGraph, OfACompiler) {
  for (StringRef arch : {"sm_75", "sm_90", "sm_100"}) {
    std::string data = readInput(("Cubin/first." + arch + ".cubin").str());
    auto file = CubinFile::create({data, arch});
    ASSERT_EQ(message(file.takeError()), "");
    Lines lines = readCallGraph(*file, file->findSection(".nv.callgraph"));
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0], "kernel calls external");
    EXPECT_TRUE(StringRef(lines[1]).starts_with("taken is "));
    EXPECT_TRUE(StringRef(lines[2]).starts_with("kernel calls a "));
    EXPECT_EQ(lines[3], "kernel takes taken");
    // The indirect call can reach the function: the prototypes are the same.
    EXPECT_EQ(StringRef(lines[1]).substr(9), StringRef(lines[2]).substr(15));
  }
}

TEST(CallGraph, CutRecord) {
  SmallCubin cubin;
  cubin.shdr(CallGraph).sh_size = 61;
  EXPECT_EQ(readCallGraph(cubin).back(),
            "section 9 ('.nv.callgraph'): record at offset 0x38 is cut off");
}

TEST(CallGraph, NoMarker) {
  SmallCubin cubin;
  cubin.word(CallGraph, 0) = KernelSymbol;
  cubin.word(CallGraph, 1) = CalleeSymbol;
  EXPECT_EQ(readCallGraph(cubin).back(),
            "section 9 ('.nv.callgraph'): record at offset 0x0: no marker "
            "opens a group before it");
}

TEST(CallGraph, UnknownMarker) {
  SmallCubin cubin;
  cubin.word(CallGraph, 5) = -5;
  EXPECT_EQ(readCallGraph(cubin).back(), "section 9 ('.nv.callgraph'): record "
                                         "at offset 0x10: unknown marker -5");
}

TEST(CallGraph, SymbolOutOfRange) {
  for (unsigned word : {2u, 3u, 6u, 10u, 14u, 15u}) {
    SmallCubin cubin;
    cubin.word(CallGraph, word) = SymbolCount;
    EXPECT_EQ(readCallGraph(cubin).back(),
              llvm::formatv("section 9 ('.nv.callgraph'): record at offset "
                            "{0:x}: symbol index 4 is out of range: there are "
                            "4 symbols",
                            word / 2 * 8)
                  .str());
  }
}

TEST(CallGraph, SymbolIsNoFunction) {
  SmallCubin cubin;
  cubin.word(CallGraph, 14) = VariableSymbol;
  EXPECT_EQ(readCallGraph(cubin).back(),
            "section 9 ('.nv.callgraph'): record at offset 0x38: symbol 3 "
            "('v') is not a function");
}

TEST(CallGraph, PrototypeOutOfRange) {
  for (unsigned word : {7u, 11u}) {
    SmallCubin cubin;
    cubin.word(CallGraph, word) = 12;
    EXPECT_EQ(readCallGraph(cubin).back(),
              llvm::formatv("section 9 ('.nv.callgraph'): record at offset "
                            "{0:x}: string offset 0xc is past the string "
                            "table (0xc)",
                            word / 2 * 8)
                  .str());
  }
}

TEST(CallGraph, WithoutSymbolTable) {
  SmallCubin cubin;
  for (unsigned section : {Symtab, SymtabShndx, Rel, Rela})
    cubin.shdr(section).sh_type = SHT_PROGBITS;
  EXPECT_EQ(readCallGraph(cubin),
            Lines({"section 9 ('.nv.callgraph'): record at offset 0x8: symbol "
                   "index 1 is out of range: there are 0 symbols"}));
}

TEST(Prototype, Record) {
  SmallCubin cubin;
  EXPECT_EQ(readPrototypes(cubin), Lines({"2 is i(i)"}));
}

TEST(Prototype, Errors) {
  SmallCubin symbol;
  symbol.word(Prototype, 0) = VariableSymbol;
  EXPECT_EQ(readPrototypes(symbol),
            Lines({"section 10 ('.nv.prototype'): record at offset 0x0: symbol "
                   "3 ('v') is not a function"}));
  SmallCubin string;
  string.word(Prototype, 1) = ~0u;
  EXPECT_EQ(readPrototypes(string),
            Lines({"section 10 ('.nv.prototype'): record at offset 0x0: string "
                   "offset 0xffffffff is past the string table (0xc)"}));
  SmallCubin cut;
  cut.shdr(Prototype).sh_size = 4;
  EXPECT_EQ(readPrototypes(cut),
            Lines({"section 10 ('.nv.prototype'): record at offset 0x0 is cut "
                   "off"}));
}

} // namespace
