//===- Mercury.cpp - The Mercury view of the output -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury.h"
#include "Parallel.h"
#include "lld-cuda/Object/Mercury.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
struct Renaming {
  StringLiteral native, merge;
};
} // namespace

static constexpr Renaming Renamings[] = {
    {".nv.constant3", ".nv.constant.user"},
    {".nv.constant2.", ".nv.constant.optimizer."},
    {".nv.constant0.", ".nv.constant.entry_image_header_indices."},
};

std::string getMergeName(const OutputSection &sec) {
  StringRef name = sec.name, prefix;
  const OutputSection &named = sec.target ? *sec.target : sec;
  if (name.consume_front(".rela"))
    prefix = ".rela";
  else if (name.consume_front(".nv.resolvedrela"))
    prefix = ".nv.resolvedrela";
  else if (sec.target)
    return {};
  for (const Renaming &r : Renamings) {
    if (r.native == ".nv.constant0." && named.role != SectionRole::ImageHeaders)
      continue;
    if (name.starts_with(r.native))
      return (prefix + r.merge + name.drop_front(r.native.size())).str();
  }
  return {};
}

std::string getNativeName(StringRef name) {
  StringRef prefix;
  if (name.consume_front(".nv.capmerc"))
    return name.str();
  name.consume_front(".nv.merc");
  if (name.consume_front(".rela"))
    prefix = ".rela";
  for (const Renaming &r : Renamings)
    if (name.starts_with(r.merge))
      return (prefix + r.native + name.drop_front(r.merge.size())).str();
  return (prefix + name).str();
}

namespace {
struct TwinKind {
  SectionRole role;
  uint32_t type;
  uint64_t flags; ///< Beside SHF_CUDA_MERCURY.
  uint64_t align; ///< 0: the native section's.
};
} // namespace

static TwinKind getTwinKind(const OutputSection &native) {
  if (native.isText())
    return {SectionRole::MercuryText, SHT_CUDA_CAPMERC, 0, 16};
  if (native.role == SectionRole::NvInfo)
    return {SectionRole::MercuryInfo, SHT_CUDA_MERC_INFO,
            native.owner ? SHF_INFO_LINK : 0u, 4};
  if (native.role == SectionRole::Relocations)
    return {SectionRole::MercuryRelocations,
            native.type == SHT_CUDA_RESOLVED_RELA
                ? uint32_t(SHT_CUDA_MERC_RESOLVED_RELA)
                : uint32_t(SHT_CUDA_MERC_RELA),
            SHF_INFO_LINK, 8};
  if (native.role == SectionRole::ImageHeaders)
    return {SectionRole::MercuryConstants, SHT_CUDA_MERC_ENTRY_INDICES,
            SHF_ALLOC | SHF_INFO_LINK, 0};
  if (native.type == SHT_CUDA_CONSTANT2)
    return {SectionRole::MercuryConstants, SHT_CUDA_MERC_OPTIMIZER,
            SHF_ALLOC | SHF_INFO_LINK, 0};
  if (native.type == SHT_CUDA_CONSTANT3)
    return {SectionRole::MercuryData, SHT_CUDA_MERC_CONSTANT_USER, SHF_ALLOC,
            0};
  if (isUnifiedTable(native.type))
    return {SectionRole::MercuryData, native.type, 0, 0};
  if (native.flags & SHF_ALLOC)
    return {SectionRole::MercuryData, native.type, SHF_ALLOC | SHF_WRITE, 0};
  return {SectionRole::MercuryDebug, SHT_PROGBITS, 0, 0};
}

/// Debug sections whose twins have bytes of their own; nvlink decides this by
/// name (spec: ELF output, section 2.4).
static bool hasOwnDebugBytes(StringRef name) {
  static constexpr StringLiteral Names[] = {
      ".debug_frame",        ".debug_info",
      ".debug_line",         ".nv_debug_info_reg_sass",
      ".nv_debug_line_sass", ".nv_debug_info_reg_type"};
  return is_contained(Names, name);
}

