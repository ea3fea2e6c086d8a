//===- ImageEditor.h - Changes fields of a linked cubin ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A helper of CheckTest.cpp, which tests --check: it finds fields of a linked
/// cubin by name, so that a test can change them as a mistake of the linker
/// would. The test program ends if a field doesn't exist.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_UNITTESTS_CHECK_IMAGEEDITOR_H
#define LLD_CUDA_UNITTESTS_CHECK_IMAGEEDITOR_H

#include "lld-cuda/BinaryFormat/NvInfo.h"
#include "lld-cuda/Object/Cubin.h"
#include <vector>

namespace lld::cuda::test {

/// Owns a copy of the image. All references that it returns are into the copy.
class ImageEditor {
public:
  explicit ImageEditor(llvm::StringRef image)
      : bytes(image.begin(), image.end()) {}

  llvm::StringRef image() const { return {bytes.data(), bytes.size()}; }
  Elf_Ehdr &header() { return at<Elf_Ehdr>(0); }
  Elf_Shdr &section(llvm::StringRef name) { return section(indexOf(name)); }
  Elf_Phdr &segment(unsigned i) {
    return at<Elf_Phdr>(header().e_phoff + i * sizeof(Elf_Phdr));
  }
  uint8_t &byte(llvm::StringRef section, uint64_t offset) {
    return at<uint8_t>(beginOf(section) + offset);
  }
  llvm::support::ulittle32_t &word(llvm::StringRef section, uint64_t offset) {
    return at<llvm::support::ulittle32_t>(beginOf(section) + offset);
  }
  Elf_Sym &symbol(llvm::StringRef name, llvm::StringRef table = ".symtab");
  uint32_t symbolIndex(llvm::StringRef name, llvm::StringRef table = ".symtab");
  /// Returns symbol 0.
  Elf_Sym &nullSymbol() { return at<Elf_Sym>(beginOf(".symtab")); }
  Elf_Rela &rela(llvm::StringRef section, unsigned i) {
    return at<Elf_Rela>(beginOf(section) + i * sizeof(Elf_Rela));
  }
  /// Returns the first entry that refers to a symbol.
  Elf_Rela &rela(llvm::StringRef section, llvm::StringRef symbol,
                 llvm::StringRef table = ".symtab");
  Elf_Rel &rel(llvm::StringRef section, unsigned i) {
    return at<Elf_Rel>(beginOf(section) + i * sizeof(Elf_Rel));
  }
  /// Returns the header of the first record with a code, in .nv.info.F or the
  /// like.
  uint8_t *record(llvm::StringRef section, uint8_t code);
  /// Returns the payload of that record, as words.
  llvm::support::ulittle32_t *payload(llvm::StringRef section, uint8_t code) {
    return reinterpret_cast<llvm::support::ulittle32_t *>(
        record(section, code) + 4);
  }
  /// Returns the payload of the record of .nv.info with a code that is about a
  /// symbol.
  llvm::support::ulittle32_t *payloadOf(uint8_t code, llvm::StringRef symbol);
  /// Returns the first pair of .nv.callgraph or .nv.prototype whose first word
  /// is the symbol.
  llvm::support::ulittle32_t *pair(llvm::StringRef section,
                                   llvm::StringRef symbol);
  uint64_t beginOf(llvm::StringRef name) { return section(name).sh_offset; }
  uint32_t indexOf(llvm::StringRef name);

private:
  template <typename T> T &at(uint64_t offset) {
    if (offset + sizeof(T) > bytes.size())
      fail("the end of the file");
    return *reinterpret_cast<T *>(bytes.data() + offset);
  }
  Elf_Shdr &section(uint32_t index) {
    return at<Elf_Shdr>(header().e_shoff + index * sizeof(Elf_Shdr));
  }
  [[noreturn]] static void fail(llvm::StringRef what);

  std::vector<char> bytes;
};

} // namespace lld::cuda::test

#endif
