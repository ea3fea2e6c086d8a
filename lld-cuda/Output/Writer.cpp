//===- Writer.cpp - The output file ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// writeImage() lays out the output file and writes it: section headers, file
/// offsets, segments and the ELF header [file-header], [file-offsets],
/// [segments]. writeOutput() in Link.cpp calls it when all tables are written,
/// if there was no error. The file is a list of spans, so bytes of inputs that
/// no relocation changed are written from the input's memory, without a copy.
/// saveFile() (SaveFile.cpp) takes the list.
///
/// writeSymbolTable() makes the contents of .symtab [symbol-order];
/// writeTables() in Link.cpp calls it before that, together with the other
/// tables.
///
//===----------------------------------------------------------------------===//

#include "Finalize/Mercury.h"
#include "Inputs.h"
#include "Numbered.h"
#include "Output/SaveFile.h"
#include "Output/SectionHeaders.h"
#include "Parallel.h"
#include "Passes.h"
#include "Program.h"
#include "Twins.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/Support/OutputFile.h"
#include "lld-cuda/Support/Prefetch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static void writeSymbol(const Inputs &inputs, const Symbol &s, Elf_Sym &out) {
  out.st_name = s.nameOffset;
  out.st_shndx = getSymbolSection(inputs, s, View::Native).first;
  uint8_t type = s.type, other = s.other;
  uint64_t value = s.value, size = s.size;
  switch (s.kind) {
  case Symbol::Kind::Section:
    value = size = 0;
    break;
  case Symbol::Kind::Function:
    value = 0;
    // The finalizer sets the size of the first symbol of a code section, even
    // if that is an alias (61 generated links) [mercury-known-by-alias].
    if (auto *target = static_cast<const Function &>(s).aliasOf;
        target && inputs.isMercury() && s.index < target->index &&
        inputs.rules.namesCodeByAlias())
      size = target->size;
    [[fallthrough]];
  case Symbol::Kind::InnerFunction:
    if (!out.st_shndx)
      size = 0;
    break;
  case Symbol::Kind::NativeCallee:
    break;
  case Symbol::Kind::Variable: {
    auto &v = static_cast<const Variable &>(s);
    if (v.isCommon && !v.section) {
      out.st_shndx = SHN_COMMON;
      value = v.alignment;
    }
    if (inputs.isRelocatable())
      break;
    if (v.defined || v.keptForDebugger) {
      type = type == STT_CUDA_OBJECT ? uint8_t(STT_OBJECT) : type;
      other &= ~STO_CUDA_SPACE_MASK;
      if (isKeptForRelocations(inputs, v))
        other |= STV_INTERNAL;
    } else if (v.isTexture()) {
      other = 0;
    }
    break;
  }
  }
  out.setBindingAndType(s.binding, type);
  out.st_other = other;
  out.st_value = value;
  out.st_size = size;
}

void writeSymbolTable(const Inputs &inputs, const Program &program,
                      const Numbered &numbered) {
  const size_t count = numbered.finalSymbols.size() + 1;
  uint8_t *buffer = inputs.memory.allocate(count * sizeof(Elf_Sym));
  std::memset(buffer, 0, sizeof(Elf_Sym));
  auto *table = reinterpret_cast<Elf_Sym *>(buffer);
  table[0].st_value = program.nullSymbolValue;
  const ArrayRef<Symbol *> symbols = numbered.finalSymbols;
  parallelForPieces(inputs, symbols.size(), [&](size_t begin, size_t end) {
    forEachSymbol(symbols.slice(begin, end - begin),
                  [&, out = table + begin](const Symbol &s) mutable {
                    writeSymbol(inputs, s, *++out);
                  });
  });
  program.symtab->setContents({buffer, count * sizeof(Elf_Sym)});
  if (program.symtabShndx->written)
    writeExtendedIndices(inputs, numbered, *program.symtabShndx, View::Native);
}