OutputSection *getTwin(Ctx &ctx, OutputSection &native) {
  if (native.mercury)
    return native.mercury;
  TwinKind kind = getTwinKind(native);
  std::string name = getMergeName(native);
  StringRef prefix =
      kind.role == SectionRole::MercuryText ? ".nv.capmerc" : ".nv.merc";
  OutputSection &twin = ctx.sectionStorage.emplace_back(
      ctx.saver.save(prefix + (name.empty() ? native.name : StringRef(name))),
      kind.type, kind.flags | SHF_CUDA_MERCURY,
      kind.align ? kind.align : native.align, native.entsize);
  twin.role = kind.role;
  twin.owner = native.owner;
  twin.native = &native;
  twin.symbol = native.symbol;
  twin.isAlias = (kind.role == SectionRole::MercuryDebug &&
                  !hasOwnDebugBytes(native.name)) ||
                 kind.type == SHT_CUDA_MERC_CONSTANT_USER ||
                 kind.type == SHT_CUDA_GLOBAL_INIT;
  native.mercury = &twin;
  if (native.role == SectionRole::Relocations) {
    OutputSection *target = getTwin(ctx, *native.target);
    (native.type == SHT_CUDA_RESOLVED_RELA ? target->resolvedRela
                                           : target->rela) = &twin;
  }
  return &twin;
}

void ObjectFile::findTwins() {
  if (file.mercurySymtab().empty() || file.smNumber() < FirstMercurySM)
    return;
  twins.resize(file.sections().size());
  // Relocatable output has several local functions of one name; their twins
  // stand in the same order.
  DenseMap<CachedHashStringRef, SmallVector<uint32_t, 1>> natives;
  for (unsigned i = file.sections().size(); i-- > 1;)
    if (!(file.sections()[i].sh_flags & SHF_CUDA_MERCURY))
      natives[CachedHashStringRef(file.sectionName(i))].push_back(i);
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    if (!(file.sections()[i].sh_flags & SHF_CUDA_MERCURY))
      continue;
    std::string name = getNativeName(file.sectionName(i));
    auto it = natives.find(CachedHashStringRef(name));
    if (it == natives.end() || it->second.empty())
      continue;
    const uint32_t native = it->second.pop_back_val();
    twins[native] = i;
    textOwner[i] = textOwner[native];
  }
}

// Appending the twins, in the finalizer's order (spec: ELF output,
// section 2.4).

namespace {
class TwinAppender {
public:
  explicit TwinAppender(Ctx &ctx) : ctx(ctx), natives(ctx.finalSections) {}
  void run();

private:
  void append(OutputSection *sec) {
    sec->emitted = true;
    ctx.finalSections.push_back(sec);
  }
  void appendTwinOf(OutputSection *native);
  bool needsExtendedIndices() const;

  Ctx &ctx;
  std::vector<OutputSection *> natives;
};
} // namespace

/// Whether two sections are made of equal parts.
static bool haveEqualParts(const OutputSection &a, const OutputSection &b) {
  return a.size == b.size &&
         std::equal(
             a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
             [](const SectionPart &x, const SectionPart &y) {
               return x.offset == y.offset && x.contents() == y.contents();
             });
}

void TwinAppender::appendTwinOf(OutputSection *native) {
  OutputSection *twin = getTwin(ctx, *native);
  // This one only has bytes of its own where the views differ.
  if (native->name == ".nv_debug_info_reg_type")
    twin->isAlias = haveEqualParts(*native, *twin);
  if (twin->isAlias ||
      (twin->role == SectionRole::MercuryDebug && !twin->size)) {
    twin->isAlias = true;
    twin->size = native->size;
  }
  if (!twin->align || twin->role == SectionRole::MercuryConstants ||
      twin->role == SectionRole::MercuryData)
    twin->align = native->align;
  append(twin);
}

/// Whether the section numbers of the whole file leave no room for the reserved
/// ones: every native section, its twin, the parameter banks.
bool TwinAppender::needsExtendedIndices() const {
  size_t count = natives.size() + 3; // Null, and both symbol tables' own.
  for (OutputSection *sec : natives) {
    bool hasTwin =
        sec->isText() || sec->role == SectionRole::NvInfo ||
        sec->type == SHT_RELA || sec->type == SHT_CUDA_RESOLVED_RELA ||
        isConstantBank(sec->type) || sec->type == SHT_CUDA_GLOBAL_INIT ||
        sec->type == SHT_CUDA_SHARED_RESERVED || sec->type == SHT_CUDA_UDT ||
        isUnifiedTable(sec->type) ||
        (sec->type == SHT_PROGBITS && !(sec->flags & SHF_ALLOC));
    count += hasTwin;
    if (sec->isText() && sec->owner && sec->owner->constant0)
      ++count;
  }
  return count > SHN_LORESERVE;
}

