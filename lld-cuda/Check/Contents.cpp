//===- Contents.cpp - --check: bytes, and what relocations put there ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkContents() compares the bytes of one output section with those of the
/// inputs that it was made of. Each field of a relocation is decoded from the
/// output and compared with the value that its entry asks for; all other bits
/// must be the input's. Code that the finalizer changes is compared with the
/// finalizer's result, and the field of a relocation is looked for at its
/// instruction's offset after the edit. Entries that are kept for the driver or
/// the next link must be in the section's relocation section, in any order.
///
/// checkBytes() in Check.cpp calls checkContents() for each section with bytes
/// of inputs, in parallel, and checkEntries() for the relocation sections whose
/// entries the link itself has made.
///
//===----------------------------------------------------------------------===//

#include "Check/Entries.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Numbered.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
/// An entry of an output's relocation section.
struct OutputEntry {
  uint64_t offset;
  uint32_t type, symbol;
  int64_t addend;
  StringRef name; ///< The symbol's, for messages.

  auto key() const { return std::tie(offset, type, symbol, addend); }
};
using OutputEntries = std::vector<OutputEntry>;

/// The entries of an output's relocation section, compared with those that are
/// expected as these come. Only if the order is another one, which tells
/// nothing, all are collected first.
class EntryStream {
public:
  EntryStream(const CheckedImage &image, const OutputSection *sec) {
    if (!sec || !sec->written)
      return;
    if (image.header(*sec).sh_type == SHT_REL)
      rels = image.file.rels(sec->index);
    else
      relas = image.file.relas(sec->index);
  }
  void expect(const OutputEntry &e) {
    if (collects)
      return expected.push_back(e);
    isInOrder &= next < size() && isAt(next, e);
    ++next;
  }
  /// Whether the section has exactly the expected entries, in this order.
  bool isSame() const { return isInOrder && next == size(); }

  bool collects = false;
  OutputEntries expected;

private:
  size_t size() const { return relas.size() + rels.size(); }
  bool isAt(size_t i, const OutputEntry &e) const {
    const Elf_Rel &r = relas.empty() ? rels[i] : relas[i];
    return r.r_offset == e.offset && r.getType(false) == e.type &&
           r.getSymbol(false) == e.symbol &&
           (relas.empty() || relas[i].r_addend == e.addend);
  }

  ArrayRef<Elf_Rela> relas;
  ArrayRef<Elf_Rel> rels;
  size_t next = 0;
  bool isInOrder = true;
};

/// A part whose bytes are compared with the input's.
struct ExpectedPart {
  std::vector<uint8_t> bytes; ///< The input's, with the output's fields.
  bool isUsed = false;
};

class ContentChecker {
public:
  ContentChecker(const CheckedImage &image, const OutputSection &sec,
                 Findings &findings);
  void run();

private:
  void visit(const ReadEntry &e);
  void checkField(const ReadEntry &e, uint64_t value, uint8_t bank,
                  bool implicit);
  void checkCleared(const ReadEntry &e);
  void keep(const ReadEntry &e);
  void resolve(const ReadEntry &e);
  void compareParts();
  void comparePart(const SectionPart &part, ArrayRef<uint8_t> expected);
  void compareRange(uint64_t offset, ArrayRef<uint8_t> expected);
  void checkGaps();
  void compareEntries(const OutputSection *to, EntryStream &stream);

  /// What the input has from the entry's offset on.
  ArrayRef<uint8_t> inputBytes(const ReadEntry &e) const;
  /// What the output has from there on; empty if the entry has no place there.
  ArrayRef<uint8_t> outputBytes(const ReadEntry &e) const;
  uint64_t finalOffset(const ReadEntry &e) const;
  CheckedPlace placeOf(const ReadEntry &e) const;
  void takeOver(const ReadEntry &e, uint64_t mask);

  const CheckedImage &image;
  const Inputs &inputs;
  const OutputSection &sec;
  Findings &findings;
  EntryReader reader;
  const ArrayRef<uint8_t> found;
  const CodeEdit *edit = nullptr;
  const bool isRemade;  ///< Passes that change code have written to it.
  const bool hasFields; ///< Of relocations, that can be decoded.
  std::vector<ExpectedPart> parts;
  EntryStream rel, rela, resolved;
  bool onlyEntries = false; ///< Fields have been looked at.
};
} // namespace

