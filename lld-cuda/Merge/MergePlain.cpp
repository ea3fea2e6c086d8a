//===- MergePlain.cpp - The merge of a plain object in two parts ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// MergeBatch.cpp merges plain objects (Input/Decisions.cpp) with these
/// functions instead of Merger::run(). decide() does what depends on the
/// objects before, or what those that follow depend on: functions and their
/// names, calls, contents of sections that objects share. follow() does the
/// rest: it creates the sections of the functions that the object defines, with
/// their symbols, contents, relocations and attributes. It reads and changes
/// only what belongs to that object, so it may run for several objects at once,
/// while no other pass does.
///
/// Within an object, follow() goes through the same passes as Merger::run() and
/// creates the same sections in the same order. decide() creates none.
///
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Merge/Merge.h"
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
      contribute(i);
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

} // namespace lld::cuda
