//===- DebugTables.cpp - Line tables and registers of sm_100 and later ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Takes the native line tables and register ranges through the finalizer, see
/// FinalizeDebug.h: each input's part is rewritten and the parts are joined
/// again. Runs before relocations are processed and leaves none of the line
/// tables' to process; it notes where units went for those that refer to them.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "FinalizeDebug.h"
#include "Passes.h"
#include "lld-cuda/BinaryFormat/Relocations.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

class LineTableRebuilder {
public:
  LineTableRebuilder(Ctx &ctx, OutputSection &sec);
  void run();

private:
  void readReferences(const RelocationGroup &g);
  bool rebuildPart(const SectionPart &part, const RelocationGroup *group);

  Ctx &ctx;
  OutputSection &sec;
  /// Of functions, in the order in which they will be numbered.
  DenseMap<const Symbol *, uint32_t> orders;
  /// Of the part at hand, sorted by offset.
  std::vector<std::pair<DebugReference, Function *>> references;
  SmallVector<char, 0> out;
};

} // namespace

/// What becomes of a function that an input's debug section is about.
static DebugFunction getDebugFunction(const ObjectFile &obj, Symbol *s,
                                      uint32_t symbolIndex) {
  DebugFunction result;
  if (!s || !s->isFunction() || obj.isLost(symbolIndex))
    return result;
  auto *f = static_cast<Function *>(s);
  if (f->aliasOf)
    f = f->aliasOf;
  // nvlink applies a replaced definition's lines to the code of the one in
  // force; they are left out here.
  result.live = f->live && f->defined && f->definedIn == obj.ordinal;
  result.edit = f->edit;
  return result;
}

LineTableRebuilder::LineTableRebuilder(Ctx &ctx, OutputSection &sec)
    : ctx(ctx), sec(sec) {
  for (const std::vector<Symbol *> *list : {&ctx.locals, &ctx.globals})
    for (Symbol *s : *list)
      if (s->isFunction())
        orders.try_emplace(s, orders.size());
}

void LineTableRebuilder::readReferences(const RelocationGroup &g) {
  const ObjectFile &obj = *g.file;
  for (const Elf_Rela &r : obj.file.relas(g.inputSection)) {
    const uint32_t index = r.getSymbol(false);
    Symbol *s = obj.symbols[index];
    if (r.getType(false) != R_CUDA_64 || !s || !s->isFunction())
      continue;
    auto *f = static_cast<Function *>(s);
    if (f->aliasOf)
      f = f->aliasOf;
    DebugFunction function = getDebugFunction(obj, s, index);
    if (g.sequence < f->debugPurgedBefore)
      function.live = false;
    function.order = orders.lookup(f);
    references.push_back({{r.r_offset, function}, f});
  }
  llvm::stable_sort(references, [](const auto &a, const auto &b) {
    return a.first.offset < b.first.offset;
  });
}

bool LineTableRebuilder::rebuildPart(const SectionPart &part,
                                     const RelocationGroup *group) {
  references.clear();
  if (group)
    readReferences(*group);
  std::vector<DebugReference> plain;
  for (const auto &[reference, function] : references)
    plain.push_back(reference);
  Expected<RebuiltLineTable> table = rebuildLineTable(part.bytes, plain);
  if (!table) {
    const std::string file =
        group ? ("'" + group->file->label + "': ").str() : "";
    ctx.diag.fatal(file + sec.name + ": " + toString(table.takeError()));
    return false;
  }
  const uint64_t base = out.size();
  for (const RebuiltLineTable::Unit &unit : table->units)
    sec.movedUnits.push_back(
        {part.offset + unit.oldOffset, base + unit.newOffset});
  if (sec.rela)
    for (const RebuiltLineTable::Reference &r : table->references)
      sec.rela->kept.push_back(
          {base + r.newOffset, R_CUDA_64, references[r.index].second, 0});
  out.append(table->bytes.begin(), table->bytes.end());
  return true;
}

void LineTableRebuilder::run() {
  std::vector<const RelocationGroup *> groups(sec.parts.size());
  for (const RelocationGroup &g : sec.relocations)
    groups[g.part] = &g;
  for (size_t i = 0; i != sec.parts.size(); ++i)
    if (!rebuildPart(sec.parts[i], groups[i]))
      return;
  sec.relocations.clear();
  sec.setContents(ctx.save(out));
  // Without any sequence the finalizer has nothing to do, and both views share
  // the bytes.
  if (sec.mercury && sec.mercury->relocations.empty())
    sec.mercury->isAlias = true;
}

void rebuildLineTables(Ctx &ctx) {
  if (!ctx.isMercury())
    return;
  for (StringRef name : {".debug_line", ".nv_debug_line_sass"}) {
    OutputSection *sec = findNamedSection(ctx, name);
    if (sec && sec->live && !ctx.diag.stopped())
      LineTableRebuilder(ctx, *sec).run();
  }
}

namespace {

using FunctionNames = DenseMap<CachedHashStringRef, const Symbol *>;

} // namespace

/// Rewrites one object's part of .nv_debug_info_reg_sass. The finalizer looks
/// for functions by name, so of several local ones it knows the first.
static Error rewriteRegisterPart(Ctx &ctx, const ObjectFile &obj,
                                 const FunctionNames &known,
                                 SectionPart &part) {
  DenseMap<CachedHashStringRef, uint32_t> byName;
  for (uint32_t i = 0; i != obj.symbols.size(); ++i)
    if (Symbol *s = obj.symbols[i]; s && s->isFunction())
      byName.try_emplace(CachedHashStringRef(s->name), i);
  if (!part.patched) {
    part.patched = ctx.allocate(part.bytes.size());
    std::memcpy(part.patched, part.bytes.data(), part.bytes.size());
  }
  return rewriteRegisterRanges(
      {part.patched, part.bytes.size()}, [&](StringRef name) {
        CachedHashStringRef key(name);
        auto it = byName.find(key);
        if (it == byName.end() || known.lookup(key) != obj.symbols[it->second])
          return DebugFunction();
        return getDebugFunction(obj, obj.symbols[it->second], it->second);
      });
}

void finalizeRegisterRanges(Ctx &ctx) {
  OutputSection *sec = ctx.isMercury()
                           ? findNamedSection(ctx, ".nv_debug_info_reg_sass")
                           : nullptr;
  if (!sec || !sec->live)
    return;
  FunctionNames known;
  for (const std::vector<Symbol *> *list : {&ctx.locals, &ctx.globals})
    for (const Symbol *s : *list)
      if (s->isFunction() && s->live)
        known.try_emplace(CachedHashStringRef(s->name), s);
  for (const ObjectFile &obj : ctx.objects)
    for (const SectionPlacement &placement : obj.placements)
      if (placement.section == sec)
        if (Error e = rewriteRegisterPart(ctx, obj, known,
                                          sec->parts[placement.part]))
          return ctx.diag.fatal("'" + obj.label + "': " + sec->name + ": " +
                                toString(std::move(e)));
}

} // namespace lld::cuda