/// Sections that the finalizer and the tables' own passes change in place.
static bool isMadeAnew(const Inputs &inputs, const OutputSection &sec) {
  if (sec.isMercuryText() || isUnifiedTable(sec.type))
    return true;
  return inputs.isMercury() && !sec.native &&
         (sec.isText() || sec.kind == SectionKind::Literals ||
          sec.kind == SectionKind::DebugRegisters);
}

ContentChecker::ContentChecker(const CheckedImage &image,
                               const OutputSection &sec, Findings &findings)
    : image(image), inputs(image.inputs()), sec(sec), findings(findings),
      reader(image, sec), found(image.contents(sec)),
      isRemade(isMadeAnew(inputs, sec)),
      hasFields(!sec.isSharedCopy && !sec.isMercuryText() && !sec.isNoBits()),
      parts(sec.parts.size()), rel(image, sec.rel), rela(image, sec.rela),
      resolved(image, sec.resolvedRela) {
  if (!sec.native && sec.isText() && sec.owner && sec.owner->text == &sec)
    edit = sec.owner->edit;
}

uint64_t ContentChecker::finalOffset(const ReadEntry &e) const {
  const uint64_t offset = reader.outputOffset(e);
  return edit ? edit->newOffset(offset) : offset;
}

CheckedPlace ContentChecker::placeOf(const ReadEntry &e) const {
  return {sec.name, e.symbol ? e.symbol->name : StringRef(), finalOffset(e)};
}

ArrayRef<uint8_t> ContentChecker::inputBytes(const ReadEntry &e) const {
  const ObjectFile &obj = *e.group->file;
  const Elf_Shdr &shdr = obj.file.sections()[e.group->inputSection];
  ArrayRef<uint8_t> bytes =
      edit ? obj.file.contents(shdr.sh_info) : sec.parts[e.group->part].bytes;
  return bytes.drop_front(std::min<uint64_t>(e.offset, bytes.size()));
}

ArrayRef<uint8_t> ContentChecker::outputBytes(const ReadEntry &e) const {
  const uint64_t offset = finalOffset(e);
  const size_t left = inputBytes(e).size();
  return offset < found.size() ? found.slice(offset).take_front(left)
                               : ArrayRef<uint8_t>();
}

/// Bits of the output that have been looked at count as the input's.
void ContentChecker::takeOver(const ReadEntry &e, uint64_t mask) {
  if (isRemade)
    return;
  ArrayRef<uint8_t> from = outputBytes(e);
  ExpectedPart &part = parts[e.group->part];
  if (!part.isUsed) {
    ArrayRef<uint8_t> bytes = sec.parts[e.group->part].bytes;
    part.bytes.assign(bytes.begin(), bytes.end());
    part.isUsed = true;
  }
  const size_t size = std::min<size_t>(from.size(), sizeof(mask));
  for (size_t i = 0; i != size; ++i) {
    const uint8_t bits = mask >> 8 * i;
    uint8_t &byte = part.bytes[e.offset + i];
    byte = (byte & ~bits) | (from[i] & bits);
  }
}

/// `implicit`: what the field holds is added.
void ContentChecker::checkField(const ReadEntry &e, uint64_t value,
                                uint8_t bank, bool implicit) {
  if (!hasFields || onlyEntries)
    return;
  const RelocationInfo &info = *e.decision.info;
  ArrayRef<uint8_t> before = inputBytes(e), now = outputBytes(e);
  if (before.empty() || now.empty() || !info.width)
    return;
  const uint64_t old = implicit ? readRelocationField(before, info) : 0;
  uint64_t field = info.action == RelocAction::Byte
                       ? (old + value) >> info.shift
                       : old + (value >> info.shift);
  const uint64_t mask =
      info.width == 64 ? ~uint64_t(0) : (uint64_t(1) << info.width) - 1;
  findings.number(placeOf(e), info.name, field & mask,
                  readRelocationField(now, info));
  if (info.bankBit != NoBank) {
    const uint8_t oldBank = implicit ? readRelocationBank(before, info) : 0;
    findings.number(placeOf(e), "constant bank",
                    (oldBank + bank) & MaxRelocationBank,
                    readRelocationBank(now, info));
  }
  takeOver(e, getRelocationMask(info));
}

void ContentChecker::checkCleared(const ReadEntry &e) {
  if (!hasFields || onlyEntries)
    return;
  const size_t size = e.decision.info->action == RelocAction::Clear32 ? 4 : 8;
  for (uint8_t byte : outputBytes(e).take_front(size))
    findings.number(placeOf(e), "field that refers to something removed", 0,
                    byte);
  takeOver(e, size == 8 ? ~uint64_t(0) : uint32_t(~0));
}