namespace {

class ImageWriter {
public:
  explicit ImageWriter(const Inputs &inputs, const Program &program,
                       const Numbered &numbered)
      : inputs(inputs), program(program), numbered(numbered) {}
  void layout();
  void write(const std::function<void(StringRef)> &readBack);

private:
  struct Segment {
    uint32_t rights;
    SmallVector<OutputSection *, 8> sections;
  };
  uint64_t mercuryGap(const OutputSection &sec) const;
  void collectSegments();
  void fillSegment(const Segment &segment, Elf_Phdr &out) const;
  bool checkSpans(uint64_t size, ArrayRef<OutputSpan> spans);
  void addSections(std::vector<OutputSpan> &spans,
                   MutableArrayRef<Elf_Shdr> headers) const;
  ArrayRef<uint8_t> makeElfHeader();
  MutableArrayRef<Elf_Shdr> makeSectionHeaders();
  ArrayRef<uint8_t> makeProgramHeaders();
  template <typename T> MutableArrayRef<T> makeTable(size_t count) {
    uint8_t *p = inputs.memory.allocate(count * sizeof(T));
    std::memset(p, 0, count * sizeof(T));
    return {reinterpret_cast<T *>(p), count};
  }
  template <typename T> static ArrayRef<uint8_t> bytesOf(ArrayRef<T> table) {
    return {reinterpret_cast<const uint8_t *>(table.data()),
            table.size() * sizeof(T)};
  }

  const Inputs &inputs;
  const Program &program;
  const Numbered &numbered;
  SmallVector<Segment, 4> segments;
  uint64_t sectionTable = 0, programTable = 0;
  uint32_t segmentCount = 0;
};

} // namespace

void ImageWriter::collectSegments() {
  for (OutputSection *sec : numbered.finalSections) {
    if (!(sec->flags & SHF_ALLOC) || sec->native)
      continue;
    // With a Mercury view constants are not executable.
    uint32_t rights = sec->flags & SHF_WRITE                 ? PF_R | PF_W
                      : !inputs.isMercury() || sec->isText() ? PF_R | PF_X
                                                             : PF_R;
    if (segments.empty() || segments.back().rights != rights)
      segments.push_back({rights, {}});
    segments.back().sections.push_back(sec);
  }
}

/// The finalizer leaves gaps in front of the tables whose strings it replaces
/// [file-offsets]: room for two section names that few files
/// have, and for the names of the sections that it renames.
uint64_t ImageWriter::mercuryGap(const OutputSection &sec) const {
  if (inputs.rules.finalizerWritesFile())
    return 0;
  static constexpr char Names[] = ".symtab_shndx\0.nv.merc.symtab_shndx";
  if (&sec == program.strtab)
    return program.symtabShndx->written ? 0 : sizeof(Names);
  if (&sec != program.symtab)
    return 0;
  uint64_t gap = 0;
  for (const OutputSection *other : program.sections) {
    std::string mergeName = other->written ? getMergeName(*other) : "";
    gap += mergeName.size();
    if (!mergeName.empty() && !other->isRelocations())
      gap -= other->name.size() + 1;
  }
  return gap;
}

/// Since 13.5 the finalizer writes no bytes for the Mercury view of reserved
/// shared memory, which have no meaning [file-of-finalizer].
static bool hasBytes(const Inputs &inputs, const OutputSection &sec) {
  const bool isHollow = sec.native && sec.kind == SectionKind::ReservedShared &&
                        inputs.rules.finalizerWritesFile();
  return !sec.isNoBits() && !sec.isSharedCopy && !isHollow;
}

void ImageWriter::layout() {
  // [file-of-finalizer]
  const bool isWrittenAnew =
      inputs.isMercury() && inputs.rules.finalizerWritesFile();
  uint64_t cursor = sizeof(Elf_Ehdr);
  forEachObject(ArrayRef(numbered.finalSections), [&](OutputSection &sec) {
    if (inputs.isMercury())
      cursor += mercuryGap(sec);
    if (sec.isSharedCopy) {
      sec.fileOffset = sec.native->fileOffset;
      return;
    }
    cursor = alignTo(cursor, std::max<uint64_t>(sec.align, 1));
    sec.fileOffset = cursor;
    if (hasBytes(inputs, sec))
      cursor += sec.size;
  });
  sectionTable = isWrittenAnew ? cursor : alignTo(cursor, 8);
  if (inputs.isRelocatable())
    return;
  programTable =
      sectionTable + (numbered.finalSections.size() + 1) * sizeof(Elf_Shdr);
  collectSegments();
  // The program header table has a header and a loaded segment of its own.
  segmentCount = segments.size() + 2;
}

