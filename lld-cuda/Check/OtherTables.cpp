//===- OtherTables.cpp - --check: notes, compatibility, unified tables ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These parts of --check compare the small tables of an output with those of
/// its inputs: the notes (.note.nv.tkinfo, .note.nv.cuinfo), .nv.compat, and
/// the tables of unified functions and variables. compare() in Check.cpp calls
/// them last, when section headers and symbols are known to be right. What the
/// tables must say is computed again from the inputs: the value of a code of
/// .nv.compat, for example, from the values that all objects have for it, by
/// the code's policy (combineCompat()). Codes by which the finalizer describes
/// its own work don't follow from the inputs alone; of these its version and
/// CAN_FASTPATH_FINALIZE are compared.
///
//===----------------------------------------------------------------------===//

#include "Check/Image.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Numbered.h"
#include "Program.h"
#include "lld-cuda/BinaryFormat/Architectures.h"
#include "lld-cuda/Object/Compat.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <map>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// An input's note of what made it.
static ArrayRef<uint8_t> findToolkitNote(const ObjectFile &obj) {
  for (unsigned i = 1; i < obj.file.sections().size(); ++i)
    if (obj.file.sections()[i].sh_type == SHT_NOTE &&
        obj.file.sectionName(i) ==
            getSectionFacts(SectionKind::ToolkitNote).name)
      return obj.file.contents(i);
  return {};
}

/// Checks .note.nv.tkinfo: the link's own record, then those of the inputs.
static void checkToolkitNote(const CheckedImage &image, Findings &findings) {
  const Inputs &inputs = image.inputs();
  const OutputSection &sec = *image.program().tkinfo;
  const CheckedPlace at{sec.name, {}, {}};
  SmallVector<uint8_t, 0> ofInputs;
  if (!inputs.rules.dropsNotesOfInputs())
    for (const ObjectFile &obj : image.program().objects)
      append_range(ofInputs, findToolkitNote(obj));
  ArrayRef<uint8_t> all = image.contents(sec);
  if (all.size() < ofInputs.size() ||
      all.take_back(ofInputs.size()) != ArrayRef<uint8_t>(ofInputs))
    findings.add(at, "records of the inputs",
                 utostr(ofInputs.size()) + " bytes, unchanged", "other bytes");
  Expected<std::vector<TkInfoNote>> own =
      readTkInfoNotes(all.drop_back(std::min(all.size(), ofInputs.size())));
  if (!own)
    return findings.add(at, "the link's record", "readable contents",
                        toString(own.takeError()));
  findings.number(at, "records of the link", 1, own->size());
  if (own->empty() || inputs.config.isNvJitLinkNote)
    return;
  const TkInfoNote &note = own->front();
  findings.number(at, "version",
                  inputs.rules.writesOldFiles() ? inputs.rules.release().toolkit
                                                : TkInfoNote().version,
                  note.version);
  findings.text(at, "file", inputs.config.noteFile, note.file);
  findings.text(at, "command", inputs.config.noteCommand, note.command);
}

static void checkCubinNote(const CheckedImage &image, Findings &findings) {
  const Inputs &inputs = image.inputs();
  const OutputSection &sec = *image.program().cuinfo;
  const CheckedPlace at{sec.name, {}, {}};
  Expected<CuInfoNote> note = readCuInfoNote(image.contents(sec));
  if (!note)
    return findings.add(at, "note", "readable contents",
                        toString(note.takeError()));
  const bool isOld = inputs.rules.writesOldFiles();
  uint16_t expected = getOldestVirtualArch(image);
  if (isOld) // CUDA 12 has that of the last input.
    for (const ObjectFile &obj : image.program().objects)
      expected = obj.compiledFor.virtualArch;
  findings.number(at, "virtual architecture", expected, note->virtualArch);
  findings.number(at, "version",
                  isOld ? CuInfoNote::OfCuda12 : CuInfoNote::FirstWithToolkit,
                  note->version);
  findings.number(at, "toolkit", isOld ? 0 : inputs.rules.release().toolkit,
                  note->toolkit);
}

void checkNoteSections(const CheckedImage &image, Findings &findings) {
  const Program &program = image.program();
  if (program.tkinfo && program.tkinfo->written)
    checkToolkitNote(image, findings);
  if (program.cuinfo && program.cuinfo->written)
    checkCubinNote(image, findings);
}

