//===- Names.h - Names for the numbers in a cubin ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Names for the numbers in a cubin: enumerators ("FUNC", "ALLOC"), and the
/// labels with which facts (Fact.h) refer to sections and symbols. The readers
/// in lib/Dump use them whenever they make facts; cubin-dump and cubin-diff
/// make the labels of a file once, after opening it. Numbers without a name are
/// printed in hexadecimal.
///
/// From sm_100 on, a cubin has a second symbol table for NVIDIA's "Mercury"
/// form of the code beside the native one (docs/reference/mercury.md).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DUMP_NAMES_H
#define LLD_CUDA_DUMP_NAMES_H

#include "lld-cuda/Object/Cubin.h"
#include <string>
#include <vector>

namespace lld::cuda {

std::string fileTypeName(unsigned type);         ///< "EXEC"
std::string osAbiName(unsigned osAbi);           ///< "CUDA_13"
std::string segmentTypeName(unsigned type);      ///< "LOAD"
std::string sectionTypeName(unsigned type);      ///< "PROGBITS", "CUDA_INFO"
std::string symbolTypeName(unsigned type);       ///< "FUNC"
std::string symbolBindingName(unsigned binding); ///< "WEAK"
std::string relocationName(uint32_t type);       ///< "R_CUDA_ABS32_LO_32"
std::string noteTypeName(uint32_t type);         ///< "CUINFO"
std::vector<std::string> segmentFlagNames(uint32_t flags);
std::vector<std::string> sectionFlagNames(uint64_t flags);
/// Returns the names in st_other: the visibility (unless default), ENTRY,
/// MANAGED, the memory space. Their meaning depends on the symbol's type.
std::vector<std::string> symbolOtherNames(uint8_t other, unsigned symbolType);

/// Returns a number in hexadecimal: "0x" and its digits.
std::string hexText(uint64_t number);

/// Labels of a cubin's sections and symbols.
struct Labels {
  std::vector<std::string> sections;
  std::vector<std::string> symbols; ///< Indexed like CubinFile::symtab().
  std::vector<std::string> mercurySymbols; ///< Indexed like mercurySymtab().

  /// Makes labels for people: the name, "name#index" if several have the name,
  /// "#index" without a name.
  static Labels forReaders(const CubinFile &file);

  /// Returns the label of the section that the symbol is in, or UNDEF, ABS or
  /// COMMON.
  std::string sectionOfSymbol(const CubinFile &file,
                              const CubinSymbolTable &table,
                              unsigned symbol) const;
  /// Returns the labels of the symbol table to which sh_link of section
  /// `section` refers, or those of the native table if it refers to none. They
  /// are a member of this object.
  const std::vector<std::string> &symbolsFor(const CubinFile &file,
                                             unsigned section) const;
  /// Returns the label of symbol `index` of that table; "none" for index 0,
  /// "#index" if out of range.
  std::string symbol(const CubinFile &file, unsigned section,
                     uint32_t index) const;
};

/// Returns the symbol table to which sh_link of section `section` refers, or
/// the native one if it refers to none.
const CubinSymbolTable &symbolTableFor(const CubinFile &file, unsigned section);

} // namespace lld::cuda

#endif
