//===- OutputSection.cpp - Sections of the output, and how they are made --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// createSection() and getNamedSection() make output sections, for the merge
/// and the passes that lay out memory, and append() adds parts of inputs to
/// them. A section is made once, where it is first needed, and mostly gets its
/// symbol at the same time. The order in which that happens is the order of
/// sections and section symbols in the output, so the calls must not be
/// reordered. Twins, the sections of the Mercury view that correspond to native
/// ones (docs/reference/mercury.md), are made by Twins.cpp and aren't in
/// Creations::sections.
///
/// The last functions are those of Companions.h. A section symbol is created
/// with its section, except that of .nv.constant0.K, which comes after the
/// symbol of its companion [merge-passes].
///
/// A line table or a bank of constants may be laid out anew after it was
/// merged: movedOffset() then translates an offset in the section as it was
/// merged into the new one.
///
//===----------------------------------------------------------------------===//

#include "OutputSection.h"
#include "Companions.h"
#include "Inputs.h"
#include "Program.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

void SectionPart::copyBytes(const Inputs &inputs) {
  copy = inputs.memory.allocate(bytes.size());
  llvm::copy(bytes, copy);
}

unsigned OutputSection::append(ArrayRef<uint8_t> bytes, uint64_t partSize,
                               uint64_t partAlign) {
  SectionPart part;
  part.offset = alignTo(size, std::max<uint64_t>(partAlign, 1));
  part.bytes = bytes;
  part.align = std::max<uint64_t>(partAlign, 1);
  size = part.offset + partSize;
  parts.push_back(part);
  return parts.size() - 1;
}

void OutputSection::setContents(ArrayRef<uint8_t> bytes) {
  SectionPart part;
  part.bytes = bytes;
  parts.assign(1, part);
  size = bytes.size();
}

/// The last block that begins at `offset` or before; null if none does.
static const MovedBlock *findMoved(const OutputSection &sec, uint64_t offset) {
  if (!sec.extras)
    return nullptr;
  auto next = upper_bound(
      sec.extras->moved, offset,
      [](uint64_t at, const MovedBlock &block) { return at < block.before; });
  return next == sec.extras->moved.begin() ? nullptr : &*std::prev(next);
}

uint64_t OutputSection::movedOffset(uint64_t offset) const {
  const MovedBlock *block = findMoved(*this, offset);
  return block ? offset - block->before + block->now : offset;
}

bool OutputSection::hasMoved(uint64_t offset) const {
  const MovedBlock *block = findMoved(*this, offset);
  return block && offset - block->before < block->size;
}

void OutputSection::setHeader(uint32_t newType, uint64_t newFlags,
                              uint64_t newAlign, uint64_t newEntsize) {
  type = newType;
  flags = newFlags;
  align = newAlign;
  entsize = newEntsize;
}

std::vector<Function *> Program::countedKernels() {
  std::vector<Function *> result;
  for (Function &f : functions)
    if (f.isCounted && f.reachable && f.defined)
      result.push_back(&f);
  return result;
}

std::vector<Function *> Program::kernels() {
  std::vector<Function *> result;
  for (Function &f : functions)
    if (f.isKernel() && f.reachable && f.defined && f.text)
      result.push_back(&f);
  return result;
}

bool Program::hasSharedVariables() const {
  return !sharedList.empty() || any_of(functions, [](const Function &f) {
    return !f.ownShared.empty();
  });
}

OutputSection *createSection(const Inputs &inputs, Creations &made,
                             SectionKind kind, StringRef name, Function *owner,
                             bool symbolLater) {
  OutputSection &sec = made.sectionStorage.emplace_back(kind, name);
  sec.owner = owner;
  made.sections.push_back(&sec);
  if (!symbolLater)
    addSectionSymbol(inputs, made, sec);
  return &sec;
}

Symbol *makeSectionSymbol(const Inputs &inputs, OutputSection &sec) {
  auto *sym = new (inputs.memory.shared.Allocate<Symbol>(1))
      Symbol(Symbol::Kind::Section, sec.name, STB_LOCAL, STT_SECTION, 0);
  sym->section = &sec;
  sym->defined = true;
  sym->hasUniqueName = sec.hasUniqueName;
  sym->namesCompanion = sec.companion == Companion::Noted;
  return sym;
}

void addSectionSymbol(const Inputs &inputs, Creations &made,
                      OutputSection &sec) {
  sec.symbol = makeSectionSymbol(inputs, sec);
  made.locals.push_back(sec.symbol);
}

void markUniqueName(OutputSection &sec) {
  sec.hasUniqueName = true;
  if (sec.symbol)
    sec.symbol->hasUniqueName = true;
}

OutputSection *createSharedSection(const Inputs &inputs, Creations &made,
                                   StringRef name, Function *owner) {
  OutputSection *sec =
      createSection(inputs, made, SectionKind::Shared, name, owner);
  sec->align = 1;
  return sec;
}

