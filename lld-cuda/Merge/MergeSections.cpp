//===- MergeSections.cpp - Contents and relocations of an object ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The third and fourth pass over an object that is merged: Merger::run() in
/// Merge.cpp calls mergeContents() and mergeRelocations() when the object's
/// functions and variables are known. Both go over the sections in the order of
/// their headers. A section with contents is appended as a whole to the output
/// section of its name (or of its function), without a copy of the bytes. A
/// relocation section is only noted, with the section that it applies to: its
/// entries are read when relocations are processed.
///
//===----------------------------------------------------------------------===//

#include "Companions.h"
#include "Explain/Explain.h"
#include "Input/CheckObject.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Merge/Merge.h"
#include "Merge/NativeCallees.h"
#include "Merge/RejectedEntries.h"
#include "Twins.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// On sm_100 and later the finalizer makes the parameter banks; they stand at
/// the end of the file.
static bool isParameterBank(const Inputs &inputs, uint32_t type) {
  return inputs.isMercury() && type == SHT_CUDA_CONSTANT_B0;
}

/// All types not named here vanish.
bool isContent(const Inputs &inputs, const CubinFile &file,
               ArrayRef<uint32_t> textOwner, unsigned section) {
  const Elf_Shdr &shdr = file.sections()[section];
  if (shdr.sh_flags & SHF_CUDA_MERCURY)
    return false;
  StringRef name;
  switch (shdr.sh_type) {
  case SHT_PROGBITS:
    if (textOwner[section])
      return false;
    name = file.sectionName(section);
    if (inputs.config.lld.stripDebug && isDebugSection(name))
      return false;
    return !name.starts_with(".text.");
  case SHT_NOTE:
    name = file.sectionName(section);
    return name != getSectionFacts(SectionKind::ToolkitNote).name &&
           name != getSectionFacts(SectionKind::CubinNote).name &&
           name != OldCubinNoteName;
  case 0x70000006:
  case 0x70000010:
    return true;
  default:
    break;
  }
  // Without a name, the type alone decides.
  const SectionKind kind = getContentKind("", shdr.sh_type, shdr.sh_flags);
  return kind != SectionKind::Other &&
         getSectionFacts(kind).bucket != SectionBucket::NoBits &&
         !isParameterBank(inputs, shdr.sh_type);
}

bool Merger::isParameterBank(unsigned section) const {
  return lld::cuda::isParameterBank(inputs, file.sections()[section].sh_type);
}

/// Sections and symbols in an order of their own
/// [section-parameter-bank-created].
void Merger::setParameterBank(unsigned section) {
  const Elf_Shdr &shdr = file.sections()[section];
  uint32_t owner = obj.ownerOf(section);
  Function *f = obj.functionOf(section);
  if (!f || obj.isLost(owner))
    return;
  if (!f->constant0) {
    OutputSection &bank = program.sectionStorage.emplace_back(
        SectionKind::ParameterBank, file.sectionName(section));
    bank.align = shdr.sh_addralign;
    bank.owner = f;
    bank.symbol = new (inputs.memory.arena)
        Symbol(Symbol::Kind::Section, bank.name, STB_LOCAL, STT_SECTION, 0);
    bank.symbol->section = &bank;
    bank.symbol->defined = true;
    f->constant0 = &bank;
  }
  f->constant0->setContents(file.contents(section));
  obj.place(section, {f->constant0, 0, 0});
}