/// An entry that stays: as it was, or with its addend out of the field.
void ContentChecker::keep(const ReadEntry &e) {
  const bool asRela = e.isRela || inputs.config.forceRela ||
                      (e.base && !reader.site().resolvesReferences);
  const RelocationInfo *info = e.decision.info;
  int64_t addend = e.addend;
  if (asRela && !e.isRela && info)
    addend = readRelocationField(inputBytes(e), *info);
  else if (!asRela && e.base && info)
    checkField(e, e.base, 0, /*implicit=*/true);
  addend = reader.movedAddress(e.symbol, addend + e.base);
  if (const Symbol *s = e.symbol; s && s->isFunction() && !sec.native)
    if (const CodeEdit *target = static_cast<const Function *>(s)->edit;
        target && asRela)
      addend = target->newStart(addend);
  (asRela ? rela : rel)
      .expect({finalOffset(e), e.decision.type, e.symbol ? e.symbol->index : 0,
               asRela ? addend : 0, e.symbol ? e.symbol->name : StringRef()});
}

void ContentChecker::resolve(const ReadEntry &e) {
  if (sec.resolvedRela && isListedWhenResolved(reader.site(), e.symbol)) {
    const uint64_t addend =
        e.isRela ? e.addend
                 : readRelocationField(inputBytes(e), *e.decision.info);
    resolved.expect({finalOffset(e), e.decision.type,
                     e.symbol ? e.symbol->index : 0, int64_t(addend + e.base),
                     e.symbol ? e.symbol->name : StringRef()});
  }
  const RelocationValue value =
      valueOf(reader.site(), *e.decision.info, e.symbol, e.base);
  checkField(e, reader.movedAddress(e.symbol, value.address + e.addend),
             value.bank, /*implicit=*/!e.isRela && !e.base);
}

void ContentChecker::visit(const ReadEntry &e) {
  switch (e.decision.fate) {
  case Fate::Drop:
    return;
  case Fate::Clear:
    return checkCleared(e);
  case Fate::FillInAndKeep:
    resolve(e);
    [[fallthrough]];
  case Fate::Keep:
    return keep(e);
  case Fate::Resolve:
    return resolve(e);
  case Fate::LeavesSection:
  case Fate::Unexpected:
    return findings.text(placeOf(e), "relocation that should not be there",
                         "none", getRelocationName(e.decision.type));
  }
}

void ContentChecker::compareRange(uint64_t offset, ArrayRef<uint8_t> expected) {
  if (expected.empty())
    return;
  if (offset > found.size() || expected.size() > found.size() - offset)
    return findings.number({sec.name, {}, offset}, "end of the contents",
                           offset + expected.size(), found.size());
  ArrayRef<uint8_t> now = found.slice(offset, expected.size());
  if (std::memcmp(expected.data(), now.data(), now.size()) == 0)
    return;
  size_t i = 0;
  while (expected[i] == now[i])
    ++i;
  const Symbol *owner = sec.owner;
  findings.number({sec.name, owner ? owner->name : StringRef(), offset + i},
                  "byte", expected[i], now[i]);
}

void ContentChecker::comparePart(const SectionPart &part,
                                 ArrayRef<uint8_t> expected) {
  if (!sec.writesMoved())
    return compareRange(part.offset, expected);
  for (const MovedBlock &block : sec.extras->moved) {
    const uint64_t begin = std::max(block.before, part.offset);
    const uint64_t end =
        std::min(block.before + block.size, part.offset + expected.size());
    if (begin < end)
      compareRange(block.now + (begin - block.before),
                   expected.slice(begin - part.offset, end - begin));
  }
}

/// Checks that the bytes between the section's parts are zero.
void ContentChecker::checkGaps() {
  if (sec.writesMoved())
    return;
  uint64_t end = 0;
  auto check = [&](uint64_t next) {
    checkZero(found, end, next, sec.name, findings);
  };
  for (const SectionPart &part : sec.parts) {
    if (part.isDropped)
      continue;
    if (part.offset < end)
      return;
    check(part.offset);
    end = part.offset + part.bytes.size();
  }
  check(found.size());
}

void ContentChecker::compareParts() {
  if (sec.isSharedCopy || sec.isNoBits())
    return;
  for (size_t i = 0; i != parts.size(); ++i) {
    const SectionPart &part = sec.parts[i];
    if (part.isDropped)
      continue;
    if (isRemade)
      comparePart(part, part.contents());
    else
      comparePart(part,
                  parts[i].isUsed ? ArrayRef(parts[i].bytes) : part.bytes);
  }
  checkGaps();
}

