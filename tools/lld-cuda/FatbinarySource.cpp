//===- FatbinarySource.cpp - Writes a fatbin as C source ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a fatbin as a C or C++ source file, which nvcc's generated files
/// include. Fatbinary.cpp calls writeFatbinarySource() for --embedded-fatbin,
/// when the fatbin is complete. The form is NVIDIA's fatbinary's, down to its
/// blanks: caches of compilers, and those who compare builds, see no
/// difference.
///
//===----------------------------------------------------------------------===//

#include "FatbinarySource.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

constexpr size_t WordSize = 8, WordsInLine = 4;
constexpr StringLiteral BeginC = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
                        EndC = "#ifdef __cplusplus\n}\n#endif\n";

void writeWord(raw_ostream &out, StringRef fatbin, size_t word) {
  const auto value = support::endian::read64le(fatbin.data() + word * WordSize);
  out << "0x" << format_hex_no_prefix(value, 16);
}

/// Words of an incomplete line have a blank between them.
void writeAsm(raw_ostream &out, StringRef fatbin, StringRef section) {
  const size_t words = fatbin.size() / WordSize;
  out << "asm(\n\".section " << section
      << ", \\\"a\\\"\\n\"\n\".align 8\\n\"\n\"fatbinData:\\n\"\n";
  for (size_t i = 0; i < words; i += WordsInLine) {
    const size_t end = std::min(i + WordsInLine, words);
    const char *comma = end - i == WordsInLine ? "," : ", ";
    out << "\".quad ";
    for (size_t word = i; word != end; ++word) {
      if (word != i)
        out << comma;
      writeWord(out, fatbin, word);
    }
    out << "\\n\"\n";
  }
  out << "\".text\\n\");\n"
      << BeginC << "extern const unsigned long long fatbinData[" << words
      << "];\n"
      << EndC;
}

/// Words of complete lines have a comma behind them, even the last one.
void writeArray(raw_ostream &out, StringRef fatbin) {
  const size_t words = fatbin.size() / WordSize;
  out << BeginC
      << "\nstatic const unsigned long long fatbinData[] __attribute__ "
         "((section (__CUDAFATBINDATASECTION)))= {";
  for (size_t word = 0; word != words; ++word) {
    writeWord(out, fatbin, word);
    out << "ull";
    if ((word + 1) % WordsInLine == 0)
      out << ",\n";
    else if (word + 1 != words)
      out << ',';
  }
  out << "\n};\n\n" << EndC << '\n';
}

} // namespace

std::string writeFatbinarySource(StringRef fatbin,
                                 const FatbinarySource &source) {
  const StringRef section =
      source.isRelocatable ? "__nv_relfatbin" : ".nv_fatbin";
  std::string text;
  text.reserve(fatbin.size() * 5 / 2 + 4096);
  raw_string_ostream out(text);
  out << "#ifndef __SKIP_INTERNAL_FATBINARY_HEADERS\n"
         "#include \"fatbinary_section.h\"\n#endif\n"
         "#define __CUDAFATBINSECTION  \".nvFatBinSegment\"\n"
         "#define __CUDAFATBINDATASECTION  \""
      << section << "\"\n";
  if (source.usesAsm)
    writeAsm(out, fatbin, section);
  else
    writeArray(out, fatbin);
  out << BeginC;
  if (source.isRelocatable)
    out << "#undef __FATIDNAME_CORE\n#undef __FATIDNAME\n"
           "#define __FATIDNAME_CORE(x) __fatbinwrap##x\n"
           "#define __FATIDNAME(x) __FATIDNAME_CORE(x)\n"
           "extern const __fatBinC_Wrapper_t __FATIDNAME(__NV_MODULE_ID)";
  else
    out << "static const __fatBinC_Wrapper_t __fatDeviceText";
  out << " __attribute__ ((aligned (8))) __attribute__ ((section "
         "(__CUDAFATBINSECTION)))= \n\t{ 0x466243b1, "
      << (source.isLinked ? "2, fatbinData, (void**)__cudaPrelinkedFatbins"
                          : "1, fatbinData, 0")
      << " };\n";
  if (source.undefines)
    out << "#undef __CUDAFATBINDATASECTION\n#undef __CUDAFATBINSECTION\n";
  out << EndC;
  return text;
}
