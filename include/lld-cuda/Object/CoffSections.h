//===- CoffSections.h - Section table of a COFF file ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The section table of a COFF object or PE file: names and contents of the
/// sections, and where the symbols are; nothing else is read. HostObject.cpp
/// and DeviceCode.cpp call it to find the device code in files for Windows,
/// whenever a link or a tool opens one; cubin-prune also changes such files
/// with it (ShortenCoff.cpp, Verify.cpp). Both kinds of object are read: those
/// with a 16-bit number of sections, and those with a 32-bit one (cl.exe's
/// /bigobj).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_COFFSECTIONS_H
#define LLD_CUDA_OBJECT_COFFSECTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace lld::cuda {

/// Where the symbol table is in the file.
struct CoffSymbolTable {
  /// Offset of the 32-bit header field that holds `offset`.
  uint64_t field = 0;
  uint64_t offset = 0;     ///< Offset of the table; 0 if there are no symbols.
  uint32_t count = 0;      ///< Number of symbols, counting auxiliary records.
  uint64_t symbolSize = 0; ///< COFF::Symbol16Size or COFF::Symbol32Size.

  uint64_t end() const { return offset + count * symbolSize; }
};

/// The sections of one file; an index is a COFF section number, from 1.
class CoffSections {
public:
  /// Reads the header of `data`, for which isCoffObject() or isPeImage() must
  /// be true, and which must outlive the object. Fails if the section table
  /// isn't within it.
  static llvm::Expected<CoffSections> create(llvm::StringRef data);

  /// Returns IMAGE_FILE_MACHINE_*; isCoffObject(data) must be true.
  static uint16_t getMachine(llvm::StringRef data);
  /// Returns ET_REL, ET_EXEC or ET_DYN, as HostObject::fileType has it.
  static uint16_t getFileType(llvm::StringRef data);

  /// Returns one more than the number of sections, since they are numbered from
  /// 1.
  size_t size() const { return size_t(count) + 1; }
  /// Returns a section's name. In a linked image it may have been cut off after
  /// 8 characters.
  llvm::Expected<llvm::StringRef> name(size_t index) const;
  /// Returns a section's bytes; empty if it has none in the file. `name` is
  /// used in errors.
  llvm::Expected<llvm::StringRef> contents(size_t index,
                                           llvm::StringRef name) const;

  /// Returns the offset of the section's header in the file.
  uint64_t headerOffset(size_t index) const;
  /// Returns where the symbols are. Not checked: that may be outside the file.
  const CoffSymbolTable &symbols() const { return symbolTable; }

private:
  llvm::Expected<llvm::StringRef> longName(size_t index, uint64_t offset) const;
  const char *header(size_t index) const {
    return data.data() + headerOffset(index);
  }

  llvm::StringRef data;
  uint64_t table = 0; ///< Offset of the section table in `data`.
  uint32_t count = 0;
  CoffSymbolTable symbolTable;
};

} // namespace lld::cuda

#endif
