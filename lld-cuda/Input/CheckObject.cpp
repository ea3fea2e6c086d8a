//===- CheckObject.cpp - What the merge relies on -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkObject() says why an object can't be merged, naming the damaged section
/// or symbol. It is called when the object's facts are found and, where that
/// failed, again when mergeObject() in Merge.cpp is about to merge the object
/// and reports the error. The reader of cubins has checked that all indices and
/// offsets are in range. The merge relies on more: that what an index names is
/// of the right kind, that the native and the Mercury view of an object
/// (docs/reference/mercury.md) fit together, and that the sizes of a link add
/// up to no more than any memory. As they are checked here, no later pass has
/// to.
///
//===----------------------------------------------------------------------===//

#include "Input/CheckObject.h"
#include "FactMemory.h"
#include "Input/ObjectFacts.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

class ObjectChecker {
public:
  ObjectChecker(const CubinFile &file, const ObjectFacts &facts, bool isMercury,
                FactMemory &memory, uint64_t total)
      : total(total), file(file), facts(facts), isMercury(isMercury),
        memory(memory) {}
  /// Returns false, with `why` set, if the object can't be merged.
  bool run();

  std::string why;
  uint64_t total; ///< The memory so far, in bytes.

private:
  bool checkSection(unsigned section);
  bool checkNoteSection(unsigned section);
  bool checkSymbol(unsigned symbol);
  bool checkPlace(unsigned symbol);
  bool checkFunction(unsigned symbol);
  bool checkVariable(unsigned symbol);
  bool checkTwin(unsigned native, unsigned twin);
  bool hasMercuryView(unsigned section) const;
  /// `describe()`: what asks for the memory.
  template <typename Fn>
  bool addMemory(uint64_t size, uint64_t align, Fn describe);

  uint32_t twinOf(unsigned section) const {
    return facts.twins.empty() ? 0 : facts.twins[section];
  }
  LLVM_ATTRIBUTE_NOINLINE bool damaged(const Twine &text) {
    why = text.str();
    return false;
  }
  /// Kept apart from the checks, which nearly all sections and symbols pass.
  LLVM_ATTRIBUTE_NOINLINE bool damagedSection(unsigned section,
                                              const Twine &why) {
    return damaged(describe(section) + why);
  }
  LLVM_ATTRIBUTE_NOINLINE bool damagedSection(unsigned section, Error e) {
    return damagedSection(section, ": " + toString(std::move(e)));
  }
  LLVM_ATTRIBUTE_NOINLINE bool damagedSymbol(unsigned symbol,
                                             const Twine &why) {
    return damaged(describeSymbol(symbol) + why);
  }
  std::string describeSymbol(unsigned symbol) const;
  std::string describe(unsigned section) const {
    return ("section " + Twine(section) + " ('" + file.sectionName(section) +
            "')")
        .str();
  }

  const CubinFile &file;
  const ObjectFacts &facts;
  const bool isMercury;
  FactMemory &memory;
};

} // namespace

template <typename Fn>
LLVM_ATTRIBUTE_NOINLINE bool
ObjectChecker::addMemory(uint64_t size, uint64_t align, Fn describe) {
  // Padding is at most the alignment.
  if (size < MaxMemory && align < MaxMemory) {
    total += size + align;
    if (total < MaxMemory)
      return true;
  }
  return damaged(
      describe() + ": its " + Twine(size) +
      " bytes, added to those before it, are more than any memory has");
}

LLVM_ATTRIBUTE_NOINLINE bool ObjectChecker::checkNoteSection(unsigned section) {
  const Elf_Shdr &shdr = file.sections()[section];
  if (Error e = memory.checkNotes(file.contents(section),
                                  shdr.sh_flags & SHF_CUDA_TKINFO))
    return damagedSection(section, std::move(e));
  // Notes of several objects are joined without a gap.
  if (shdr.sh_addralign > NoteAlignment || shdr.sh_size % NoteAlignment)
    return damagedSection(
        section, ": has " + Twine(shdr.sh_size) +
                     " bytes of notes, aligned to " + Twine(shdr.sh_addralign) +
                     "; must have a multiple of 4, aligned to at "
                     "most 4");
  return true;
}

bool isDebugSection(StringRef name) {
  // Most names begin with ".nv.", ".rel" or ".text.".
  if (name.size() < 5 || (name[1] != 'd' && name[3] != '_' && name[4] != 't'))
    return false;
  return name.starts_with(".debug_") || name.starts_with(".nv_debug_") ||
         name.starts_with(".nv.tileir.debug_");
}

