//===- ELF.cpp - Names of a cubin's ELF constants -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns the numbers in a cubin's headers into names: section types, symbol
/// types, memory spaces, note types and flags of the file. lib/Dump calls these
/// functions when cubin-dump prints a cubin or cubin-diff compares two; the
/// linker (SettleRules.cpp) and cubin-prune find by it whether they know the
/// type of an input's section. CUDA's own constants come from tables
/// (SectionTypes.def, SymbolTypes.def, NoteTypes.def, FileFlags.def); those of
/// generic ELF are listed here.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/ELF.h"

using namespace llvm;

namespace lld::cuda::elf {

SmallVector<StringRef, 4> takeFileFlagNames(bool hasOldHeader,
                                            uint32_t &flags) {
  enum Layout { CUDA_12, CUDA_13 };
  const Layout layout = hasOldHeader ? CUDA_12 : CUDA_13;
  SmallVector<StringRef, 4> names;
#define CUDA_FILE_FIELD(LAYOUT, NAME, SHIFT, WIDTH, DESCRIPTION)               \
  if (layout == LAYOUT)                                                        \
    flags &= ~(((1u << WIDTH) - 1) << SHIFT);
#define CUDA_FILE_FLAG(LAYOUT, NAME, VALUE, DESCRIPTION)                       \
  if (layout == LAYOUT && flags & VALUE) {                                     \
    names.push_back(#NAME);                                                    \
    flags &= ~uint32_t(VALUE);                                                 \
  }
#include "lld-cuda/BinaryFormat/FileFlags.def"
  return names;
}

StringRef getSectionTypeName(uint32_t sectionType) {
  switch (sectionType) {
#define GENERIC(NAME)                                                          \
  case SHT_##NAME:                                                             \
    return #NAME;
    GENERIC(NULL)
    GENERIC(PROGBITS)
    GENERIC(SYMTAB)
    GENERIC(STRTAB)
    GENERIC(RELA)
    GENERIC(NOTE)
    GENERIC(NOBITS)
    GENERIC(REL)
    GENERIC(SYMTAB_SHNDX)
#undef GENERIC
#define CUDA_SECTION_TYPE(NAME, VALUE, NOBITS, DESCRIPTION)                    \
  case NAME:                                                                   \
    return StringRef(#NAME).drop_front(4);
#include "lld-cuda/BinaryFormat/SectionTypes.def"
  }
  return {};
}

StringRef getSymbolTypeName(uint8_t type) {
  switch (type) {
#define GENERIC(NAME)                                                          \
  case STT_##NAME:                                                             \
    return #NAME;
    GENERIC(NOTYPE)
    GENERIC(OBJECT)
    GENERIC(FUNC)
    GENERIC(SECTION)
    GENERIC(FILE)
#undef GENERIC
#define CUDA_SYMBOL_TYPE(NAME, VALUE, DESCRIPTION)                             \
  case VALUE:                                                                  \
    return #NAME;
#include "lld-cuda/BinaryFormat/SymbolTypes.def"
  }
  return {};
}

StringRef getSymbolSpaceName(uint8_t other) {
  switch (other & STO_CUDA_SPACE_MASK) {
#define CUDA_SYMBOL_SPACE(NAME, VALUE, DESCRIPTION)                            \
  case VALUE:                                                                  \
    return #NAME;
#include "lld-cuda/BinaryFormat/SymbolTypes.def"
  }
  return {};
}

StringRef getNoteTypeName(uint32_t type) {
  switch (type) {
#define CUDA_NOTE(NAME, VALUE, DESCRIPTION)                                    \
  case VALUE:                                                                  \
    return #NAME;
#include "lld-cuda/BinaryFormat/NoteTypes.def"
  }
  return {};
}

} // namespace lld::cuda::elf
