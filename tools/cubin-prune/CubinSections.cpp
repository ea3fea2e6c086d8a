//===- CubinSections.cpp - What each section of a cubin is about ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tells what each section of a cubin is about, because cubin-prune removes a
/// kernel with everything that is about it. PruneCubin.cpp asks when it decides
/// what is removed, CubinCopy.cpp and VerifyCubin.cpp when they write the
/// result and check it. sh_info leads from a section to the next: in a section
/// of relocations it is the section that they apply to, in code it is a symbol
/// with other numbers in its upper bits. getCodeSection() follows it for at
/// most four steps, so a damaged cubin can't send it round in circles;
/// .nv.capmerc.text has the number of its code in its first word instead.
/// Cubins before CUDA 12.4 don't set the ELF flag that says what sh_info is, so
/// the type decides.
///
//===----------------------------------------------------------------------===//

#include "CubinSections.h"
#include "lld-cuda/Object/CallGraph.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support;
using namespace lld::cuda::elf;

namespace lld::cuda {

bool isRelocationType(uint32_t type) {
  return type == SHT_REL || type == SHT_RELA ||
         type == SHT_CUDA_RESOLVED_RELA || type == SHT_CUDA_MERC_RELA ||
         type == SHT_CUDA_MERC_RESOLVED_RELA;
}

bool isSymbolTable(uint32_t type) {
  return type == SHT_SYMTAB || type == SHT_CUDA_MERC_SYMTAB;
}

bool isCallGraph(uint32_t type) {
  return type == SHT_CUDA_CALLGRAPH || type == SHT_CUDA_MERC_CALLGRAPH;
}

bool isPairSection(uint32_t type) {
  return isCallGraph(type) || type == SHT_CUDA_PROTOTYPE ||
         type == SHT_CUDA_MERC_PROTOTYPE;
}

bool isCode(const Elf_Shdr &section) {
  return section.sh_type == SHT_PROGBITS && section.sh_flags & SHF_EXECINSTR;
}

bool hasInfoSymbol(const Elf_Shdr &section) {
  return isCode(section) || section.sh_type == SHT_CUDA_CAPMERC ||
         section.sh_type == SHT_CUDA_UFT;
}

bool hasInfoSection(const Elf_Shdr &section) {
  return section.sh_info && !isSymbolTable(section.sh_type) &&
         !hasInfoSymbol(section);
}

bool isDebugSection(const CubinFile &file, unsigned index) {
  const Elf_Shdr &section = file.sections()[index];
  if (isRelocationType(section.sh_type))
    return section.sh_info < file.sections().size() &&
           !isRelocationType(file.sections()[section.sh_info].sh_type) &&
           isDebugSection(file, section.sh_info);
  StringRef name = file.sectionName(index);
  name.consume_front(".nv.merc");
  return section.sh_type == SHT_PROGBITS && !(section.sh_flags & SHF_ALLOC) &&
         name != ".debug_frame" &&
         (name.starts_with(".debug_") || name.starts_with(".nv_debug_") ||
          name.starts_with(".nv.tileir.debug_"));
}

unsigned getCodeSection(const CubinFile &file, unsigned index) {
  const size_t count = file.sections().size();
  // .nv.merc.rela.nv.info.f names .nv.merc.nv.info.f, that .nv.capmerc.text.f,
  // and that .text.f.
  constexpr unsigned MaxSteps = 4;
  for (unsigned step = 0; step != MaxSteps && index && index < count; ++step) {
    const Elf_Shdr &section = file.sections()[index];
    if (isCode(section))
      return index;
    if (section.sh_type == SHT_CUDA_CAPMERC) {
      ArrayRef<uint8_t> contents = file.contents(index);
      index = contents.size() < sizeof(uint32_t)
                  ? 0
                  : endian::read32le(contents.data());
    } else {
      index = hasInfoSection(section) ? uint32_t(section.sh_info) : 0;
    }
  }
  return 0;
}

PairReader::PairReader(const CubinFile &file, unsigned index)
    : bytes(file.contents(index)),
      isGraph(isCallGraph(file.sections()[index].sh_type)) {}

bool PairReader::next(Pair &pair) {
  if (bytes.size() < Size)
    return false;
  pair.first = endian::read32le(bytes.data());
  pair.second = endian::read32le(bytes.data() + sizeof(uint32_t));
  bytes = bytes.drop_front(Size);
  pair.isMarker = isGraph && !pair.first && int32_t(pair.second) < 0;
  if (pair.isMarker)
    namesSymbols = pair.second == uint32_t(CallGraphGroup::Calls) ||
                   pair.second == uint32_t(CallGraphGroup::Takes);
  pair.namesSymbols = namesSymbols;
  return true;
}

} // namespace lld::cuda