/// The entries of a table of unified functions or variables.
static Error checkUnifiedTable(const CubinFile &file, unsigned section) {
  ArrayRef<uint8_t> bytes = file.contents(section);
  if (bytes.size() % UnifiedEntrySize)
    return createStringError("its size is not a multiple of 32");
  const bool isFunctions =
      file.sections()[section].sh_type == SHT_CUDA_UFT_ENTRY;
  ArrayRef<Elf_Sym> symbols = file.symtab().symbols;
  for (size_t at = 0; at != bytes.size(); at += UnifiedEntrySize) {
    const uint32_t index = support::endian::read32le(bytes.data() + at);
    if (index == 0 || index >= symbols.size())
      return createStringError("the entry at 0x" + Twine::utohexstr(at) +
                               " names symbol " + Twine(index) +
                               ", which doesn't exist");
    const Elf_Sym &sym = symbols[index];
    const uint8_t type = sym.getType();
    const bool fits = isFunctions
                          ? type == STT_FUNC
                          : type == STT_OBJECT || type == STT_CUDA_OBJECT;
    if (!fits || sym.st_shndx == SHN_UNDEF)
      return createStringError("the entry at 0x" + Twine::utohexstr(at) +
                               " names symbol " + Twine(index) +
                               ", which is not a defined " +
                               (isFunctions ? "function" : "variable"));
  }
  return Error::success();
}

/// A cheap test that most names fail: they begin with ".nv.", ".rel" or
/// ".text.".
static bool mayBeDebugSection(const char *name) {
  if (name[0] != '.' || (name[1] != 'd' && name[1] != 'n'))
    return false;
  return name[1] == 'd' ||
         (name[2] == 'v' &&
          (name[3] == '_' || (name[3] == '.' && name[4] == 't')));
}

LLVM_ATTRIBUTE_ALWAYS_INLINE bool
ObjectChecker::checkSection(unsigned section) {
  const Elf_Shdr &shdr = file.sections()[section];
  const bool isRelocations =
      shdr.sh_type == SHT_REL || shdr.sh_type == SHT_RELA;
  if (isRelocations && shdr.sh_info < file.sections().size() &&
      isUnifiedTable(file.sections()[shdr.sh_info].sh_type))
    return damagedSection(section, ": it relocates a table of unified symbols, "
                                   "which can't have relocations");
  // Sections of debug information are recognized by their names.
  if (shdr.sh_type != SHT_PROGBITS &&
      mayBeDebugSection(file.sectionNameStart(section)) &&
      isDebugSection(file.sectionName(section)))
    return damagedSection(section, ": its type 0x" +
                                       Twine::utohexstr(shdr.sh_type) +
                                       " is not that of debug information");
  switch (shdr.sh_type) {
  case SHT_NOTE:
    if (!checkNoteSection(section))
      return false;
    break;
  case SHT_REL:
    // Passes rely on RELA sections in objects with a Mercury view.
    if (isMercury && shdr.sh_size)
      return damagedSection(section,
                            ": REL relocations, which no compiler makes for "
                            "this architecture");
    break;
  case SHT_CUDA_UFT_ENTRY:
  case SHT_CUDA_UDT_ENTRY:
    if (Error e = checkUnifiedTable(file, section))
      return damagedSection(section, std::move(e));
    break;
  case SHT_CUDA_UFT:
    if (!facts.textOwner[section])
      return damagedSection(section,
                            ": no stub of a unified function is defined there");
    break;
  default:
    break;
  }
  if (isNoBits(shdr.sh_type, shdr.sh_flags) &&
      !addMemory(shdr.sh_size, shdr.sh_addralign,
                 [&] { return describe(section); }))
    return false;
  if (uint32_t twin = twinOf(section))
    return checkTwin(section, twin);
  return true;
}

/// The type of the twin where it has a structure: relocations, attributes,
/// tables of unified symbols and code. All others' twins are plain bytes.
static uint32_t getStructuredTwinType(uint32_t nativeType, bool isCode) {
  if (isCode)
    return getTwinFacts(SectionKind::Code).type;
  for (SectionKind kind :
       {SectionKind::Rela, SectionKind::ResolvedRela, SectionKind::Info,
        SectionKind::FunctionTable, SectionKind::VariableTable})
    if (getSectionFacts(kind).type == nativeType)
      return getTwinFacts(kind).type;
  return SHT_NULL;
}

static bool isStructuredTwinType(uint32_t type) {
  return type == SHT_CUDA_MERC_RELA || type == SHT_CUDA_MERC_RESOLVED_RELA ||
         type == SHT_CUDA_MERC_INFO || type == SHT_CUDA_CAPMERC ||
         isUnifiedTable(type);
}

LLVM_ATTRIBUTE_NOINLINE bool ObjectChecker::checkTwin(unsigned native,
                                                      unsigned twin) {
  const Elf_Shdr &shdr = file.sections()[twin];
  const uint32_t wanted = getStructuredTwinType(file.sections()[native].sh_type,
                                                facts.textOwner[native]);
  if (wanted ? shdr.sh_type != wanted : isStructuredTwinType(shdr.sh_type))
    return damaged(describe(twin) + ": its type 0x" +
                   Twine::utohexstr(shdr.sh_type) +
                   " is not that of a Mercury view of " + describe(native));
  if (wanted != SHT_CUDA_MERC_RELA)
    return true;
  const uint32_t target = file.sections()[native].sh_info;
  if (twinOf(target) == shdr.sh_info && hasMercuryView(target))
    return true;
  return damaged(describe(twin) + ": it applies to section " +
                 Twine(shdr.sh_info) + ", which is not the Mercury view of " +
                 describe(target));
}

