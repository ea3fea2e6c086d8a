//===- MergeBatch.cpp - Merging several objects at once -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// mergeFile() in Link.cpp merges plain objects of large links in batches: it
/// calls add() for each object, and finish() before an object that isn't plain
/// and at the end. add() first makes sure, without changing anything, that the
/// object brings nothing but new functions to the link: each of them is new or
/// only declared so far, and all sections that objects share are there, so that
/// none has to be created between those of functions.
///
/// Then Merger::decide() does what depends on the objects before, or what those
/// that follow depend on: functions and their names, calls, contents of shared
/// sections. It creates no section. finish() calls Merger::follow() for all
/// objects of the batch, on several threads, and joins what they have created:
/// the sections of the functions that an object defines, with their symbols,
/// contents, relocations and attributes. follow() reads and changes only what
/// belongs to its object. Within an object it goes through the same passes as
/// Merger::run(), and creates the same sections in the same order.
///
//===----------------------------------------------------------------------===//

#include "Merge/MergeBatch.h"
#include "Input/InputFiles.h"
#include "Inputs.h"
#include "Merge/Resolution.h"
#include "Parallel.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/Support/Heap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// A function that an object is the first to mention is put into the list of
/// globals here. Local symbols come in the order of follow().
void Merger::decideFunctions(ArrayRef<Decisions::Name> rows,
                             ArrayRef<Symbol **> known) {
  for (auto [row, slot] : zip_equal(rows, known)) {
    const uint32_t i = row.symbol;
    const bool isDefined = sym(i).st_shndx != SHN_UNDEF;
    Function *f = slot ? static_cast<Function *>(*slot) : nullptr;
    if (!f) {
      f = &makeFunction(i);
      std::vector<Symbol *> &list =
          program.symbolList(inputs.rules, sym(i).getBinding());
      if (&list != &program.locals)
        list.push_back(f);
    }
    if (slot && !*slot) {
      *slot = f;
      f->hasUniqueName = canBeUniqueName(f->name);
    }
    obj.symbols[i] = f;
    if (!isDefined)
      continue;
    f->definedIn = obj.ordinal;
    takeDefinition(*f, i);
  }
}

void Merger::decideSection(const Decisions::SharedSection &row) {
  const uint32_t section = row.section;
  switch (file.sections()[section].sh_type) {
  case SHT_CUDA_INFO:
    state.infoSequence += row.recordsBefore;
    mergeInfo(section);
    break;
  case SHT_CUDA_CALLGRAPH:
    mergeCallGraph(section);
    break;
  case SHT_CUDA_PROTOTYPE:
    mergePrototypes(section);
    break;
  default:
    break;
  }
}

void Merger::decide(const Decisions &decisions, ArrayRef<Symbol **> functions,
                    ArrayRef<Symbol *> variables) {
  const uint32_t firstRelocations = state.relocationSequence,
                 firstRecord = state.infoSequence;
  decideFunctions(decisions.functions, functions);
  for (auto [row, variable] : zip_equal(decisions.variables, variables))
    obj.symbols[row.symbol] = variable;
  for (const Decisions::SharedSection &row : decisions.sections)
    if (isContent(row.section))
      contribute(row.section);
  for (const Decisions::SharedSection &row : decisions.sections) {
    const Elf_Shdr &shdr = file.sections()[row.section];
    state.relocationSequence = firstRelocations + row.section;
    if (shdr.sh_type == SHT_REL || shdr.sh_type == SHT_RELA)
      mergeRelocationSection(row.section);
  }
  for (const Decisions::SharedSection &row : decisions.sections) {
    state.infoSequence = firstRecord;
    if (!inputs.diag.stopped())
      decideSection(row);
  }
  state.relocationSequence = firstRelocations + file.sections().size();
  state.infoSequence = firstRecord + decisions.records;
  reportMergeFailure();
}