namespace {
/// A code of .nv.compat, as all inputs together say it.
struct Combined {
  std::optional<uint64_t> value;
  bool isMissing = false; ///< In some input with such a section.

  void add(const CompatAttribute &attribute, uint64_t next) {
    value = value ? combineCompat(attribute.policy, *value, next) : next;
  }
};
} // namespace

/// Calls visit(record) for each record of an object's .nv.compat. Returns false
/// if it has no such section. The link has reported what is wrong with records.
template <class Visit>
static bool forEachCompatRecord(const ObjectFile &obj, Visit visit) {
  const auto sections = obj.file.sections();
  auto it = find_if(sections, [](const Elf_Shdr &h) {
    return h.sh_type == SHT_CUDA_COMPAT_INFO;
  });
  if (it == sections.end())
    return false;
  consumeError(forEachNvInfoRecord(obj.file.contents(it - sections.begin()),
                                   [&](size_t, const NvInfoRecord &r) {
                                     visit(r);
                                     return Error::success();
                                   }));
  return true;
}

static Combined combine(const CheckedImage &image,
                        const CompatAttribute &attribute) {
  Combined all;
  for (const ObjectFile &obj : image.program().objects) {
    bool isThere = false;
    const bool hasSection =
        forEachCompatRecord(obj, [&](const NvInfoRecord &r) {
          if (r.code != attribute.code)
            return;
          isThere = true;
          all.add(attribute, getCompatValue(attribute, r));
        });
    if (isThere || !hasSection)
      continue;
    all.isMissing = true;
    if (attribute.defaultValue)
      all.add(attribute, *attribute.defaultValue);
  }
  return all;
}

/// Whether the finalizer says it, about its own work.
static bool isOfFinalizer(const Inputs &inputs, uint8_t code) {
  return inputs.isMercury() && !inputs.rules.writesOldFiles() &&
         (code == COMPAT_CAN_FASTPATH_FINALIZE ||
          code == COMPAT_FINALIZER_VERSION || code == COMPAT_CODE_15);
}

/// Returns the flags of CAN_FASTPATH_FINALIZE that all objects with code share,
/// by which the finalizer of releases before 13.3 describes an image.
static uint64_t sharedFlags(const CheckedImage &image, unsigned sm) {
  constexpr uint64_t OldestOnSM120 = 0x50, Oldest = 1;
  std::optional<uint64_t> shared;
  for (const ObjectFile &obj : image.program().objects) {
    uint64_t flags = 0;
    const bool hasSection =
        forEachCompatRecord(obj, [&](const NvInfoRecord &r) {
          if (r.code == COMPAT_CAN_FASTPATH_FINALIZE && r.wordCount())
            flags = r.word(0);
        });
    if (hasSection && obj.hasOldestMercury())
      flags = sm == 120 ? OldestOnSM120 : Oldest;
    if (flags)
      shared = shared.value_or(flags) & flags;
  }
  return shared.value_or(0);
}

/// Compares the flags that say on which other architectures an image can be
/// finalized without new code [compat-fastpath]. Two of them aren't compared
/// where they depend on the code, or on whether it is for an "a" architecture.
static void checkFastpath(const CheckedImage &image, const CheckedPlace &at,
                          uint64_t flags, Findings &findings) {
  constexpr uint64_t SuitsSM103 = 8, SuitsFamily = 0x40;
  const Inputs &inputs = image.inputs();
  uint64_t expected = 0, unknown = 0;
  auto isInImage = [](const Function &f) {
    return f.text && f.text->reachable;
  };
  if (inputs.rules.fastpathFlagsOfTarget())
    expected = getArchitectureLimits(inputs.sm())->fastpath;
  else if (any_of(image.program().functions, isInImage) &&
           (inputs.sm() == 100 || inputs.sm() == 120)) {
    expected = sharedFlags(image, inputs.sm());
    unknown = inputs.sm() == 100 ? SuitsSM103 : 0;
  }
  if (inputs.rules.keepsAcceleratedApart() &&
      inputs.config.arch.suffix == Architecture::Accelerated)
    unknown |= SuitsSM103 | SuitsFamily;
  findings.number(at, "COMPAT_CAN_FASTPATH_FINALIZE", expected & ~unknown,
                  flags & ~unknown);
}