/// Whether the output has a Mercury view of such sections, with relocations.
bool ObjectChecker::hasMercuryView(unsigned section) const {
  const Elf_Shdr &shdr = file.sections()[section];
  // Whether a parameter bank has a twin depends on texture slots, so it may.
  if (facts.textOwner[section] || shdr.sh_type == SHT_CUDA_CONSTANT_B0)
    return true;
  const SectionKind kind =
      getContentKind(file.sectionName(section), shdr.sh_type, shdr.sh_flags);
  return getTwinFacts(kind) && !isUnifiedTable(shdr.sh_type);
}

/// Whether variables can be defined in sections of that type.
static bool holdsData(const Elf_Shdr &shdr) {
  if (shdr.sh_flags & (SHF_EXECINSTR | SHF_CUDA_MERCURY))
    return false;
  switch (shdr.sh_type) {
  case SHT_PROGBITS:
  case SHT_NOBITS:
  case SHT_CUDA_GLOBAL:
  case SHT_CUDA_GLOBAL_INIT:
  case SHT_CUDA_LOCAL:
  case SHT_CUDA_SHARED:
  case SHT_CUDA_RESERVED_SHARED:
  case SHT_CUDA_UFT:
  case SHT_CUDA_UDT:
    return true;
  default:
    return isConstantBank(shdr.sh_type);
  }
}

std::string ObjectChecker::describeSymbol(unsigned symbol) const {
  const CubinSymbolTable &table = file.symtab();
  return ("symbol " + Twine(symbol) + " ('" +
          table.name(table.symbols[symbol]) + "')")
      .str();
}

/// A defined symbol must be in a section: neither absolute nor common.
bool ObjectChecker::checkPlace(unsigned symbol) {
  const uint32_t section = file.sectionIndex(symbol);
  if (section < file.sections().size())
    return true;
  return damagedSymbol(symbol, ": it is defined, but its section index is 0x" +
                                   Twine::utohexstr(section));
}

bool ObjectChecker::checkVariable(unsigned symbol) {
  const Elf_Sym &sym = file.symtab().symbols[symbol];
  if (sym.st_shndx == SHN_UNDEF)
    return true;
  const bool isCommon = file.isCommon(symbol);
  const bool isShared = (sym.st_other & STO_CUDA_SPACE_MASK) == STO_CUDA_SHARED;
  if (isCommon &&
      ((sym.st_value & (sym.st_value - 1)) || sym.st_value > uint64_t(1) << 32))
    return damagedSymbol(symbol, ": its alignment " + Twine(sym.st_value) +
                                     " is not a power of two up to 2^32");
  // The value is the alignment; that of a shared variable is checked later.
  if ((isCommon || isShared) &&
      !addMemory(sym.st_size, isCommon ? uint64_t(sym.st_value) : 0,
                 [&] { return describeSymbol(symbol); }))
    return false;
  if (isCommon)
    return true;
  if (!checkPlace(symbol))
    return false;
  const uint32_t section = file.sectionIndex(symbol);
  if (!holdsData(file.sections()[section]))
    return damagedSymbol(symbol, ": it is defined in " + describe(section) +
                                     ", which holds no data");
  return true;
}

bool ObjectChecker::checkFunction(unsigned symbol) {
  if (file.symtab().symbols[symbol].st_shndx == SHN_UNDEF)
    return true;
  if (!facts.twins.empty() && symbol >= file.mercurySymtab().symbols.size())
    return damagedSymbol(
        symbol, ": it is a function that the Mercury view doesn't have");
  return checkPlace(symbol);
}

bool ObjectChecker::checkSymbol(unsigned symbol) {
  const Elf_Sym &sym = file.symtab().symbols[symbol];
  switch (sym.getType()) {
  case STT_OBJECT:
  case STT_CUDA_OBJECT:
  case STT_CUDA_TEXTURE:
  case STT_CUDA_SAMPLER:
  case STT_CUDA_SURFACE:
    return checkVariable(symbol);
  case STT_FUNC:
    return checkFunction(symbol);
  default:
    return true;
  }
}

bool ObjectChecker::run() {
  for (unsigned i = 1; i < file.sections().size(); ++i)
    if (!checkSection(i))
      return false;
  for (unsigned i = 1; i < file.symtab().symbols.size(); ++i)
    if (!checkSymbol(i))
      return false;
  return true;
}

std::optional<std::string> checkObject(const CubinFile &file,
                                       const ObjectFacts &facts, bool isMercury,
                                       FactMemory &memory, uint64_t &total) {
  ObjectChecker checker(file, facts, isMercury, memory, total);
  if (!checker.run())
    return std::move(checker.why);
  total = checker.total;
  return std::nullopt;
}

} // namespace lld::cuda