OutputSection *createSharedSection(const Inputs &inputs, Creations &made,
                                   Function &kernel) {
  return createSharedSection(
      inputs, made, inputs.memory.join(".nv.shared.", kernel.name), &kernel);
}

OutputSection *getDebugShared(const Inputs &inputs, Program &program,
                              uint64_t align) {
  program.debugShared =
      getNamedSection(inputs, program, SectionKind::DebugShared, align);
  return program.debugShared;
}

OutputSection *findNamedSection(const Program &program, StringRef name) {
  return program.sectionsByName.lookup(hashed(name));
}

OutputSection *findNamedSection(const Program &program, SectionKind kind) {
  return findNamedSection(program, getSectionFacts(kind).name);
}

OutputSection *getNamedSection(const Inputs &inputs, Program &program,
                               SectionKind kind, uint64_t align) {
  OutputSection *&sec =
      program.sectionsByName[hashed(getSectionFacts(kind).name)];
  if (!sec)
    sec = createSection(inputs, program, kind, getSectionFacts(kind).name);
  sec->align = std::max(sec->align, align);
  return sec;
}

OutputSection *getNamedSection(const Inputs &inputs, Program &program,
                               StringRef name, uint32_t type, uint64_t flags,
                               uint64_t align, uint64_t entsize) {
  OutputSection *&sec = program.sectionsByName[hashed(name)];
  if (!sec) {
    sec =
        createSection(inputs, program, getContentKind(name, type, flags), name);
    sec->setHeader(type, flags, align, entsize);
  }
  sec->align = std::max(sec->align, align);
  return sec;
}

bool hasCompanions(const Inputs &inputs) {
  return !inputs.isRelocatable() && !inputs.isMercury() &&
         !inputs.config.forceRela;
}

std::string getCompanionName(StringRef name) {
  return withCompanionName(name, [](StringRef front, StringRef back) {
    std::string result;
    result.reserve(front.size() + back.size());
    result += front;
    result += back;
    return result;
  });
}

static void setCompanion(OutputSection &sec, Companion companion) {
  sec.companion = companion;
  if (sec.symbol)
    sec.symbol->namesCompanion = companion == Companion::Noted;
}

void noteCompanion(OutputSection &sec) { setCompanion(sec, Companion::Noted); }

static OutputSection *createCompanion(const Inputs &inputs, Program &program,
                                      OutputSection &sec, SectionKind kind) {
  OutputSection &companion = program.sectionStorage.emplace_back(
      kind, inputs.memory.strings.save(getCompanionName(sec.name)));
  companion.owner = sec.owner;
  companion.reachable = sec.reachable;
  companion.symbol = makeSectionSymbol(inputs, companion);
  if (sec.hasUniqueName)
    markUniqueName(companion);
  setCompanion(sec, Companion::Created);
  program.hasUnplacedCompanions = true;
  return &companion;
}

OutputSection *getSharedSection(const Inputs &inputs, Program &program,
                                Function &f) {
  if (f.shared || !f.info || f.info->companion != Companion::Noted)
    return f.shared;
  f.shared = createCompanion(inputs, program, *f.info, SectionKind::Shared);
  f.shared->align = 1;
  return f.shared;
}

OutputSection *getTextureSlots(const Inputs &inputs, Program &program,
                               Function &f) {
  OutputSection *bank = f.constant0;
  if (f.textureSlots || !bank || bank->companion != Companion::Noted)
    return f.textureSlots;
  f.textureSlots =
      createCompanion(inputs, program, *bank, SectionKind::TextureSlots);
  f.textureSlots->target = bank;
  return f.textureSlots;
}

/// Returns the companion that was created and isn't at its place yet, or null.
static OutputSection *getUnplaced(const OutputSection &sec) {
  if (sec.companion != Companion::Created)
    return nullptr;
  return sec.kind == SectionKind::FunctionInfo ? sec.owner->shared
                                               : sec.owner->textureSlots;
}

void placeCompanions(Program &program) {
  if (!program.hasUnplacedCompanions)
    return;
  program.hasUnplacedCompanions = false;
  std::vector<Symbol *> locals;
  for (Symbol *s : program.locals) {
    OutputSection *unplaced =
        s->isSection() ? getUnplaced(*s->section) : nullptr;
    const bool comesFirst =
        unplaced && unplaced->kind == SectionKind::TextureSlots;
    if (comesFirst)
      locals.push_back(unplaced->symbol);
    locals.push_back(s);
    if (unplaced && !comesFirst)
      locals.push_back(unplaced->symbol);
  }
  program.locals = std::move(locals);
  std::vector<OutputSection *> sections;
  for (OutputSection *sec : program.sections) {
    sections.push_back(sec);
    if (OutputSection *unplaced = getUnplaced(*sec)) {
      sections.push_back(unplaced);
      sec->companion = Companion::None;
    }
  }
  program.sections = std::move(sections);
}

} // namespace lld::cuda