void Merger::mergeContents() {
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    const Elf_Shdr &shdr = file.sections()[i];
    if (shdr.sh_type == SHT_CUDA_SHARED)
      noteSharedSection(i);
    if (isParameterBank(i))
      setParameterBank(i);
    if (shdr.sh_flags & SHF_EXECINSTR && !obj.textOwner[i] &&
        (isContent(i) || (shdr.sh_type == SHT_PROGBITS && shdr.sh_size))) {
      inputs.diag.report(DiagId::InternalError,
                         {"Internal error: no regcount?"});
      return;
    }
  }
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    const uint32_t type = file.sections()[i].sh_type;
    // Most sections are one of these.
    if (obj.textOwner[i] || type == SHT_CUDA_INFO || type == SHT_RELA)
      continue;
    if (!isContent(i) || obj.placement(i).section)
      continue;
    uint32_t owner = obj.ownerOf(i);
    // A rejected definition loses everything but its .nv.constant2
    // [literals-of-replaced].
    if (owner && obj.isLost(owner) &&
        file.sections()[i].sh_type != SHT_CUDA_CONSTANT_B2 &&
        !keepsParameters(i) && !sharesParameters(i))
      continue;
    // Literals have symbols, which have brought their section before. Without
    // one they are what -r has kept of a rejected definition.
    const bool isNamed = type != SHT_CUDA_CONSTANT_B2 || inputs.isMercury();
    contribute(i, isNamed);
    if (!isUnifiedTable(file.sections()[i].sh_type))
      continue;
    noteTableLink(i);
    for (unsigned view : {i, unsigned(obj.twinOf(i))})
      mergeUnifiedTable(view);
  }
}

/// A weak definition that was rejected for an earlier strong one leaves its
/// parameters after the other's [parameters-of-weak-kernels].
bool Merger::keepsParameters(unsigned section) const {
  return file.sections()[section].sh_type == SHT_CUDA_CONSTANT_B0 &&
         test(lostToStrong, obj.ownerOf(section));
}

/// Weak definitions of an entry have the parameters of the first one together,
/// whoever wins (test/corpus/weak-entries.test).
bool Merger::sharesParameters(unsigned section) const {
  if (file.sections()[section].sh_type != SHT_CUDA_CONSTANT_B0)
    return false;
  uint32_t owner = obj.ownerOf(section);
  return owner && test(metWeak, owner) && obj.functionOf(section) &&
         obj.functionOf(section)->constant0;
}

/// Why an input section can't be added to the output section of its name; null
/// if it can.
static const char *findConflict(const OutputSection &out, StringRef name,
                                const Elf_Shdr &shdr) {
  auto isMadeLater = [&](SectionKind kind) {
    return name == getSectionFacts(kind).name;
  };
  if (out.facts().written != SectionWritten::Contributed ||
      isMadeLater(SectionKind::CallGraph) ||
      isMadeLater(SectionKind::Prototypes) ||
      isMadeLater(SectionKind::RelocationAction) ||
      isMadeLater(SectionKind::DebugShared))
    return "the linker itself makes a section of this name";
  if (out.type != shdr.sh_type)
    return "an earlier section of that name has another type";
  return nullptr;
}

OutputSection *findCommonSection(const Program &program, StringRef name,
                                 const Elf_Shdr &shdr) {
  OutputSection *out = findNamedSection(program, name);
  return out && !findConflict(*out, name, shdr) ? out : nullptr;
}

/// Returns the output section for all input sections of that name. Fails if
/// that is one of the linker's own or has another type.
OutputSection *Merger::getCommonSection(unsigned section, uint64_t flags) {
  const Elf_Shdr &shdr = file.sections()[section];
  StringRef name = file.sectionName(section);
  OutputSection *out =
      getNamedSection(inputs, program, name, shdr.sh_type, flags,
                      shdr.sh_addralign, shdr.sh_entsize);
  const char *conflict = findConflict(*out, name, shdr);
  if (!conflict)
    return out;
  fatal(section, createStringError(conflict));
  return nullptr;
}

