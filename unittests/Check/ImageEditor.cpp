//===- ImageEditor.cpp - An output with one thing wrong -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageEditor.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using support::ulittle32_t;

namespace lld::cuda::test {

void ImageEditor::fail(StringRef what) {
  report_fatal_error("the output to change lacks " + what);
}

uint32_t ImageEditor::indexOf(StringRef name) {
  const uint64_t names = section(uint32_t(header().e_shstrndx)).sh_offset;
  for (uint32_t i = 1; i < header().e_shnum; ++i)
    if (&at<char>(names + section(i).sh_name) == name)
      return i;
  fail(name);
}

uint32_t ImageEditor::symbolIndex(StringRef name, StringRef table) {
  const Elf_Shdr &shdr = section(table);
  const uint64_t names = section(uint32_t(shdr.sh_link)).sh_offset;
  for (uint32_t i = 1; i < shdr.sh_size / sizeof(Elf_Sym); ++i) {
    const Elf_Sym &sym = at<Elf_Sym>(shdr.sh_offset + i * sizeof(Elf_Sym));
    if (&at<char>(names + sym.st_name) == name)
      return i;
  }
  fail(name);
}

Elf_Sym &ImageEditor::symbol(StringRef name, StringRef table) {
  return at<Elf_Sym>(beginOf(table) +
                     symbolIndex(name, table) * sizeof(Elf_Sym));
}

Elf_Rela &ImageEditor::rela(StringRef name, StringRef symbol, StringRef table) {
  const uint32_t index = symbolIndex(symbol, table);
  for (unsigned i = 0; i < section(name).sh_size / sizeof(Elf_Rela); ++i)
    if (rela(name, i).getSymbol(false) == index)
      return rela(name, i);
  fail(name);
}

uint8_t *ImageEditor::record(StringRef name, uint8_t code) {
  const Elf_Shdr &shdr = section(name);
  uint64_t p = shdr.sh_offset;
  const uint64_t end = p + shdr.sh_size;
  while (p + 4 <= end) {
    uint8_t *r = &at<uint8_t>(p);
    if (r[1] == code)
      return r;
    p += 4 + (r[0] == elf::EIFMT_SVAL ? support::endian::read16le(r + 2) : 0);
  }
  fail(name);
}

ulittle32_t *ImageEditor::payloadOf(uint8_t code, StringRef symbol) {
  const Elf_Shdr &shdr = section(".nv.info");
  const uint32_t index = symbolIndex(symbol);
  uint64_t p = shdr.sh_offset;
  const uint64_t end = p + shdr.sh_size;
  while (p + 8 <= end) {
    uint8_t *r = &at<uint8_t>(p);
    auto *words = reinterpret_cast<ulittle32_t *>(r + 4);
    if (r[0] == elf::EIFMT_SVAL && r[1] == code && words[0] == index)
      return words;
    p += 4 + (r[0] == elf::EIFMT_SVAL ? support::endian::read16le(r + 2) : 0);
  }
  fail(symbol);
}

ulittle32_t *ImageEditor::pair(StringRef name, StringRef symbol) {
  const uint32_t index = symbolIndex(symbol);
  for (uint64_t at = 0; at < section(name).sh_size; at += 8)
    if (word(name, at) == index)
      return &word(name, at);
  fail(symbol);
}

} // namespace lld::cuda::test
