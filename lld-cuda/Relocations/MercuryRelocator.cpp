//===- MercuryRelocator.cpp - Relocations of the Mercury view -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// relocateMercury() applies relocations to a section of the Mercury view (the
/// second form in which cubins hold their code, docs/reference/mercury.md), the
/// twin of a native section. processRelocations() calls it for each such twin
/// from sm_100 on, in parallel with other sections.
///
/// A twin of data is patched like its native section. Mercury code
/// (.nv.capmerc.text.F) isn't: the offset of a relocation entry isn't an offset
/// in that section's bytes. The record to patch is found by its native
/// instruction, and this instruction by the native entry that corresponds to
/// the Mercury entry: both views list a function's entries in the same order
/// [mercury-code-format].
///
//===----------------------------------------------------------------------===//

#include "Finalize/Mercury.h"
#include "Input/ObjectFile.h"
#include "Relocations/SectionRelocator.h"
#include "lld-cuda/Object/Mercury.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

/// A twin that has bytes of its own and is no code.
class MercuryDataRelocator : public SectionRelocator {
public:
  MercuryDataRelocator(const Inputs &inputs, const Program &program,
                       const RelocationSite &link, OutputSection &sec,
                       FirstRelocationError &error)
      : SectionRelocator(inputs, program, link, sec, error) {}

private:
  void writeField(const RelocationEntry &e, const RelocationInfo &info,
                  const Symbol *, RelocationValue value,
                  bool implicit) override {
    // Where it has none, the native view patches the bytes.
    if (!sec.isSharedCopy)
      patchRelocation(patcher.bytesAt(e.offset), info, value.address + e.addend,
                      value.bank, implicit);
  }
};

/// Mercury code, .nv.capmerc.text.F, whose fields are in records.
class MercuryTextRelocator final : public SectionRelocator {
public:
  MercuryTextRelocator(const Inputs &inputs, const Program &program,
                       const RelocationSite &link, OutputSection &sec,
                       FirstRelocationError &error)
      : SectionRelocator(inputs, program, link, sec, error) {}

private:
  uint64_t endOfOffsets() const override { return ~uint64_t(0); }
  void writeField(const RelocationEntry &e, const RelocationInfo &info,
                  const Symbol *, RelocationValue value,
                  bool implicit) override;
  void pairEntries();
  bool patchRecord(const RelocationEntry &e, const RelocationInfo &info,
                   uint64_t value);

  /// Offsets of the native entries that correspond to those of pairedGroup.
  std::vector<uint64_t> nativeOffsets;
  const RelocationGroup *pairedGroup = nullptr;
  std::optional<CapmercText> text; ///< As it was read.
};

} // namespace

/// Pairs the entries of a function's code, which have the same order in both
/// views; only the Mercury view has entries against reserved shared memory.
void MercuryTextRelocator::pairEntries() {
  constexpr uint64_t Unpaired = ~uint64_t(0);
  pairedGroup = group;
  const ObjectFile &obj = *group->file;
  ArrayRef<Elf_Rela> mercury = obj.file.relas(group->inputSection), native;
  for (const RelocationGroup &g : sec.native->relocations)
    if (g.file == group->file)
      native = obj.relas(g.inputSection);
  nativeOffsets.assign(mercury.size(), Unpaired);
  size_t j = 0;
  for (size_t i = 0; i != mercury.size() && j != native.size(); ++i)
    if (mercury[i].getSymbol(false) == native[j].getSymbol(false))
      nativeOffsets[i] = native[j++].r_offset;
}

void MercuryTextRelocator::writeField(const RelocationEntry &e,
                                      const RelocationInfo &info,
                                      const Symbol *, RelocationValue value,
                                      bool) {
  if (pairedGroup != group)
    pairEntries();
  if (!text) {
    Expected<CapmercText> read = readCapmercText(
        sec.parts[group->part].bytes, sec.native->parts[0].bytes.size());
    if (!read)
      return fatal(DiagId::DamagedInput, {diag::file(group->file->label), ": ",
                                          diag::section(sec.name).bare(), ": ",
                                          toString(read.takeError())});
    text = std::move(*read);
  }
  if (!patchRecord(e, info, value.address + e.addend))
    fatal(DiagId::InternalError, {"Internal error: reloc address not found"});
}

/// Returns false if no instruction has the field.
bool MercuryTextRelocator::patchRecord(const RelocationEntry &e,
                                       const RelocationInfo &info,
                                       uint64_t value) {
  if (entryIndex >= nativeOffsets.size() ||
      nativeOffsets[entryIndex] >= sec.native->parts[0].bytes.size())
    return false;
  MutableArrayRef<uint8_t> bytes = patcher.bytesAt(0);
  return !bytes.empty() &&
         patchCapmerc(bytes, *text, nativeOffsets[entryIndex], e.offset,
                      info.width / 8, value >> info.shift);
}

void relocateMercury(const Inputs &inputs, const Program &program,
                     const RelocationSite &link, OutputSection &twin,
                     FirstRelocationError &error) {
  if (twin.isMercuryText())
    MercuryTextRelocator(inputs, program, link, twin, error).run();
  else
    MercuryDataRelocator(inputs, program, link, twin, error).run();
}

} // namespace lld::cuda