/// p_filesz counts the padding in front of trailing no-bits sections, and
/// p_memsz lays these out from 0 [segments].
void ImageWriter::fillSegment(const Segment &segment, Elf_Phdr &out) const {
  const uint64_t start = segment.sections.front()->fileOffset;
  uint64_t cursor = start, memory = 0;
  for (OutputSection *sec : segment.sections) {
    const uint64_t align = std::max<uint64_t>(sec->align, 1);
    cursor = alignTo(cursor, align);
    if (sec->isNoBits())
      memory = alignTo(memory, align) + sec->size;
    else
      cursor += sec->size;
  }
  out.p_type = PT_LOAD;
  out.p_flags = segment.rights;
  out.p_offset = start;
  out.p_filesz = cursor - start;
  out.p_memsz = cursor - start + memory;
  out.p_align = 8;
}

/// Fills in the header's fields about the target and the toolkit [file-header],
/// [cuda12-file].
static void fillTarget(const Inputs &inputs, const Program &program,
                       Elf_Ehdr &h) {
  if (inputs.writesOldHeader()) {
    h.e_ident[EI_OSABI] = ELFOSABI_CUDA_12;
    h.e_ident[EI_ABIVERSION] = ABIVERSION_CUDA_12;
    h.e_version = inputs.rules.release().toolkit;
    h.e_flags = EF_CUDA_12_VIRTUAL.put(getVirtualArch(inputs, program)) |
                EF_CUDA_12_64BIT_ADDRESS | EF_CUDA_12_TEXMODE_UNIFIED |
                EF_CUDA_12_ARCHITECTURE.put(inputs.sm());
    if (inputs.config.arch.suffix == Architecture::Accelerated)
      h.e_flags = h.e_flags | EF_CUDA_12_ACCELERATED;
    return;
  }
  h.e_ident[EI_OSABI] = ELFOSABI_CUDA_13;
  h.e_ident[EI_ABIVERSION] = ABIVERSION_CUDA_13;
  h.e_version = EV_CURRENT;
  h.e_flags = program.cuinfo->index << 24 | inputs.sm() << 8 |
              (inputs.isMercury() ? EF_CUDA_13_MERCURY : EF_CUDA_13_SASS);
  if (inputs.rules.writesOldFiles() && // [mercury12-file].
      inputs.config.arch.suffix == Architecture::Accelerated)
    h.e_flags = h.e_flags | EF_CUDA_13_ACCELERATED;
}

ArrayRef<uint8_t> ImageWriter::makeElfHeader() {
  MutableArrayRef<Elf_Ehdr> table = makeTable<Elf_Ehdr>(1);
  Elf_Ehdr &h = table[0];
  const size_t sectionCount = numbered.finalSections.size() + 1;
  std::memcpy(h.e_ident, ElfMagic, 4);
  h.e_ident[EI_CLASS] = ELFCLASS64;
  h.e_ident[EI_DATA] = ELFDATA2LSB;
  h.e_ident[EI_VERSION] = EV_CURRENT;
  h.e_type = inputs.isRelocatable() ? ET_REL : ET_EXEC;
  h.e_machine = EM_CUDA;
  h.e_phoff = programTable;
  h.e_shoff = sectionTable;
  fillTarget(inputs, program, h);
  h.e_ehsize = sizeof(Elf_Ehdr);
  h.e_phentsize =
      inputs.isMercury() && inputs.isRelocatable() ? 0 : sizeof(Elf_Phdr);
  h.e_phnum = segmentCount;
  h.e_shentsize = sizeof(Elf_Shdr);
  // More than 65280 sections don't fit; section header 0 has the count then.
  h.e_shnum = sectionCount > SHN_LORESERVE ? 0 : sectionCount;
  h.e_shstrndx = program.shstrtab->index;
  return bytesOf(ArrayRef<Elf_Ehdr>(table));
}