/// Appends a section's contents to the output section they belong to. After an
/// error the placement that is returned has no section.
SectionPlacement Merger::contribute(unsigned section, bool isNamed) {
  SectionPlacement placement = obj.placement(section);
  if (placement.section)
    return placement;
  const Elf_Shdr &shdr = file.sections()[section];
  if (isParameterBank(section)) {
    setParameterBank(section);
    return obj.placement(section);
  }
  if (sharesParameters(section)) {
    Function &f = *obj.functionOf(section);
    if (f.constant0->size != shdr.sh_size) {
      inputs.diag.report(DiagId::ParameterSizeMismatch,
                         {"Duplicate weak parameter bank for ",
                          diag::symbol(f.name), " is not the same size"});
      explainMismatch(inputs, program, f.name, f.mentionedIn,
                      utostr(f.constant0->size) + " bytes", obj,
                      utostr(shdr.sh_size) + " bytes");
    }
    placement = {f.constant0, 0, 0};
    obj.place(section, placement);
    return placement;
  }
  OutputSection *out;
  uint32_t owner = isConstantBank(shdr.sh_type) ? obj.ownerOf(section) : 0;
  if (owner && obj.symbols[owner])
    out = getConstantSection(*static_cast<Function *>(obj.symbols[owner]),
                             section, obj.isLost(owner) || !isNamed);
  else
    out = getCommonSection(section, shdr.sh_flags);
  if (!out)
    return placement;
  ArrayRef<uint8_t> bytes = file.contents(section);
  placement.section = out;
  placement.part = out->append(
      bytes, out->isNoBits() ? uint64_t(shdr.sh_size) : bytes.size(),
      shdr.sh_addralign);
  placement.base = out->parts[placement.part].offset;
  obj.place(section, placement);
  out->align = std::max<uint64_t>(out->align, shdr.sh_addralign);
  contributeTwin(section, *out);
  return placement;
}

/// Appends the section's twin to the twin of the output section.
void Merger::contributeTwin(unsigned section, OutputSection &native) {
  const uint32_t twin = obj.twinOf(section);
  if (!twin)
    return;
  OutputSection *out = getTwin(inputs, program, native);
  SectionPlacement placement;
  ArrayRef<uint8_t> bytes = file.contents(twin);
  placement.section = out;
  placement.part =
      out->append(bytes, bytes.size(), file.sections()[twin].sh_addralign);
  placement.base = out->parts[placement.part].offset;
  obj.place(twin, placement);
}

OutputSection *Merger::getConstantSection(Function &f, unsigned section,
                                          bool lost) {
  const Elf_Shdr &shdr = file.sections()[section];
  const unsigned bank = shdr.sh_type - SHT_CUDA_CONSTANT_B0;
  OutputSection **slot = bank == 0   ? &f.constant0
                         : bank == 2 ? &f.constant2
                                     : nullptr;
  for (OutputSection *&other : f.otherConstants)
    if (!slot && other->type == shdr.sh_type)
      slot = &other;
  if (!slot)
    slot = &f.otherConstants.emplace_back();
  if (*slot) {
    if (!lost)
      (*slot)->orphan = false;
    return *slot;
  }
  // ptxas before 12.4 doesn't set the flag; nvlink does in one bank.
  const uint64_t flags =
      bank == 2 ? shdr.sh_flags | SHF_INFO_LINK : uint64_t(shdr.sh_flags);
  // The section for texture slots is created before the section's symbol
  // [merge-passes].
  StringRef name = file.sectionName(section);
  const SectionKind kind = bank == 0   ? SectionKind::Parameters
                           : bank == 2 ? SectionKind::Literals
                                       : SectionKind::OtherConstants;
  *slot = createSection(inputs, made, kind, name, &f, /*symbolLater=*/true);
  (*slot)->setHeader(shdr.sh_type, flags, shdr.sh_addralign, shdr.sh_entsize);
  (*slot)->orphan = lost;
  if (kind != SectionKind::OtherConstants)
    markIfNamedAfter(**slot, bank == 0 ? ".nv.constant0." : ".nv.constant2.",
                     f);
  if (bank == 0 && hasCompanions(inputs) &&
      name.starts_with(".nv.constant0.")) {
    noteCompanion(**slot);
  } else if (bank == 0 && !inputs.isRelocatable()) {
    const bool isRela = inputs.config.forceRela;
    f.textureSlots = createSection(
        inputs, made, isRela ? SectionKind::Rela : SectionKind::TextureSlots,
        inputs.memory.join(isRela ? ".rela" : ".rel", name), &f);
    f.textureSlots->target = *slot;
  }
  addSectionSymbol(inputs, made, **slot);
  return *slot;
}

