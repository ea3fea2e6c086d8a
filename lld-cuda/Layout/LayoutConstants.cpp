//===- LayoutConstants.cpp - Common variables and compiler constants ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// placeCommons() gives common variables a place at the end of .nv.global, and
/// layoutCompilerConstants() puts the compiler's constants together.
/// layoutImage() in Link.cpp calls placeCommons() first of all, when all
/// objects are merged, and layoutCompilerConstants() last, when it is known
/// which functions each kernel reaches.
///
/// The constants of a device function are in a bank of its own,
/// .nv.constant2.F, but code can only read its kernel's bank. So each kernel
/// gets a copy, for a function at the same offset in all kernels that reach it.
/// If a kernel's bank needs more than 64 KiB then, all kernels get one pool
/// instead, in which equal literals are merged [common-order],
/// [literals-copied], [literals-pool].
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Inputs.h"
#include "Layout.h"
#include "Layout/UserConstants.h"
#include "Passes.h"
#include "Program.h"
#include "Twins.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

void placeCommons(const Inputs &inputs, Program &program) {
  if (!inputs.rules.placesCommons())
    return;
  // The last one first seen comes first.
  for (Variable *v : reverse(program.commons)) {
    if (!v->isCommon)
      continue;
    OutputSection *out =
        getNamedSection(inputs, program, SectionKind::Global, v->alignment);
    if (out->type != SHT_CUDA_GLOBAL)
      return inputs.diag.report(DiagId::NoPlaceForCommon,
                                {"Section ", diag::section(out->name),
                                 " has contents, so ", diag::symbol(v->name),
                                 " can't be placed there"});
    out->contributed = true;
    v->section = out;
    v->value = alignTo(out->size, std::max<uint64_t>(v->alignment, 1));
    out->size = v->value + v->size;
  }
}

namespace {

class CompilerConstants {
public:
  explicit CompilerConstants(const Inputs &inputs, Program &program)
      : inputs(inputs), program(program) {}
  void run();

private:
  void copyToKernels(OutputSection &sec, ArrayRef<uint32_t> users);
  void copyTwin(OutputSection &sec, ArrayRef<uint32_t> users);
  bool makePool();
  std::vector<OutputSection *> poolOrder();
  void collectLiterals();

  const Inputs &inputs;
  Program &program;
  std::vector<Function *> kernels;
  std::vector<Function *> created;       ///< Kernels whose bank was made here.
  std::vector<OutputSection *> original; ///< All of bank 2, creation order.
  /// Parts of the sections before anything was copied into them.
  MapVector<OutputSection *, SmallVector<SectionPart, 1>> contents;
  MapVector<OutputSection *, std::vector<Variable *>> literals; ///< By value.
};

} // namespace

void CompilerConstants::run() {
  for (OutputSection *sec : program.sections)
    if (sec->kind == SectionKind::Literals && sec->reachable)
      original.push_back(sec);
  if (original.empty())
    return;
  kernels = program.countedKernels();
  std::vector<OutputSection *> ofFunctions;
  std::vector<std::vector<Function *>> carriers;
  for (OutputSection *sec : original) {
    contents[sec] = sec->parts;
    if (!sec->owner || sec->owner->isKernel() || sec->orphan)
      continue;
    ofFunctions.push_back(sec);
    carriers.push_back({sec->owner});
  }
  collectLiterals();
  std::vector<std::vector<uint32_t>> users(carriers.size());
  program.callGraph.forEachReachingKernel(
      carriers, kernels,
      [&](unsigned item, unsigned kernel) { users[item].push_back(kernel); });
  // Last function first: so banks are created in nvlink's order
  // [literal-banks-created].
  for (size_t i = ofFunctions.size(); i-- != 0;) {
    ofFunctions[i]->reachable = false;
    if (OutputSection *rela = ofFunctions[i]->rela)
      rela->reachable = false;
    if (!users[i].empty())
      copyToKernels(*ofFunctions[i], users[i]);
  }
  for (Function *k : created)
    if (!k->constant2->contributed) {
      k->constant2->reachable = false;
      k->constant2 = nullptr;
    }
  const bool needsPool = any_of(kernels, [](Function *k) {
    return k->constant2 && k->constant2->size > MaxConstantBank;
  });
  if (needsPool && !makePool()) {
    const Function &kernel =
        **find_if(kernels, [](Function *k) { return k->constant2; });
    inputs.diag.report(
        DiagId::CompilerConstantLimit,
        {"Entry function ", diag::symbol(kernel.name),
         " uses too much data for compiler-generated constants; please "
         "recompile with -Xptxas --disable-optimizer-constants"});
    explainCompilerConstants(inputs, program, kernel, MaxConstantBank);
  }
}

/// Collects the literals of each bank in the order of their places.
void CompilerConstants::collectLiterals() {
  for (Symbol *s : program.locals)
    if (s->isVariable() && s->section && contents.count(s->section))
      literals[s->section].push_back(static_cast<Variable *>(s));
  for (auto &[sec, symbols] : literals)
    stable_sort(symbols,
                [](Variable *a, Variable *b) { return a->value < b->value; });
}