/// Allocates the table. Only header 0, which is no section's, is filled in.
MutableArrayRef<Elf_Shdr> ImageWriter::makeSectionHeaders() {
  const size_t count = numbered.finalSections.size() + 1;
  MutableArrayRef<Elf_Shdr> table(
      reinterpret_cast<Elf_Shdr *>(
          inputs.memory.allocate(count * sizeof(Elf_Shdr))),
      count);
  table[0] = {};
  if (table.size() > SHN_LORESERVE)
    table[0].sh_size = table.size();
  return table;
}

ArrayRef<uint8_t> ImageWriter::makeProgramHeaders() {
  MutableArrayRef<Elf_Phdr> table = makeTable<Elf_Phdr>(segmentCount);
  Elf_Phdr own = {};
  own.p_type = PT_PHDR;
  own.p_flags = inputs.isMercury() ? PF_R : PF_R | PF_X;
  own.p_offset = programTable;
  own.p_filesz = segmentCount * sizeof(Elf_Phdr);
  own.p_memsz = own.p_filesz;
  own.p_align = 8;
  table.front() = own;
  own.p_type = PT_LOAD;
  // The table's own segment is the second one in a file with a Mercury view,
  // else the last.
  const size_t first = inputs.isMercury() ? 2 : 1;
  (inputs.isMercury() ? table[1] : table.back()) = own;
  for (size_t i = 0; i != segments.size(); ++i)
    fillSegment(segments[i], table[first + i]);
  return bytesOf(ArrayRef<Elf_Phdr>(table));
}

/// Adds the bytes of the section's parts, at file offsets that begin with
/// `base`.
static void addPartSpans(const OutputSection &sec, uint64_t base,
                         std::vector<OutputSpan> &spans) {
  ArrayRef<SectionPart> patches = sec.patches();
  const SectionPart *patch = patches.begin();
  for (const SectionPart &part : sec.parts) {
    if (part.bytes.empty() || part.isDropped)
      continue;
    ArrayRef<uint8_t> rest = part.contents();
    uint64_t offset = part.offset;
    const uint64_t end = offset + rest.size();
    for (; patch != patches.end() && patch->offset < end; ++patch) {
      if (patch->offset != offset)
        spans.push_back(
            {base + offset, rest.take_front(patch->offset - offset)});
      spans.push_back({base + patch->offset, patch->bytes});
      rest = rest.drop_front(patch->offset + patch->bytes.size() - offset);
      offset = patch->offset + patch->bytes.size();
    }
    if (!rest.empty())
      spans.push_back({base + offset, rest});
  }
}

/// Adds the bytes of blocks that were moved, at their new places.
static void addMovedSpans(const OutputSection &sec,
                          std::vector<OutputSpan> &spans) {
  std::vector<OutputSpan> asRead;
  addPartSpans(sec, 0, asRead);
  std::vector<MovedBlock> blocks = sec.extras->moved;
  llvm::stable_sort(blocks, [](const MovedBlock &a, const MovedBlock &b) {
    return a.now < b.now;
  });
  for (const MovedBlock &block : blocks) {
    const uint64_t end = block.before + block.size;
    auto it = partition_point(asRead, [&](const OutputSpan &span) {
      return span.offset + span.bytes.size() <= block.before;
    });
    for (; it != asRead.end() && it->offset < end; ++it) {
      const uint64_t from = std::max(it->offset, block.before),
                     to = std::min(it->offset + it->bytes.size(), end);
      spans.push_back({sec.fileOffset + block.now + (from - block.before),
                       it->bytes.slice(from - it->offset, to - from)});
    }
  }
}