void checkCompat(const CheckedImage &image, Findings &findings) {
  const Inputs &inputs = image.inputs();
  const OutputSection *sec = image.program().compat;
  if (!sec || !sec->written)
    return;
  const CheckedPlace at{sec->name, {}, {}};
  std::map<uint8_t, uint64_t> found;
  Error error = forEachNvInfoRecord(
      image.contents(*sec), [&](size_t, const NvInfoRecord &r) {
        const CompatAttribute *attribute = getCompatAttribute(r.code);
        found[r.code] = attribute ? getCompatValue(*attribute, r) : r.value;
        return Error::success();
      });
  if (error)
    return findings.add(at, "records", "readable contents",
                        toString(std::move(error)));
  if (!inputs.rules.writesOldFiles())
    findings.number(at, "COMPAT_CUDA_ACCELERATOR_TARGET",
                    inputs.config.arch.suffix == Architecture::Accelerated,
                    found[COMPAT_CUDA_ACCELERATOR_TARGET]);
  if (isOfFinalizer(inputs, COMPAT_FINALIZER_VERSION) &&
      inputs.rules.release().finalizer)
    findings.number(at, "COMPAT_FINALIZER_VERSION",
                    inputs.rules.release().finalizer,
                    found[COMPAT_FINALIZER_VERSION]);
  if (isOfFinalizer(inputs, COMPAT_CAN_FASTPATH_FINALIZE))
    checkFastpath(image, at, found[COMPAT_CAN_FASTPATH_FINALIZE], findings);
  for (const CompatAttribute &attribute : compatAttributes()) {
    if (attribute.policy == CompatPolicy::Ignore ||
        !inputs.rules.isSince(attribute.since) ||
        isOfFinalizer(inputs, attribute.code) ||
        attribute.code == COMPAT_CUDA_ACCELERATOR_TARGET)
      continue;
    const Combined all = combine(image, attribute);
    auto it = found.find(attribute.code);
    const bool isDefault = attribute.unwritten &&
                           inputs.rules.isSince(attribute.unwritten) &&
                           all.value == attribute.defaultValue;
    const bool isExpected =
        all.value && !isDefault &&
        !(attribute.place == CompatPlace::EveryInput && all.isMissing);
    if (isExpected != (it != found.end()))
      findings.number(at, attribute.name, isExpected, !isExpected);
    else if (isExpected)
      findings.number(at, attribute.name, *all.value, it->second);
  }
}

/// An entry is the input's, with the symbol's number here and its value; two
/// more bits say that it was linked.
static void checkUnifiedEntry(const CheckedImage &image,
                              const OutputSection &sec, uint64_t offset,
                              ArrayRef<uint8_t> input, const Symbol &s,
                              Findings &findings) {
  using namespace support::endian;
  constexpr uint32_t Linked = 6;
  constexpr size_t FlagsAt = 4, ValueAt = 8, IdAt = 16, Size = 32;
  ArrayRef<uint8_t> found = image.contents(sec);
  const CheckedPlace at{sec.name, s.name, offset};
  if (offset + Size > found.size())
    return findings.number(at, "end of the table", offset + Size, found.size());
  found = found.slice(offset, Size);
  findings.number(at, "symbol", s.index, read32le(found.data()));
  findings.number(at, "flags", read32le(input.data() + FlagsAt) | Linked,
                  read32le(found.data() + FlagsAt));
  if (!image.inputs().rules.unifiedOffsetsWhenMerged())
    findings.number(at, "value", s.value, read64le(found.data() + ValueAt));
  if (input.slice(IdAt, Size - IdAt) != found.drop_front(IdAt))
    findings.add(at, "identity", toHex(input.slice(IdAt, Size - IdAt), true),
                 toHex(found.drop_front(IdAt), true));
}

void checkUnifiedTables(const CheckedImage &image, Findings &findings) {
  constexpr size_t Size = 32;
  for (const ObjectFile &obj : image.program().objects)
    for (unsigned i = 1; i < obj.file.sections().size(); ++i) {
      if (!isUnifiedTable(obj.file.sections()[i].sh_type))
        continue;
      const SectionPlacement p = obj.placement(i);
      if (!p.section || !p.section->written)
        continue;
      ArrayRef<uint8_t> entries = obj.file.contents(i);
      for (uint64_t at = 0; at + Size <= entries.size(); at += Size) {
        ArrayRef<uint8_t> entry = entries.slice(at, Size);
        const Symbol *s = obj.symbols[support::endian::read32le(entry.data())];
        if (s)
          checkUnifiedEntry(image, *p.section, p.base + at, entry, *s,
                            findings);
      }
    }
}

} // namespace lld::cuda
