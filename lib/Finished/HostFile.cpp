//===- HostFile.cpp - How a program loads its libraries -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads an ELF program or shared library for the host: the libraries that it
/// needs, the paths in which they are searched, and how its device code is
/// registered with the CUDA runtime. cubin-check reads each such file with it
/// (Facts.cpp), and LibrarySearch.cpp and ReadResources.cpp while they look for
/// the libraries of a program. What the loader uses is read as the loader does
/// it, by segments. Symbols and sections may have been stripped; what only they
/// say is then unknown, and no error. The sections of a hostile file may
/// overlap, so what is read in all is limited by the file's size.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Finished/HostFile.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include <limits>
#include <map>

using namespace llvm;
using namespace llvm::object;

namespace lld::cuda {

namespace {

/// Comes before a kernel's name in the name of its stub, the host function that
/// launches the kernel.
constexpr StringLiteral StubMark = "__device_stub__";

template <class ELFT> class HostReader {
public:
  explicit HostReader(const ELFFile<ELFT> &elf)
      : elf(elf), workLeft(Base + Share * elf.getBufSize()) {}

  Expected<HostFile> run() {
    const typename ELFT::Ehdr &header = elf.getHeader();
    host.type = header.e_type;
    host.machine = header.e_machine;
    host.is64 = ELFT::Is64Bits;
    host.isBigEndian = ELFT::Endianness == endianness::big;
    Expected<typename ELFT::PhdrRange> found = elf.program_headers();
    if (!found)
      return found.takeError();
    segments = *found;
    host.isProgram = host.type == ELF::ET_EXEC;
    for (const typename ELFT::Phdr &segment : segments) {
      host.isProgram |= segment.p_type == ELF::PT_INTERP;
      if (segment.p_type == ELF::PT_DYNAMIC)
        if (Error e = readDynamic(segment))
          return e;
    }
    if (header.e_shoff)
      if (Error e = readSections())
        return e;
    llvm::sort(host.sharedVariables);
    return std::move(host);
  }

private:
  StringRef bytes() const {
    return StringRef(reinterpret_cast<const char *>(elf.base()),
                     elf.getBufSize());
  }

  /// Sections, segments and names of a hostile file may all be the same bytes.
  /// Those of linkers hardly overlap, so that the file's size bounds the work.
  Error spend(uint64_t bytes) {
    if (bytes > workLeft)
      return createStringError("its sections, segments or names overlap");
    workLeft -= bytes;
    return Error::success();
  }

  /// Where an address lies in the file; all ones if it isn't there.
  uint64_t findOffset(uint64_t address) const {
    for (const typename ELFT::Phdr &segment : segments)
      if (segment.p_type == ELF::PT_LOAD && address >= segment.p_vaddr &&
          address - segment.p_vaddr < segment.p_filesz)
        return segment.p_offset + (address - segment.p_vaddr);
    return std::numeric_limits<uint64_t>::max();
  }

  Error readDynamic(const typename ELFT::Phdr &segment) {
    using Dyn = typename ELFT::Dyn;
    if (segment.p_offset > bytes().size() ||
        segment.p_filesz > bytes().size() - segment.p_offset)
      return createStringError("its dynamic section is cut off");
    if (Error e = spend(segment.p_filesz))
      return e;
    std::vector<uint64_t> needed;
    std::map<int64_t, uint64_t> last; // Of other tags the last entry counts.
    // It may lie anywhere in a hostile file.
    for (uint64_t at = 0; segment.p_filesz - at >= sizeof(Dyn);
         at += sizeof(Dyn)) {
      Dyn entry;
      std::memcpy(&entry, bytes().data() + segment.p_offset + at, sizeof(Dyn));
      const auto tag = int64_t(entry.d_tag);
      if (tag == ELF::DT_NULL)
        break;
      if (tag == ELF::DT_NEEDED)
        needed.push_back(entry.d_un.d_val);
      else
        last[tag] = entry.d_un.d_val;
    }
    const uint64_t offset = findOffset(last[ELF::DT_STRTAB]);
    const StringRef table = offset < bytes().size()
                                ? bytes().substr(offset, last[ELF::DT_STRSZ])
                                : StringRef();
    for (uint64_t value : needed)
      if (Error e = readEntry(ELF::DT_NEEDED, value, table))
        return e;
    for (auto [tag, value] : last)
      if (Error e = readEntry(tag, value, table))
        return e;
    return Error::success();
  }

  Error readEntry(int64_t tag, uint64_t value, StringRef table) {
    switch (tag) {
    case ELF::DT_FLAGS_1:
      host.isWithoutDefaultFolders = value & ELF::DF_1_NODEFLIB;
      return Error::success();
    case ELF::DT_FLAGS:
      host.bindsToItself |= bool(value & ELF::DF_SYMBOLIC);
      return Error::success();
    case ELF::DT_SYMBOLIC:
      host.bindsToItself = true;
      return Error::success();
    case ELF::DT_RUNPATH:
      host.hasRunPath = true;
      break;
    case ELF::DT_NEEDED:
    case ELF::DT_SONAME:
    case ELF::DT_RPATH:
      break;
    default:
      return Error::success();
    }
    const size_t end = table.find('\0', value);
    if (value >= table.size() || end == StringRef::npos)
      return createStringError("a name in its dynamic section is cut off");
    StringRef text = table.slice(value, end);
    if (Error e = spend(text.size()))
      return e;
    // No program has so many; each is looked for in many folders.
    constexpr size_t MaxNeeded = 4096;
    if (host.needed.size() == MaxNeeded)
      return createStringError("it loads more than " + Twine(MaxNeeded) +
                               " libraries");
    if (tag == ELF::DT_NEEDED)
      host.needed.push_back(text.str());
    else if (tag == ELF::DT_SONAME)
      host.soname = text.str();
    else
      return readPath(text,
                      tag == ELF::DT_RUNPATH ? host.runPath : host.oldRunPath);
    return Error::success();
  }

  static Error readPath(StringRef text, std::vector<std::string> &folders) {
    constexpr size_t MaxFolders = 1 << 16;
    if (text.count(':') >= MaxFolders)
      return createStringError("it names more than " + Twine(MaxFolders) +
                               " folders of libraries");
    SmallVector<StringRef, 8> parts;
    text.split(parts, ':', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef part : parts)
      folders.push_back(part.str());
    return Error::success();
  }

  Error readSections() {
    Expected<typename ELFT::ShdrRange> sections = elf.sections();
    if (!sections)
      return sections.takeError();
    Expected<StringRef> names = elf.getSectionStringTable(*sections);
    if (!names)
      return names.takeError();
    for (const typename ELFT::Shdr &section : *sections) {
      if (section.sh_type == ELF::SHT_DYNSYM ||
          section.sh_type == ELF::SHT_SYMTAB)
        if (Error e = readSymbols(section))
          return e;
      if (section.sh_type == ELF::SHT_NOBITS)
        continue;
      Expected<StringRef> name = elf.getSectionName(section, *names);
      if (!name)
        return name.takeError();
      if (*name != "__nv_module_id" && !name->starts_with(".nvFatBinSegment"))
        continue;
      Expected<ArrayRef<uint8_t>> contents = elf.getSectionContents(section);
      if (!contents)
        return contents.takeError();
      if (Error e = spend(contents->size()))
        return e;
      if (*name == "__nv_module_id")
        readModuleIds(toStringRef(*contents));
      else if (Error e = readWrappers(section.sh_addr, *contents, *sections))
        return e;
    }
    return Error::success();
  }

  void readModuleIds(StringRef list) {
    for (StringRef id : splitNames(list))
      if (id.consume_front("def "))
        host.linkedIds.push_back(id.str());
      else
        host.moduleIds.push_back(id.str());
  }

  Error readSymbols(const typename ELFT::Shdr &section) {
    Expected<typename ELFT::SymRange> symbols = elf.symbols(&section);
    if (!symbols)
      return symbols.takeError();
    Expected<StringRef> strings = elf.getStringTableForSymtab(section);
    if (!strings)
      return strings.takeError();
    const bool isDynamic = section.sh_type == ELF::SHT_DYNSYM;
    host.hasDynamicSymbols |= isDynamic;
    if (Error e = spend(symbols->size() * sizeof(typename ELFT::Sym)))
      return e;
    for (const typename ELFT::Sym &symbol : *symbols) {
      if (symbol.st_name >= strings->size())
        return createStringError("a symbol's name is cut off");
      // The table ends with a NUL.
      StringRef name = strings->substr(symbol.st_name);
      name = name.take_front(name.find('\0'));
      if (Error e = spend(name.size()))
        return e;
      addSymbol(symbol, name, isDynamic);
    }
    return Error::success();
  }

  void addSymbol(const typename ELFT::Sym &symbol, StringRef name,
                 bool isDynamic) {
    const bool isUndefined = symbol.st_shndx == ELF::SHN_UNDEF;
    if (isDynamic) {
      if (name.starts_with(RegistrationPrefix))
        (isUndefined ? host.wantedRegistrations : host.definedRegistrations)
            .push_back(name.str());
      host.usesSharedRuntime |=
          isUndefined && name == "__cudaRegisterFatBinary";
      if (!isUndefined && symbol.getType() == ELF::STT_OBJECT &&
          symbol.getBinding() != ELF::STB_LOCAL &&
          symbol.getVisibility() == ELF::STV_DEFAULT)
        host.sharedVariables.push_back(name.str());
      return;
    }
    // A name such as "_ZN2ns22__device_stub__Z1kPiE" contains the kernel's
    // name.
    const size_t at = name.find(StubMark);
    if (!isUndefined && at != StringRef::npos &&
        symbol.getType() == ELF::STT_FUNC)
      host.stubs.push_back(name.str());
  }

  /// A wrapper has the address of a fatbin; in what is loaded anywhere, a
  /// relocation has it.
  Error readWrappers(uint64_t address, ArrayRef<uint8_t> contents,
                     typename ELFT::ShdrRange sections) {
    constexpr unsigned Size = 24, PointerOffset = 8;
    constexpr uint32_t Magic = 0x466243b1;
    if (!ELFT::Is64Bits)
      return Error::success();
    host.hasWrappers = true;
    DenseMap<uint64_t, uint64_t> relocated;
    for (const typename ELFT::Shdr &section : sections) {
      if (section.sh_type != ELF::SHT_RELA ||
          !(section.sh_flags & ELF::SHF_ALLOC))
        continue;
      auto relocations = elf.relas(section);
      if (!relocations)
        return relocations.takeError();
      if (Error e = spend(section.sh_size))
        return e;
      for (const typename ELFT::Rela &relocation : *relocations)
        if (relocation.r_offset - address < contents.size())
          relocated[relocation.r_offset - address] = relocation.r_addend;
    }
    for (size_t at = 0; at + Size <= contents.size(); at += Size) {
      const uint8_t *wrapper = contents.data() + at;
      if (support::endian::read32(wrapper, ELFT::Endianness) != Magic)
        continue;
      const uint64_t pointer =
          support::endian::read64(wrapper + PointerOffset, ELFT::Endianness);
      if (Error e = spend(segments.size() * sizeof(typename ELFT::Phdr)))
        return e;
      auto it = relocated.find(at + PointerOffset);
      const uint64_t offset =
          findOffset(it == relocated.end() ? pointer : it->second);
      if (offset < bytes().size())
        host.registeredFatbins.push_back(offset);
    }
    return Error::success();
  }

  /// What reading may take: bytes looked at, more than once if they overlap.
  static constexpr uint64_t Base = 1 << 20, Share = 16;

  const ELFFile<ELFT> &elf;
  uint64_t workLeft;
  typename ELFT::PhdrRange segments{};
  HostFile host;
};

template <class ELFT> Expected<HostFile> readAs(StringRef data) {
  Expected<ELFFile<ELFT>> elf = ELFFile<ELFT>::create(data);
  if (!elf)
    return elf.takeError();
  return HostReader<ELFT>(*elf).run();
}

} // namespace

bool HostFile::isLinked() const {
  return type == ELF::ET_EXEC || type == ELF::ET_DYN;
}

bool isElfHostFile(StringRef data) {
  return data.starts_with(ELF::ElfMagic) && isHostObject(data);
}

Expected<HostFile> readHostFile(StringRef data) {
  if (data.size() < ELF::EI_NIDENT)
    return createStringError("the ELF header is cut off");
  const bool is64 = data[ELF::EI_CLASS] == ELF::ELFCLASS64;
  if (data[ELF::EI_DATA] == ELF::ELFDATA2MSB)
    return is64 ? readAs<ELF64BE>(data) : readAs<ELF32BE>(data);
  return is64 ? readAs<ELF64LE>(data) : readAs<ELF32LE>(data);
}

} // namespace lld::cuda
