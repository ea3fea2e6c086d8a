//===- CoffSections.h - Sections of a COFF object ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The section table of a COFF object or PE file, the names of its sections,
/// and where its symbols are; nothing else is read. Both kinds of object: with
/// 16 bits for the number of sections, and with 32 (cl.exe's /bigobj).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_COFFSECTIONS_H
#define LLD_CUDA_OBJECT_COFFSECTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace lld::cuda {

/// Where the symbols are.
struct CoffSymbolTable {
  uint64_t field = 0;      ///< Of the header, which has the offset: 32 bits.
  uint64_t offset = 0;     ///< 0: there are none.
  uint32_t count = 0;      ///< With their auxiliary records.
  uint64_t symbolSize = 0; ///< COFF::Symbol16Size or COFF::Symbol32Size.

  uint64_t end() const { return offset + count * symbolSize; }
};

class CoffSections {
public:
  /// `data`: of which isCoffObject or isPeImage holds. Fails if the section
  /// table isn't within it.
  static llvm::Expected<CoffSections> create(llvm::StringRef data);

  /// IMAGE_FILE_MACHINE_*, of data of which isCoffObject holds.
  static uint16_t getMachine(llvm::StringRef data);
  /// ET_REL, ET_EXEC or ET_DYN: what HostObject::fileType says of a COFF file.
  static uint16_t getFileType(llvm::StringRef data);

  /// The number of sections and 1: they count from 1.
  size_t size() const { return size_t(count) + 1; }
  /// Linkers cut names in images after 8 characters, some keep them whole.
  llvm::Expected<llvm::StringRef> name(size_t index) const;
  /// Empty if the section has no bytes in the file. `name` is for errors.
  llvm::Expected<llvm::StringRef> contents(size_t index,
                                           llvm::StringRef name) const;

  /// Where the section's header is in the file.
  uint64_t headerOffset(size_t index) const;
  /// It may lie outside of the file.
  const CoffSymbolTable &symbols() const { return symbolTable; }

private:
  llvm::Expected<llvm::StringRef> longName(size_t index, uint64_t offset) const;
  const char *header(size_t index) const {
    return data.data() + headerOffset(index);
  }

  llvm::StringRef data;
  uint64_t table = 0; ///< Offset in `data`.
  uint32_t count = 0;
  CoffSymbolTable symbolTable;
};

} // namespace lld::cuda

#endif