void Merger::createDefinitions() {
  for (const Decisions::Name &row : obj.facts.decisions->functions) {
    const Elf_Sym &in = sym(row.symbol);
    auto &f = *static_cast<Function *>(obj.symbols[row.symbol]);
    const std::vector<Symbol *> &list =
        program.symbolList(inputs.rules, in.getBinding());
    if (f.mentionedIn == obj.ordinal && &list == &program.locals)
      made.locals.push_back(&f);
    if (in.st_shndx != SHN_UNDEF)
      createCode(f, row.symbol);
  }
}

/// Of the banks of constants those that belong to one function.
void Merger::createConstants() {
  for (unsigned i = 1; i < file.sections().size(); ++i)
    if (isConstantBank(file.sections()[i].sh_type) && obj.ownerOf(i) &&
        isContent(i))
      contribute(i, file.sections()[i].sh_type != SHT_CUDA_CONSTANT_B2);
}

void Merger::createInfoAndRelocations() {
  const uint32_t before = state.relocationSequence;
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    const Elf_Shdr &shdr = file.sections()[i];
    if (shdr.sh_type == SHT_CUDA_INFO) {
      Function *f = obj.functionOf(i);
      if (f && !f->info)
        createInfoSection(*f, file.sectionName(i));
    } else if ((shdr.sh_type == SHT_REL || shdr.sh_type == SHT_RELA) &&
               shdr.sh_size && obj.textOwner[shdr.sh_info]) {
      state.relocationSequence = before + i;
      mergeRelocationSection(i);
    }
  }
}

/// The attributes of the object's functions.
void Merger::addRecords() {
  uint32_t sequence = state.infoSequence;
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    if (file.sections()[i].sh_type != SHT_CUDA_INFO)
      continue;
    state.infoSequence = sequence;
    sequence += obj.facts.records[i].count();
    if (obj.ownerOf(i))
      mergeInfo(i);
  }
}

void Merger::follow(const Inputs &inputs, Program &program, ObjectFile &obj,
                    uint32_t relocationSequence, uint32_t infoSequence,
                    Creations &made) {
  MergeState state;
  state.relocationSequence = relocationSequence;
  state.infoSequence = infoSequence;
  Merger merger(inputs, program, state, obj, {}, made);
  merger.createDefinitions();
  merger.createConstants();
  merger.createInfoAndRelocations();
  merger.addRecords();
}

/// Whether a section that isn't about one function adds nothing to the link, or
/// only bytes and relocations to output sections that exist.
bool MergeBatch::hasSection(const CubinFile &file, unsigned section) const {
  const Elf_Shdr &shdr = file.sections()[section];
  switch (shdr.sh_type) {
  case SHT_CUDA_INFO:
  case SHT_CUDA_CALLGRAPH:
  case SHT_CUDA_PROTOTYPE:
    return true;
  case SHT_REL:
  case SHT_RELA: {
    const OutputSection *out =
        findNamedSection(program, file.sectionName(shdr.sh_info));
    // Zero addends may bring both kinds [relocation-rel-beside-rela].
    return out && out->rela && out->rel;
  }
  default:
    return findCommonSection(program, file.sectionName(section), shdr);
  }
}

bool MergeBatch::hasSections(const CubinFile &file,
                             const ObjectFacts &facts) const {
  return all_of(facts.decisions->sections, [&](const auto &row) {
    const uint32_t type = file.sections()[row.section].sh_type;
    const bool counts = type == SHT_REL || type == SHT_RELA ||
                        isContent(inputs, file, facts.textOwner, row.section);
    return !counts || hasSection(file, row.section);
  });
}

bool MergeBatch::findVariables(const CubinFile &file,
                               const Decisions &decisions) {
  const ArrayRef<Symbol *> before = program.objects.back().symbols;
  variables.clear();
  for (const Decisions::Name &row : decisions.variables) {
    const Elf_Sym &in = file.symtab().symbols[row.symbol];
    Symbol *s = findAsBefore(before, file, row.symbol);
    if (!s)
      s = program.named.lookup({file.symtab().name(in), row.hash});
    if (!s || !s->isVariable() || !saysNothingNew(in, *s))
      return false;
    variables.push_back(s);
  }
  return true;
}