void TwinAppender::run() {
  auto appendEach = [&](auto predicate) {
    for (OutputSection *sec : natives)
      if (predicate(*sec))
        appendTwinOf(sec);
  };
  if (needsExtendedIndices() && !ctx.symtabShndx->emitted)
    append(ctx.symtabShndx);
  for (OutputSection *sec : natives) {
    OutputSection *bank =
        sec->isText() && sec->owner ? sec->owner->constant0 : nullptr;
    if (bank && bank->role != SectionRole::ImageHeaders)
      append(bank);
  }
  appendEach([](OutputSection &s) { return s.isText(); });
  appendEach([](OutputSection &s) {
    return s.type == SHT_PROGBITS && !(s.flags & SHF_ALLOC);
  });
  appendEach([](OutputSection &s) {
    return s.role == SectionRole::NvInfo || isUnifiedTable(s.type);
  });
  appendEach([](OutputSection &s) {
    return s.type == SHT_RELA || s.type == SHT_CUDA_RESOLVED_RELA;
  });
  appendEach([](OutputSection &s) {
    return s.role == SectionRole::ImageHeaders ||
           s.type == SHT_CUDA_CONSTANT2 || s.type == SHT_CUDA_CONSTANT3;
  });
  appendEach([](OutputSection &s) {
    return s.type == SHT_CUDA_GLOBAL_INIT || s.type == SHT_CUDA_UDT;
  });
  appendEach(
      [](OutputSection &s) { return s.type == SHT_CUDA_SHARED_RESERVED; });

  if (ctx.symtabShndx->emitted) {
    OutputSection &shndx = ctx.sectionStorage.emplace_back(
        ".nv.merc.symtab_shndx", SHT_SYMTAB_SHNDX, SHF_CUDA_MERCURY, 4, 4);
    shndx.role = SectionRole::MercurySymTabShndx;
    shndx.native = ctx.symtabShndx;
    ctx.mercurySymtabShndx = &shndx;
    append(&shndx);
  }
  OutputSection &symtab =
      ctx.sectionStorage.emplace_back(".nv.merc.symtab", SHT_CUDA_MERC_SYMTAB,
                                      SHF_CUDA_MERCURY, 8, sizeof(Elf_Sym));
  symtab.role = SectionRole::MercurySymTab;
  symtab.native = ctx.symtab;
  ctx.mercurySymtab = &symtab;
  append(&symtab);
}

void appendMercurySections(Ctx &ctx) { TwinAppender(ctx).run(); }

std::pair<uint32_t, uint32_t> getTwinLinks(const Ctx &ctx,
                                           const OutputSection &twin) {
  const uint32_t symtab = ctx.mercurySymtab->index;
  auto ownerText = [&] {
    return twin.owner && twin.owner->text->mercury
               ? twin.owner->text->mercury->index
               : 0;
  };
  switch (twin.role) {
  case SectionRole::MercuryText:
    return {symtab, twin.owner->index};
  case SectionRole::MercuryInfo:
    return {symtab, ownerText()};
  case SectionRole::MercuryData:
    return {isUnifiedTable(twin.type) ? symtab : 0, 0};
  case SectionRole::MercuryRelocations:
    return {symtab, twin.native->target->mercury
                        ? twin.native->target->mercury->index
                        : 0};
  case SectionRole::MercuryConstants:
    return {0, ownerText()};
  case SectionRole::MercurySymTabShndx:
    return {symtab, 0};
  case SectionRole::MercurySymTab:
    return {ctx.strtab->index, ctx.firstGlobalSymbol};
  default:
    return {0, 0};
  }
}

size_t getMercurySymbolCount(const Ctx &ctx) {
  size_t count = ctx.finalSymbols.size();
  while (count && ctx.finalSymbols[count - 1]->isSection() &&
         ctx.finalSymbols[count - 1]->section->role ==
             SectionRole::ParameterBank)
    --count;
  return count;
}

/// A variable's value in the Mercury view (spec: Mercury, reserved shared
/// memory), where addresses in shared memory begin behind what the driver has.
static uint64_t getMercuryValue(const Ctx &ctx, const Variable &v) {
  if (v.name.starts_with(".nv.reservedSmem."))
    return 0;
  if (ctx.isRelocatable())
    return v.value;
  if (v.space() == STO_CUDA_RESERVED_SHARED)
    return v.defined ? v.value - DriverSharedSize : 0;
  // As code sees it, without the part that the finalizer reserves.
  return v.isShared() && v.address ? *v.address : v.value;
}