/// A kernel's section without variables, which an earlier -r link made for an
/// extern array: its size is like a variable's [shared-without-variables].
void Merger::keepSharedSize(unsigned section) {
  const Elf_Shdr &shdr = file.sections()[section];
  Function *f = obj.functionOf(section);
  if (!f || obj.isLost(obj.ownerOf(section)) || !shdr.sh_size)
    return;
  if (!getSharedSection(inputs, program, *f)) {
    prunedShared.push_back(section);
    return;
  }
  Variable &v = program.variables.emplace_back("", STB_LOCAL, STT_CUDA_OBJECT,
                                               STO_CUDA_SHARED);
  v.size = shdr.sh_size;
  v.value = v.alignment = std::max<uint64_t>(shdr.sh_addralign, 1);
  v.defined = true;
  v.section = f->shared;
  if (!program.nullSymbolValue)
    program.nullSymbolValue = v.value;
  f->ownShared.push_back(&v);
  obj.place(section, {f->shared, 0, 0});
}

/// Creates sections of shared memory without variables for kernels that
/// --kernels-used left out, after everything else of the object
/// [string-pruned-kernels].
void Merger::namePrunedShared() {
  for (unsigned section : prunedShared) {
    Function *f = obj.functionOf(section);
    if (getSharedSection(inputs, program, *f))
      continue;
    f->shared = createSharedSection(inputs, program, file.sectionName(section),
                                    inputs.keepsDeadCode() ? f : nullptr);
    f->shared->contributed = true;
  }
}

/// Shared sections have no bytes, only an alignment and symbols; one without
/// symbols, from an earlier -r link, counts only where its size is kept.
void Merger::noteSharedSection(unsigned section) {
  if (!obj.placement(section).section && inputs.rules.keepsSharedSize() &&
      !inputs.keepsDebugShared())
    keepSharedSize(section);
  OutputSection *out = obj.placement(section).section;
  if (!out)
    return;
  out->contributed = true;
  if (inputs.isRelocatable())
    out->align =
        std::max<uint64_t>(out->align, file.sections()[section].sh_addralign);
}

void Merger::mergeRelocations() {
  const ArrayRef<Elf_Shdr> sections = file.sections();
  for (unsigned i = 1; i < sections.size(); ++i) {
    const Elf_Shdr &shdr = sections[i];
    if (shdr.sh_flags & SHF_CUDA_MERCURY)
      continue;
    if (shdr.sh_type == SHT_CUDA_INFO) {
      Function *f = obj.functionOf(i);
      if (f && !f->info && !obj.isLost(obj.ownerOf(i)))
        createInfoSection(*f, file.sectionName(i));
    } else if (shdr.sh_type == SHT_CUDA_COMPAT_INFO && inputs.isMercury()) {
      // In an image of CUDA 12 the first object with such a section creates it
      // [mercury12-file].
      if (!program.compat)
        program.compat = getNamedSection(inputs, program, SectionKind::Compat);
    } else if (shdr.sh_type == SHT_REL || shdr.sh_type == SHT_RELA) {
      const uint32_t twin = obj.twinOf(i);
      if (inputs.diag.stopped())
        return;
      if (shdr.sh_size || (twin && sections[twin].sh_size))
        mergeRelocationSection(i);
    }
  }
}

/// What decides which output relocation sections exist: the first accepted
/// entry brings the section, and a later one with addend 0 its REL twin
/// [relocation-rel-beside-rela].
struct AcceptedEntries {
  bool any = false;
  bool laterZeroAddend = false;
  bool moved = false; ///< REL: some name a section that isn't at 0.
};

/// Which entries of a relocation section count. nvlink's test for a zero addend
/// counts the place of the section that an entry names
/// [relocation-zero-addend]. `target` is the section that they apply to.
template <typename Rel>
static AcceptedEntries scanEntries(const ObjectFile &obj, ArrayRef<Rel> entries,
                                   uint32_t target,
                                   const RejectedEntries &rejected, View view) {
  AcceptedEntries result;
  const bool hasLostRanges = obj.hasLostRanges(target);
  // References to sections count with this file's place in the section.
  auto baseOf = [&](const Rel &r) {
    uint64_t base;
    obj.resolve(r.getSymbol(false), base, view);
    return base;
  };
  for (const Rel &r : entries) {
    if (rejected.rejects(obj, r.getSymbol(false)) ||
        (hasLostRanges && obj.isInLostRange(r.r_offset)))
      continue;
    if constexpr (std::is_same_v<Rel, Elf_Rela>) {
      // No base is negative.
      if (result.any && r.r_addend <= 0 && r.r_addend + baseOf(r) == 0) {
        result.laterZeroAddend = true;
        return result;
      }
      result.any = true;
    } else {
      result.any = true;
      result.moved = baseOf(r) != 0;
      if (result.moved)
        return result;
    }
  }
  return result;
}