static void addSpans(const OutputSection &sec, std::vector<OutputSpan> &spans) {
  if (sec.writesMoved())
    return addMovedSpans(sec, spans);
  if (sec.parts.size() != 1 || sec.extras)
    return addPartSpans(sec, sec.fileOffset, spans);
  // Most sections have one part, without patches.
  const SectionPart &part = sec.parts.front();
  if (!part.bytes.empty() && !part.isDropped)
    spans.push_back({sec.fileOffset + part.offset, part.contents()});
}

/// Adds the bytes of all sections, in the order of the file, and fills in their
/// headers.
void ImageWriter::addSections(std::vector<OutputSpan> &spans,
                              MutableArrayRef<Elf_Shdr> headers) const {
  const ArrayRef<OutputSection *> all = numbered.finalSections;
  auto addRange = [&](size_t begin, size_t end, std::vector<OutputSpan> &to) {
    constexpr size_t LinesToParts = 4;
    forEachObject<LinesToParts>(
        all.slice(begin, end - begin), [&](const OutputSection &sec) {
          if (hasBytes(inputs, sec))
            addSpans(sec, to);
          fillSectionHeader(inputs, program, numbered, sec, headers[sec.index]);
        });
  };
  // Few sections are one piece, and need no list of their own.
  if (!isWorthThreads(inputs, all.size()) || inputs.config.threads == 1)
    return addRange(0, all.size(), spans);
  const size_t pieceSize = getPieceSize(inputs);
  std::vector<std::vector<OutputSpan>> pieces(
      divideCeil(all.size(), pieceSize));
  parallelForPieces(inputs, all.size(), [&](size_t begin, size_t end) {
    std::vector<OutputSpan> &piece = pieces[begin / pieceSize];
    piece.reserve(end - begin);
    addRange(begin, end, piece);
  });
  for (const std::vector<OutputSpan> &piece : pieces)
    append_range(spans, piece);
}

void ImageWriter::write(const std::function<void(StringRef)> &readBack) {
  std::vector<OutputSpan> spans;
  spans.reserve(numbered.finalSections.size() + 3);
  spans.push_back({0, makeElfHeader()});
  const MutableArrayRef<Elf_Shdr> headers = makeSectionHeaders();
  addSections(spans, headers);
  spans.push_back({sectionTable, bytesOf(ArrayRef<Elf_Shdr>(headers))});
  uint64_t size = sectionTable + spans.back().bytes.size();
  if (segmentCount) {
    spans.push_back({programTable, makeProgramHeaders()});
    size += spans.back().bytes.size();
  }
  if (checkSpans(size, spans))
    saveFile(inputs, inputs.config.output, size, std::move(spans), readBack);
}

/// Alignments of inputs can make a file of any size out of nothing; sections
/// whose sizes and contents disagree would make one that can't be written.
bool ImageWriter::checkSpans(uint64_t size, ArrayRef<OutputSpan> spans) {
  constexpr uint64_t MaxPadding = uint64_t(1) << 30;
  uint64_t end = 0, padding = 0;
  for (const OutputSpan &span : spans) {
    if (span.offset < end || span.offset > size ||
        span.bytes.size() > size - span.offset) {
      inputs.diag.report(DiagId::InternalError,
                         {"Internal error: contents of sections overlap at ",
                          diag::offset(span.offset)});
      return false;
    }
    padding += span.offset - end;
    end = span.offset + span.bytes.size();
  }
  padding += size - end;
  if (padding <= MaxPadding)
    return true;
  inputs.diag.report(DiagId::FormatLimit,
                     {"The output would have ", size, " bytes, of which ",
                      padding, " are padding between aligned sections"});
  return false;
}

void writeImage(const Inputs &inputs, const Program &program,
                const Numbered &numbered,
                const std::function<void(StringRef)> &readBack) {
  ImageWriter writer(inputs, program, numbered);
  writer.layout();
  if (inputs.job.outputs != OutputMode::None)
    writer.write(readBack);
}

} // namespace lld::cuda