/// The same symbols under the same numbers as .symtab, but for the parameter
/// banks' at its end, as the inputs' Mercury view has them (spec: ELF output,
/// section 6.4).
void writeMercurySymbolTable(Ctx &ctx) {
  const size_t count = getMercurySymbolCount(ctx);
  const size_t size = (count + 1) * sizeof(Elf_Sym);
  uint8_t *buffer = ctx.allocate(size);
  std::memset(buffer, 0, size);
  auto *table = reinterpret_cast<Elf_Sym *>(buffer);
  table[0].st_value = ctx.nullSymbolValue;
  for (size_t i = 0; i != count; ++i) {
    const Symbol &s = *ctx.finalSymbols[i];
    Elf_Sym &out = table[i + 1];
    out.st_name = s.mercuryNameOffset;
    out.setBindingAndType(s.binding, s.type);
    out.st_other = s.other;
    out.st_shndx = getSymbolSection(ctx, s, View::Mercury).first;
    switch (s.kind) {
    case Symbol::Kind::Section:
      break;
    case Symbol::Kind::Function:
    case Symbol::Kind::InnerFunction:
      out.st_size = out.st_shndx ? s.mercurySize : 0;
      break;
    case Symbol::Kind::Variable: {
      auto &v = static_cast<const Variable &>(s);
      out.st_value = getMercuryValue(ctx, v);
      out.st_size = s.size;
      if (v.isTexture())
        out.st_other = 0;
      if (isKeptForRelocations(ctx, v))
        out.st_other |= STV_INTERNAL;
      break;
    }
    }
  }
  ctx.mercurySymtab->setContents({buffer, size});
  if (ctx.mercurySymtabShndx)
    writeExtendedIndices(ctx, *ctx.mercurySymtabShndx, View::Mercury);
}

/// Returns what is wrong with it.
static Error finishCapmercSection(Ctx &ctx, OutputSection &sec) {
  SectionPart &part = sec.parts[0];
  Expected<CapmercText> text =
      readCapmercText(part.contents(), sec.native->size);
  if (!text)
    return text.takeError();
  if (!part.patched) {
    part.patched = ctx.allocate(part.bytes.size());
    std::memcpy(part.patched, part.bytes.data(), part.bytes.size());
  }
  support::endian::write32le(part.patched, sec.native->index);
  return Error::success();
}

void finishCapmercSections(Ctx &ctx) {
  std::vector<OutputSection *> sections;
  for (OutputSection *sec : ctx.finalSections)
    if (sec->role == SectionRole::MercuryText)
      sections.push_back(sec);
  std::vector<std::string> errors(sections.size());
  parallelForEach(ctx, sections.size(), [&](size_t i) {
    if (Error e = finishCapmercSection(ctx, *sections[i]))
      errors[i] = toString(std::move(e));
  });
  for (size_t i = 0; i != sections.size(); ++i)
    if (!errors[i].empty())
      return ctx.diag.fatal(
          "Input file '" + ctx.objects[sections[i]->owner->definedIn].label +
          "' is damaged: " + sections[i]->name + ": " + errors[i]);
}

/// The finalizer takes the bytes from the merged file, in which the section has
/// none: what it finds there is the section header table, which follows. So
/// they are header 0, header 1, that of .shstrtab, and, in the 160 bytes that
/// there are at most, the first half of header 2, that of .strtab. If a section
/// without contents stands between the two and has a larger alignment than all
/// others, the table is further off, mostly too far.
void fillReservedShared(Ctx &ctx) {
  OutputSection *twin = nullptr;
  bool isNextToTable = true;
  uint64_t alignment = 1; // Of the place where the section is.
  for (OutputSection *sec : ctx.finalSections) {
    if (sec->native || !sec->isNoBits())
      continue;
    if (twin)
      isNextToTable &= sec->align <= alignment;
    alignment = std::max(alignment, sec->align);
    if (sec->type == SHT_CUDA_SHARED_RESERVED)
      twin = sec->mercury;
  }
  if (!twin || twin->isAlias || !twin->size)
    return;
  Elf_Shdr headers[3] = {};
  headers[1].sh_name = 1;
  headers[1].sh_type = SHT_STRTAB;
  headers[1].sh_offset = sizeof(Elf_Ehdr);
  headers[1].sh_size = ctx.mergedNamesSize;
  headers[1].sh_addralign = 1;
  headers[2].sh_name = 1 + sizeof(".shstrtab");
  headers[2].sh_type = SHT_STRTAB;
  headers[2].sh_offset = headers[1].sh_offset + headers[1].sh_size;
  const size_t size = twin->size;
  uint8_t *bytes = ctx.allocate(size);
  std::memset(bytes, 0, size);
  if (isNextToTable)
    std::memcpy(bytes, headers, std::min(size, sizeof(headers)));
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
  const uint32_t record = it->recordOffset + (it->isRun ? 2 : 0);
  const uint64_t at = record + it->recordSize - InstructionSize +
                      mercuryOffset % InstructionSize;
  for (unsigned i = 0; i != width && at + i < bytes.size(); ++i)
    bytes[at + i] = value >> 8 * i;
  return true;
}

} // namespace lld::cuda