void Merger::mergeRelocationSection(unsigned section) {
  const Elf_Shdr &shdr = file.sections()[section];
  const uint32_t target = shdr.sh_info;
  SectionPlacement placement;
  if (uint32_t owner = obj.textOwner[target]) {
    Symbol *f = obj.symbols[owner];
    if (obj.isLost(owner) || !f || !f->isFunction())
      return;
    placement.section = static_cast<Function *>(f)->text;
  } else {
    placement = obj.placement(target);
  }
  OutputSection *out = placement.section;
  if (!out || out->isNoBits())
    return;
  // With a Mercury view its entries decide which sections exist.
  const uint32_t twin = obj.twinOf(section);
  const RejectedEntries rejected(inputs, *out);
  AcceptedEntries accepted =
      shdr.sh_type == SHT_RELA
          ? scanEntries(obj, file.relas(twin ? twin : section),
                        twin ? file.sections()[twin].sh_info : target, rejected,
                        twin ? View::Mercury : View::Native)
          : scanEntries(obj, file.rels(section), target, rejected,
                        View::Native);
  if (accepted.any)
    getRelocationSection(*out, shdr.sh_type);
  if (accepted.laterZeroAddend && inputs.rules.namesUnusedTwins() &&
      (twin || !namesNativeCalleesOnly(program, obj, section)))
    getRelocationSection(*out, SHT_REL);
  if (accepted.moved)
    getRelocationSection(*out, SHT_RELA);
  const uint32_t sequence = state.relocationSequence++;
  const uint32_t first = getFirstOfName(section);
  const bool isMoved = first != section && obj.textOwner[target] &&
                       moveRelocations(section, first);
  const uint32_t source = isMoved ? section : first;
  if (file.sections()[first].sh_size)
    out->relocations.push_back(inputs.memory.shared,
                               {&obj, source, placement.part, sequence});
  const uint32_t twinSource = obj.twinOf(first);
  if (!twin || !twinSource || !file.sections()[twinSource].sh_size)
    return;
  const uint32_t twinTarget = file.sections()[twin].sh_info;
  getTwin(inputs, program, *out)
      ->relocations.push_back(
          inputs.memory.shared,
          {&obj, twinSource, obj.placement(twinTarget).part, sequence});
}

OutputSection *Merger::getRelocationSection(OutputSection &target,
                                            uint32_t type) {
  OutputSection *&slot = type == SHT_RELA ? target.rela : target.rel;
  if (slot)
    return slot;
  const bool isRela = type == SHT_RELA;
  // The finalizer renames sections and their RELA sections, but no REL ones.
  const std::string mergeName =
      inputs.isMercury() && !isRela ? getMergeName(target) : std::string();
  const StringRef name = mergeName.empty() ? target.name : mergeName;
  slot = createSection(
      inputs, made, isRela ? SectionKind::Rela : SectionKind::Rel,
      inputs.memory.join(isRela ? ".rela" : ".rel", name), target.owner);
  slot->target = &target;
  if (target.hasUniqueName && target.owner->text == &target)
    markUniqueName(*slot);
  if (isRela && inputs.isMercury())
    getTwin(inputs, program, *slot);
  // With -force-rela entries of REL sections are kept in the RELA section.
  if (inputs.config.forceRela && !isRela)
    getRelocationSection(target, SHT_RELA);
  if (inputs.config.preserveRelocs && !target.resolvedRela)
    createResolvedRelocationSection(inputs, program, target);
  return slot;
}

} // namespace lld::cuda