static OutputEntries readEntries(const CheckedImage &image,
                                 const OutputSection &sec) {
  OutputEntries entries;
  auto add = [&](const Elf_Rel &r, int64_t addend) {
    entries.push_back(
        {r.r_offset, r.getType(false), r.getSymbol(false), addend, {}});
  };
  if (image.header(sec).sh_type == SHT_REL)
    for (const Elf_Rel &r : image.file.rels(sec.index))
      add(r, 0);
  else
    for (const Elf_Rela &r : image.file.relas(sec.index))
      add(r, r.r_addend);
  return entries;
}

static void compareEntry(const CheckedImage &image, const OutputSection &sec,
                         const OutputEntry &expected, const OutputEntry &found,
                         Findings &findings) {
  if (LLVM_LIKELY(expected.key() == found.key()))
    return;
  const CheckedPlace at{sec.name, expected.name, expected.offset};
  auto nameOf = [&](uint32_t index) {
    const CubinSymbolTable &table = image.symbols(sec.view());
    return index < table.symbols.size() ? table.name(table.symbols[index])
                                        : StringRef();
  };
  findings.number(at, "r_offset", expected.offset, found.offset);
  findings.number(at, "relocation type", expected.type, found.type);
  findings.number(at, "r_addend", expected.addend, found.addend);
  if (expected.symbol != found.symbol)
    findings.add(
        at, "symbol of the relocation",
        ("'" + expected.name + "' (" + Twine(expected.symbol) + ")").str(),
        ("'" + nameOf(found.symbol) + "' (" + Twine(found.symbol) + ")").str());
}

/// Compares entries as sets, because their order means nothing.
static void compareLists(const CheckedImage &image, const OutputSection &sec,
                         OutputEntries &expected, Findings &findings) {
  OutputEntries found = readEntries(image, sec);
  findings.number({sec.name, {}, {}}, "number of relocations", expected.size(),
                  found.size());
  if (expected.size() != found.size())
    return;
  auto before = [](const OutputEntry &a, const OutputEntry &b) {
    return a.key() < b.key();
  };
  llvm::sort(expected, before);
  llvm::sort(found, before);
  for (size_t i = 0; i != found.size(); ++i)
    compareEntry(image, sec, expected[i], found[i], findings);
}

/// Whether addends are offsets in code that were translated from the Mercury
/// view's, as with --nvlink-compat.
static bool hasTranslatedAddends(const Inputs &inputs,
                                 const OutputSection &sec) {
  return inputs.isMercury() && !sec.native &&
         inputs.rules.translatesReplacedDebugOffsets() &&
         (sec.name == ".debug_info" || sec.name == ".debug_loc");
}

void ContentChecker::compareEntries(const OutputSection *to,
                                    EntryStream &stream) {
  if (to && to->written && hasTranslatedAddends(inputs, sec))
    return checkEntries(image, *to, findings);
  if (!stream.collects || stream.isSame())
    return;
  if (to && to->written)
    return compareLists(image, *to, stream.expected, findings);
  if (!stream.expected.empty())
    findings.number({sec.name, stream.expected.front().name,
                     stream.expected.front().offset},
                    "number of relocations that are kept",
                    stream.expected.size(), 0);
}

void ContentChecker::run() {
  reader.forEach([&](const ReadEntry &e) { visit(e); });
  compareParts();
  if (sec.relocations.empty())
    return;
  if (!rel.isSame() || !rela.isSame() || !resolved.isSame()) {
    onlyEntries = rel.collects = rela.collects = resolved.collects = true;
    reader.forEach([&](const ReadEntry &e) { visit(e); });
  }
  compareEntries(sec.rel, rel);
  compareEntries(sec.rela, rela);
  compareEntries(sec.resolvedRela, resolved);
}

void checkContents(const CheckedImage &image, const OutputSection &sec,
                   Findings &findings) {
  ContentChecker(image, sec, findings).run();
}

/// Checks entries that the link itself has made: the layout of textures and
/// rebuilt debug information do so.
void checkEntries(const CheckedImage &image, const OutputSection &sec,
                  Findings &findings) {
  OutputEntries expected;
  const bool isRela = sec.entsize == sizeof(Elf_Rela);
  for (const KeptRelocation &r : sec.kept)
    expected.push_back({r.offset, r.type, r.symbol ? r.symbol->index : 0,
                        isRela ? r.addend : 0,
                        r.symbol ? r.symbol->name : StringRef()});
  compareLists(image, sec, expected, findings);
}

} // namespace lld::cuda
