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
/// none has to be created between those of functions. Then Merger::decide()
/// does what has an order. finish() calls Merger::follow() for all objects of
/// the batch, on several threads, and joins what they have created.
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

/// Compilers begin symbol tables with what all objects name, __UFT and the
/// like. What the object before has under the same number needs no look-up.
bool MergeBatch::findVariables(const CubinFile &file,
                               const Decisions &decisions) {
  const ArrayRef<Symbol *> before = program.objects.back().symbols;
  variables.clear();
  for (const Decisions::Name &row : decisions.variables) {
    const Elf_Sym &in = file.symtab().symbols[row.symbol];
    const StringRef name = file.symtab().name(in);
    Symbol *s = row.symbol < before.size() ? before[row.symbol] : nullptr;
    if (!s || !s->isVariable() || s->isLocal() || s->name != name)
      s = program.named.lookup({name, row.hash});
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
