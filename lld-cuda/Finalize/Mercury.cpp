//===- Mercury.cpp - Tables that only the Mercury view has ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From sm_100 on a cubin holds its code and data twice, natively and as
/// Mercury (docs/reference/mercury.md). These functions write those parts of
/// the Mercury view that contain final numbers and have no native counterpart:
/// .nv.merc.symtab, the section numbers in .nv.capmerc.text.F, and the bytes of
/// .nv.merc.nv.shared.reserved.*. writeTables() in Link.cpp calls them from
/// sm_100 on after all other tables, and fillReservedShared() last of all:
/// those bytes are the first section headers of nvlink's merged file, sizes of
/// string tables included. patchCapmerc() is called earlier, by
/// MercuryRelocator.cpp, when a relocation has got its value.
///
//===----------------------------------------------------------------------===//

#include "Finalize/Mercury.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Layout.h"
#include "Numbered.h"
#include "Parallel.h"
#include "Program.h"
#include "Twins.h"
#include "lld-cuda/Object/Mercury.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// A variable's value in the Mercury view [shared-reserved-variables], where
/// addresses in shared memory count from the end of the part that the driver
/// reserves.
static uint64_t getMercuryValue(const Inputs &inputs, const Variable &v) {
  if (v.name.starts_with(".nv.reservedSmem."))
    return 0;
  if (inputs.isRelocatable())
    return v.value;
  if (v.space() == STO_CUDA_RESERVED_SHARED)
    return v.defined ? v.value - DriverSharedSize : 0;
  // The address that code sees, without the part that the finalizer reserves.
  return v.isShared() && v.address ? *v.address : v.value;
}

/// Writes the symbols of .symtab under the same numbers, except those of
/// parameter banks and native callees at its end: the inputs' Mercury view has
/// the others, too [symbol-order].
void writeMercurySymbolTable(const Inputs &inputs, const Program &program,
                             const Numbered &numbered) {
  const size_t count = getMercurySymbolCount(numbered);
  const size_t size = (count + 1) * sizeof(Elf_Sym);
  uint8_t *buffer = inputs.memory.allocate(size);
  std::memset(buffer, 0, size);
  auto *table = reinterpret_cast<Elf_Sym *>(buffer);
  table[0].st_value = program.nullSymbolValue;
  for (size_t i = 0; i != count; ++i) {
    const Symbol &s = *numbered.finalSymbols[i];
    Elf_Sym &out = table[i + 1];
    out.st_name = s.mercuryNameOffset;
    out.setBindingAndType(s.binding, s.type);
    out.st_other = s.other;
    out.st_shndx = getSymbolSection(inputs, s, View::Mercury).first;
    switch (s.kind) {
    case Symbol::Kind::Section:
      break;
    case Symbol::Kind::Function:
    case Symbol::Kind::InnerFunction:
      out.st_value = s.mercuryValue;
      out.st_size = out.st_shndx ? s.mercurySize : 0;
      break;
    case Symbol::Kind::NativeCallee:
      break;
    case Symbol::Kind::Variable: {
      auto &v = static_cast<const Variable &>(s);
      out.st_value = getMercuryValue(inputs, v);
      out.st_size = s.size;
      if (v.isTexture())
        out.st_other = 0;
      if (isKeptForRelocations(inputs, v))
        out.st_other |= STV_INTERNAL;
      break;
    }
    }
  }
  program.symtab->mercury->setContents({buffer, size});
  if (OutputSection *indices = program.symtabShndx->mercury)
    writeExtendedIndices(inputs, numbered, *indices, View::Mercury);
}

namespace {
/// What is wrong with a section of Mercury code.
struct CapmercDefect {
  std::string text;
  bool isUnknown = false; ///< Rather than damaged.
};
} // namespace

static CapmercDefect finishCapmercSection(const Inputs &inputs,
                                          OutputSection &sec) {
  SectionPart &part = sec.parts[0];
  CapmercDefect defect;
  if (Expected<CapmercText> text =
          readCapmercText(part.contents(), sec.native->size);
      !text) {
    Error e = text.takeError();
    defect.isUnknown = e.isA<UnknownCapmercRecord>();
    defect.text = toString(std::move(e));
    if (!defect.isUnknown)
      return defect;
  }
  support::endian::write32le(part.writable(inputs).data(), sec.native->index);
  return defect;
}

