//===- Names.h - Names for numbers and indices ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Names for the numbers of a cubin: enumerators ("FUNC", "ALLOC"), and the
/// labels by which facts refer to sections and symbols. Numbers without a name
/// are given in hexadecimal.
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
/// Visibility (unless default), ENTRY, MANAGED, the memory space.
std::vector<std::string> symbolOtherNames(uint8_t other, unsigned symbolType);

/// A number in hexadecimal: "0x" and its digits.
std::string hexText(uint64_t number);

/// Labels of a cubin's sections and symbols.
struct Labels {
  std::vector<std::string> sections;
  std::vector<std::string> symbols;        ///< CubinFile::symtab()'s.
  std::vector<std::string> mercurySymbols; ///< mercurySymtab()'s.

  /// Labels for readers: the name; "name#index" where several have that name;
  /// "#index" without one.
  static Labels forReaders(const CubinFile &file);

  /// For st_shndx as resolved by CubinFile: also UNDEF, ABS and COMMON.
  std::string sectionOfSymbol(const CubinFile &file,
                              const CubinSymbolTable &table,
                              unsigned symbol) const;
  /// The labels of the table that section `section` refers to (its sh_link),
  /// those of the native one if it refers to none.
  const std::vector<std::string> &symbolsFor(const CubinFile &file,
                                             unsigned section) const;
  /// "none" for index 0, "#index" when out of range.
  std::string symbol(const CubinFile &file, unsigned section,
                     uint32_t index) const;
};

/// The symbol table that section `section` refers to by sh_link; the native
/// one if it refers to none.
const CubinSymbolTable &symbolTableFor(const CubinFile &file, unsigned section);

} // namespace lld::cuda

#endif