void MergeBatch::releaseClaims() {
  for (Symbol **slot : functions)
    if (slot && *slot == &claimed)
      *slot = nullptr;
}

/// Finds the functions by their names. Those that are new are claimed, so that
/// a second one of the name is noticed.
bool MergeBatch::claimFunctions(const CubinFile &file,
                                const Decisions &decisions) {
  functions.clear();
  // No pointer to an entry changes until the next call.
  program.named.reserve(program.named.size() + decisions.functions.size());
  for (const Decisions::Name &row : decisions.functions) {
    const Elf_Sym &in = file.symtab().symbols[row.symbol];
    if (in.getBinding() == STB_LOCAL) {
      functions.push_back(nullptr);
      continue;
    }
    Symbol *&slot = program.named[{file.symtab().name(in), row.hash}];
    if (!slot) {
      slot = &claimed;
      functions.push_back(&slot);
      continue;
    }
    const bool isAgreed =
        slot != &claimed &&
        compareKinds({slot->isFunction(), slot->isVariable(), slot->other},
                     {true, false, in.st_other}) == Agreement::Agree;
    if (!isAgreed || (slot->defined && in.st_shndx != SHN_UNDEF)) {
      releaseClaims();
      return false;
    }
    functions.push_back(&slot);
  }
  releaseClaims();
  return true;
}

bool MergeBatch::add(const LoadedCubin &cubin) {
  const Decisions *decisions = cubin.facts->decisions;
  if (!decisions || program.objects.empty() || inputs.diag.errorCount() ||
      cubin.facts->memory >= MaxMemory - state.memoryTotal ||
      !hasSections(cubin.file, *cubin.facts) ||
      !findVariables(cubin.file, *decisions) ||
      !claimFunctions(cubin.file, *decisions))
    return false;
  state.memoryTotal += cubin.facts->memory;
  ObjectFile &obj =
      program.objects.emplace_back(cubin.file, *cubin.facts, cubin.label,
                                   program.objects.size(), inputs.memory.arena);
  obj.compiledFor = cubin.compiledFor;
  pending.push_back({&obj, state.relocationSequence, state.infoSequence});
  ++program.objectsInBatches;
  functionCount += decisions->functions.size();
  // What Merger::follow() will allocate for a kernel.
  constexpr size_t BytesOfKernel = 1800;
  expectHeapGrowth(functionCount * BytesOfKernel);
  Merger(inputs, program, state, obj, {})
      .decide(*decisions, functions, variables);
  return true;
}

void MergeBatch::finish() {
  if (pending.empty())
    return;
  // Threads take turns after so many functions.
  constexpr size_t FunctionsOfPart = 512;
  SmallVector<ArrayRef<Pending>, 64> pieces;
  for (ArrayRef<Pending> rest = pending; !rest.empty();) {
    size_t count = 0, functions = 0;
    while (count != rest.size() && functions < FunctionsOfPart)
      functions += rest[count++].obj->facts.decisions->functions.size();
    pieces.push_back(rest.take_front(count));
    rest = rest.drop_front(count);
  }
  const size_t first = program.parts.size();
  for (size_t i = 0; i != pieces.size(); ++i)
    program.parts.emplace_back();
  // A function has about four sections.
  parallelForEach(inputs, pieces.size(), functionCount * 4, [&](size_t i) {
    for (const Pending &p : pieces[i])
      Merger::follow(inputs, program, *p.obj, p.relocationSequence,
                     p.infoSequence, program.parts[first + i]);
  });
  expectHeapGrowth(0);
  for (size_t i = first; i != program.parts.size(); ++i) {
    Creations &part = program.parts[i];
    append_range(program.sections, part.sections);
    append_range(program.locals, part.locals);
    part.sections = {};
    part.locals = {};
  }
  pending.clear();
  functionCount = 0;
}

} // namespace lld::cuda