/// Records of unknown kinds are copied: where something in them had to change,
/// that was an error before.
void finishCapmercSections(const Inputs &inputs, const Program &program,
                           const Numbered &numbered) {
  std::vector<OutputSection *> sections;
  for (OutputSection *sec : numbered.finalSections)
    if (sec->isMercuryText())
      sections.push_back(sec);
  std::vector<CapmercDefect> defects(sections.size());
  parallelForEach(inputs, sections.size(), [&](size_t i) {
    defects[i] = finishCapmercSection(inputs, *sections[i]);
  });
  for (size_t i = 0; i != sections.size(); ++i) {
    const auto &[text, isUnknown] = defects[i];
    if (text.empty())
      continue;
    const MessagePart file =
        diag::file(program.objects[sections[i]->owner->definedIn].label);
    const MessagePart section = diag::section(sections[i]->name).bare();
    if (!isUnknown)
      return inputs.diag.report(
          DiagId::DamagedInput,
          {"Input file ", file, " is damaged: ", section, ": ", text});
    inputs.diag.report(DiagId::UnknownRecord,
                       {"Input file ", file, ": ", section, ": ", text,
                        "; it is copied unchanged"});
  }
}

/// How far behind `.nv.shared.reserved.0` the merged file's section header
/// table begins: sections without contents that follow it align the place. The
/// place is known modulo the largest alignment of variables and of sections
/// without contents so far; a larger one makes the distance unknown.
static std::optional<uint64_t> distanceToTable(const Numbered &numbered) {
  uint64_t place = 0, modulus = 1;
  std::optional<uint64_t> start;
  for (const OutputSection *sec : numbered.finalSections) {
    const bool isVariables = sec->facts().bucket == SectionBucket::Data;
    if (sec->native || !(sec->isNoBits() || isVariables))
      continue;
    const uint64_t align = std::max<uint64_t>(sec->align, 1);
    if (align > modulus && start)
      return std::nullopt;
    place = align > modulus ? 0 : alignTo(place, align);
    modulus = std::max(modulus, align);
    if (sec->kind == SectionKind::ReservedShared)
      start = place;
    else if (!sec->isNoBits())
      place += sec->size;
  }
  return start ? place - *start : start;
}

/// The finalizer takes the bytes from the merged file, in which the section has
/// none: what it finds there is the section header table, which follows. So
/// they are header 0, header 1, that of .shstrtab, and, in the 160 bytes that
/// there are at most, the first half of header 2, that of .strtab. If the table
/// is further off, fewer of them, or zeros [mercury-reserved-shared-bytes].
void fillReservedShared(const Inputs &inputs, const Numbered &numbered) {
  OutputSection *twin = nullptr;
  for (OutputSection *sec : numbered.finalSections)
    if (!sec->native && sec->kind == SectionKind::ReservedShared)
      twin = sec->mercury;
  if (!twin || twin->isSharedCopy || !twin->size ||
      inputs.rules.finalizerWritesFile())
    return;
  Elf_Shdr headers[3] = {};
  headers[1].sh_name = 1;
  headers[1].sh_type = SHT_STRTAB;
  headers[1].sh_offset = sizeof(Elf_Ehdr);
  headers[1].sh_size = numbered.mergedNamesSize;
  headers[1].sh_addralign = 1;
  headers[2].sh_name = 1 + sizeof(".shstrtab");
  headers[2].sh_type = SHT_STRTAB;
  headers[2].sh_offset = headers[1].sh_offset + headers[1].sh_size;
  const size_t size = twin->size;
  uint8_t *bytes = inputs.memory.allocate(size);
  std::memset(bytes, 0, size);
  if (std::optional<uint64_t> d = distanceToTable(numbered); d && *d < size)
    std::memcpy(bytes + *d, headers, std::min(size - *d, sizeof(headers)));
  twin->setContents({bytes, size});
}

bool patchCapmerc(MutableArrayRef<uint8_t> bytes, const CapmercText &text,
                  uint64_t nativeOffset, uint64_t mercuryOffset, unsigned width,
                  uint64_t value) {
  constexpr unsigned InstructionSize = 16;
  const uint32_t instruction = nativeOffset / InstructionSize;
  auto it = partition_point(text.entries, [&](const CapmercEntry &e) {
    return e.instruction + e.count <= instruction;
  });
  if (it == text.entries.end())
    return false;
  // Without a record the value stands in the native instruction only.
  if (it->recordOffset == 0 || it->recordSize < InstructionSize)
    return true;
  const uint32_t record = it->properOffset();
  const uint64_t at = record + it->recordSize - InstructionSize +
                      mercuryOffset % InstructionSize;
  for (unsigned i = 0; i != width && at + i < bytes.size(); ++i)
    bytes[at + i] = value >> 8 * i;
  return true;
}

} // namespace lld::cuda