void CompilerConstants::copyToKernels(OutputSection &sec,
                                      ArrayRef<uint32_t> users) {
  uint64_t align = std::max<uint64_t>(sec.align, 1);
  for (uint32_t e : users)
    if (OutputSection *out = kernels[e]->constant2)
      align = std::max(align, out->align);
  uint64_t offset = 0;
  for (uint32_t e : users)
    if (OutputSection *out = kernels[e]->constant2)
      offset = std::max(offset, alignTo(out->size, align));
  sec.makeExtras().displacement = offset;
  // A deleted section adds no bytes to a kernel's bank, but the bank is created
  // all the same, which decides its place [constants-of-replaced-deleted].
  const bool onlyCreates = offset == 0 && contents[&sec].empty();
  for (uint32_t e : reverse(users)) {
    Function *k = kernels[e];
    if (!k->constant2) {
      k->constant2 =
          createSection(inputs, program, SectionKind::Literals,
                        inputs.memory.join(".nv.constant2.", k->name), k);
      created.push_back(k);
    }
    if (onlyCreates)
      continue;
    OutputSection *out = k->constant2;
    for (SectionPart part : contents[&sec]) {
      part.offset += offset;
      out->parts.push_back(part);
    }
    out->size = alignTo(offset + sec.size, align);
    out->align = align;
    out->contributed = true;
  }
  if (onlyCreates)
    return;
  // nvlink gives each part its symbol's new place, and what rejected
  // definitions brought has no symbol.
  if (contents[&sec].size() > 1 && !isNullSymbolOfConstant(inputs, program))
    program.nullSymbolValue = offset + contents[&sec].back().offset;
  if (sec.mercury)
    copyTwin(sec, users);
}

/// The Mercury twin of a jump table has relocations, which are copied with it.
void CompilerConstants::copyTwin(OutputSection &sec, ArrayRef<uint32_t> users) {
  for (uint32_t e : reverse(users)) {
    OutputSection *out = kernels[e]->constant2;
    OutputSection *twin = getTwin(inputs, program, *out);
    const uint32_t firstPart = twin->parts.size();
    for (SectionPart part : sec.mercury->parts) {
      part.offset += sec.displacement();
      twin->parts.push_back(part);
    }
    twin->size = out->size;
    if (!sec.rela || contents[&sec].empty())
      continue;
    for (const Variable *v : literals[&sec])
      twin->makeExtras().copiedLiterals.push_back(sec.displacement() +
                                                  v->value);
    if (!out->rela) {
      out->rela = createSection(
          inputs, program, SectionKind::Rela,
          inputs.memory.join(".rela.nv.constant2.", kernels[e]->name),
          kernels[e]);
      out->rela->target = out;
      getTwin(inputs, program, *out->rela);
      if (inputs.config.preserveRelocs)
        createResolvedRelocationSection(inputs, program, *out);
    }
    // The copies follow the section's own entries in the output, the first
    // copy first; groups are walked backwards.
    const SmallVector<RelocationGroup, 0> own(twin->relocations.begin(),
                                              twin->relocations.end());
    twin->relocations.clear();
    for (RelocationGroup g : sec.mercury->relocations) {
      g.part += firstPart;
      twin->relocations.push_back(inputs.memory.shared, g);
    }
    for (const RelocationGroup &g : own)
      twin->relocations.push_back(inputs.memory.shared, g);
  }
  if (sec.rela)
    sec.rela->reachable = false;
}

/// Returns the order of sections in the pool: for each kernel, last created
/// first, its own section, then those of the functions it reaches, last created
/// first; each once.
std::vector<OutputSection *> CompilerConstants::poolOrder() {
  std::vector<OutputSection *> order;
  DenseSet<OutputSection *> seen;
  auto add = [&](OutputSection *sec) {
    if (sec && contents.count(sec) && seen.insert(sec).second)
      order.push_back(sec);
  };
  for (OutputSection *sec : reverse(program.sections)) {
    if (sec->kind != SectionKind::Literals || !sec->reachable || !sec->owner ||
        !sec->owner->isCounted)
      continue;
    add(sec);
    if (order.size() == contents.size())
      break;
    DenseSet<Function *> reached;
    for (Function *f : program.callGraph.reachable(*sec->owner))
      if (f != sec->owner)
        reached.insert(f);
    for (OutputSection *other : reverse(original))
      if (reached.contains(other->owner))
        add(other);
  }
  return order;
}

static StringRef bytesOf(ArrayRef<SectionPart> parts, uint64_t offset,
                         uint64_t size) {
  for (const SectionPart &p : parts)
    if (offset >= p.offset && offset - p.offset <= p.bytes.size() &&
        size <= p.bytes.size() - (offset - p.offset))
      return toStringRef(p.bytes.slice(offset - p.offset, size));
  return {};
}

/// Puts all literals into one pool. Returns false if they don't fit.
bool CompilerConstants::makePool() {
  SmallVector<char, 0> pool;
  DenseMap<CachedHashStringRef, uint64_t> known;
  uint64_t align = 1;
  for (OutputSection *sec : poolOrder()) {
    align = std::max(align, sec->align);
    for (Variable *v : literals[sec]) {
      StringRef bytes = bytesOf(contents[sec], v->value, v->size);
      if (bytes.size() > MaxConstantBank)
        return false;
      bool isZero = bytes.find_first_not_of('\0') == StringRef::npos;
      if (!isZero)
        if (auto it = known.find(CachedHashStringRef(bytes));
            it != known.end()) {
          v->pooledOffset = it->second;
          continue;
        }
      const uint64_t offset =
          alignTo(pool.size(), std::max<uint64_t>(sec->align, 1));
      if (offset + bytes.size() > MaxConstantBank)
        return false;
      pool.resize(offset);
      v->pooledOffset = pool.size();
      if (!isZero)
        known[CachedHashStringRef(bytes)] = pool.size();
      pool.append(bytes.begin(), bytes.end());
    }
  }
  ArrayRef<uint8_t> bytes = inputs.memory.save(pool);
  for (Function *k : kernels)
    if (k->constant2) {
      k->constant2->setContents(bytes);
      k->constant2->align = align;
    }
  return true;
}

void layoutCompilerConstants(const Inputs &inputs, Program &program) {
  if (!inputs.isRelocatable())
    CompilerConstants(inputs, program).run();
}

} // namespace lld::cuda
