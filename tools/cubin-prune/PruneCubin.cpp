//===- PruneCubin.cpp - Removes kernels from a cubin ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides what cubin-prune removes from a cubin. PruneFatbin.cpp and
/// PruneFile.cpp call pruneCubin() for each cubin in a file. KernelCutter
/// treats a cubin as a graph: nodes are sections of code, with all sections
/// that are about them, and node 0 is everything that belongs to no code. An
/// edge leads from a node to what its relocations, its calls and its attributes
/// name. Kernels that the user drops may be removed, and in a linked cubin
/// functions, too; what is reachable from anything else is kept. The edges of
/// debug information don't count, or nothing would ever be removed.
///
/// CubinCopy.cpp writes the result, and VerifyCubin.cpp reads it again before
/// anybody else gets it.
///
//===----------------------------------------------------------------------===//

#include "PruneCubin.h"
#include "CubinCopy.h"
#include "CubinSections.h"
#include "VerifyCubin.h"
#include "lld-cuda/Object/CallGraph.h"
#include "lld-cuda/Object/NvInfo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

/// Finds what goes with kernels. Nodes are sections of code; node 0 is all that
/// belongs to none.
class KernelCutter {
public:
  KernelCutter(const CubinFile &file, const KernelFilter &filter, CubinCut &cut)
      : file(file), filter(filter), cut(cut), owners(file.sections().size()),
        mayGo(file.sections().size()), edges(file.sections().size()) {}

  /// Returns the number of kernels that are removed.
  Expected<unsigned> run() {
    for (unsigned i = 0; i < owners.size(); ++i)
      owners[i] = getCodeSection(file, i);
    if (!chooseCandidates())
      return 0;
    if (Error e = collectEdges())
      return e;
    keepReachable();
    const unsigned kernels = cutUnreachable();
    if (Error e = cutUndefined())
      return e;
    return kernels;
  }

private:
  bool chooseCandidates();
  Error collectEdges();
  template <typename Entry>
  void addRelocations(unsigned target, ArrayRef<Entry> entries);
  void addEdge(unsigned from, uint32_t symbol);
  void keepReachable();
  unsigned cutUnreachable();
  Expected<BitVector> findReferences(bool fromAll) const;
  Error cutUndefined();

  /// The code that a symbol of .symtab is in or about; 0: none.
  unsigned nodeOf(uint32_t symbol) const {
    if (symbol >= file.symtab().symbols.size() || file.isCommon(symbol))
      return 0;
    const uint32_t section = file.sectionIndex(symbol);
    return section < owners.size() ? owners[section] : 0;
  }

  const CubinFile &file;
  const KernelFilter &filter;
  CubinCut &cut;
  std::vector<unsigned> owners; ///< By section.
  BitVector mayGo;              ///< By node.
  std::vector<SmallVector<unsigned, 2>> edges;
};

} // namespace

static bool isKernel(const Elf_Sym &symbol) {
  return symbol.getType() == STT_FUNC && symbol.st_other & STO_CUDA_ENTRY &&
         symbol.st_shndx != SHN_UNDEF;
}

/// Marks the code that is removed unless something needs it. Returns false if
/// no kernel is to be removed.
bool KernelCutter::chooseCandidates() {
  const bool isLinked = file.header().e_type == ET_EXEC;
  BitVector hasKept(owners.size()), hasKernel(owners.size()),
      hasFunction(owners.size());
  bool any = false;
  ArrayRef<Elf_Sym> symbols = file.symtab().symbols;
  for (unsigned i = 1; i < symbols.size(); ++i) {
    const unsigned node = nodeOf(i);
    if (!node || symbols[i].getType() != STT_FUNC)
      continue;
    if (isKernel(symbols[i])) {
      hasKernel.set(node);
      const bool isKept = filter.keeps(file.symtab().name(symbols[i]));
      any |= !isKept;
      if (isKept)
        hasKept.set(node);
    } else {
      hasFunction.set(node);
      // Other objects may call a function inside a kernel's code.
      if (!isLinked && symbols[i].getBinding() != STB_LOCAL)
        hasKept.set(node);
    }
  }
  for (unsigned node = 1; node < owners.size(); ++node)
    if (!hasKept[node] && (hasKernel[node] || (isLinked && hasFunction[node])))
      mayGo.set(node);
  return any;
}

void KernelCutter::addEdge(unsigned from, uint32_t symbol) {
  if (const unsigned to = nodeOf(symbol); to && to != from)
    edges[from].push_back(to);
}

template <typename Entry>
void KernelCutter::addRelocations(unsigned target, ArrayRef<Entry> entries) {
  for (const Entry &entry : entries)
    addEdge(owners[target], entry.getSymbol(false));
}

/// Who refers to what: by relocations of what isn't debug information, by the
/// call graph, and by attributes that list launched kernels.
Error KernelCutter::collectEdges() {
  for (unsigned i = 1; i < owners.size(); ++i) {
    const Elf_Shdr &section = file.sections()[i];
    if (isRelocationType(section.sh_type)) {
      const unsigned target = section.sh_info;
      if (isDebugSection(file, target) ||
          file.sectionName(target).ends_with(".debug_frame"))
        continue;
      // Mercury symbols have the numbers of native ones.
      if (section.sh_type == SHT_REL)
        addRelocations(target, file.rels(i));
      else
        addRelocations(target, file.relas(i));
      continue;
    }
    switch (section.sh_type) {
    case SHT_CUDA_CALLGRAPH:
      if (Error e = forEachCallGraphRecord(
              file, i, [&](const CallGraphRecord &record) {
                if (record.group == CallGraphGroup::Calls ||
                    record.group == CallGraphGroup::Takes)
                  addEdge(nodeOf(record.symbol), record.other);
                return Error::success();
              }))
        return e;
      break;
    case SHT_CUDA_INFO:
      if (Error e = forEachNvInfoRecord(
              file.contents(i), [&](size_t, const NvInfoRecord &record) {
                const NvInfoAttribute *attribute =
                    getNvInfoAttribute(record.code);
                if (attribute && record.hasPayload() &&
                    attribute->symbols == NvInfoSymbols::All)
                  for (unsigned k = 0; k != record.wordCount(); ++k)
                    addEdge(owners[i], record.word(k));
                return Error::success();
              }))
        return e;
      break;
    }
  }
  return Error::success();
}

void KernelCutter::keepReachable() {
  std::vector<unsigned> work;
  for (unsigned node = 0; node < owners.size(); ++node)
    if (!mayGo[node])
      work.push_back(node);
  while (!work.empty()) {
    const unsigned node = work.back();
    work.pop_back();
    for (unsigned to : edges[node])
      if (mayGo[to]) {
        mayGo.reset(to);
        work.push_back(to);
      }
  }
}

/// Symbols that relocations name: those of all sections, or of what stays.
Expected<BitVector> KernelCutter::findReferences(bool fromAll) const {
  BitVector found(cut.symbols.size());
  auto add = [&](uint32_t symbol) {
    if (symbol < found.size())
      found.set(symbol);
  };
  for (unsigned i = 1; i < owners.size(); ++i) {
    const Elf_Shdr &section = file.sections()[i];
    if (!fromAll && cut.sections[i])
      continue;
    if (section.sh_type == SHT_REL)
      for (const Elf_Rel &entry : file.rels(i))
        add(entry.getSymbol(false));
    else if (isRelocationType(section.sh_type))
      for (const Elf_Rela &entry : file.relas(i))
        add(entry.getSymbol(false));
    else if (section.sh_type == SHT_CUDA_CALLGRAPH) {
      if (Error e = forEachCallGraphRecord(
              file, i, [&](const CallGraphRecord &record) {
                if (fromAll || !cut.symbols[record.symbol]) {
                  add(record.symbol);
                  if (record.group == CallGraphGroup::Calls ||
                      record.group == CallGraphGroup::Takes)
                    add(record.other);
                }
                return Error::success();
              }))
        return e;
    } else if (section.sh_type == SHT_CUDA_INFO) {
      if (Error e = forEachNvInfoRecord(
              file.contents(i), [&](size_t, const NvInfoRecord &record) {
                const NvInfoAttribute *attribute =
                    getNvInfoAttribute(record.code);
                if (attribute && record.hasPayload() &&
                    attribute->symbols != NvInfoSymbols::None)
                  for (unsigned k = 0; k != record.wordCount(); ++k)
                    if (!k || attribute->symbols == NvInfoSymbols::All)
                      add(record.word(k));
                return Error::success();
              }))
        return e;
    }
  }
  return found;
}

unsigned KernelCutter::cutUnreachable() {
  for (unsigned i = 1; i < owners.size(); ++i)
    if (owners[i] && mayGo[owners[i]])
      cut.sections.set(i);
  unsigned kernels = 0;
  ArrayRef<Elf_Sym> symbols = file.symtab().symbols;
  for (unsigned i = 1; i < symbols.size(); ++i) {
    const uint32_t section = file.sectionIndex(i);
    if (file.isCommon(i) || section >= owners.size() || !cut.sections[section])
      continue;
    cut.symbols.set(i);
    kernels += isKernel(symbols[i]);
  }
  return kernels;
}

/// Undefined symbols that only what goes refers to: a device link would look
/// for them.
Error KernelCutter::cutUndefined() {
  Expected<BitVector> before = findReferences(/*fromAll=*/true),
                      after = findReferences(/*fromAll=*/false);
  if (!before || !after)
    return joinErrors(before.takeError(), after.takeError());
  for (unsigned i = 1; i < cut.symbols.size(); ++i)
    if (file.symtab().symbols[i].st_shndx == SHN_UNDEF && (*before)[i] &&
        !(*after)[i])
      cut.symbols.set(i);
  return Error::success();
}

static void cutDebug(const CubinFile &file, CubinCut &cut) {
  for (unsigned i = 1; i < cut.sections.size(); ++i)
    if (isDebugSection(file, i))
      cut.sections.set(i);
  for (unsigned i = 1; i < cut.symbols.size(); ++i)
    if (const uint32_t section = file.sectionIndex(i);
        !file.isCommon(i) && section < cut.sections.size() &&
        cut.sections[section])
      cut.symbols.set(i);
}

Expected<std::optional<PrunedCubin>>
pruneCubin(StringRef data, const CubinSelection &selection) {
  Expected<CubinFile> file = CubinFile::create(MemoryBufferRef(data, "cubin"));
  if (!file)
    return file.takeError();
  CubinCut cut(*file);
  PrunedCubin result;
  if (!selection.kernels.empty()) {
    Expected<unsigned> dropped =
        KernelCutter(*file, selection.kernels, cut).run();
    if (!dropped)
      return dropped.takeError();
    result.kernelsDropped = *dropped;
    if (file->header().e_type == ET_REL)
      selection.kernels.mayKeepElsewhere();
  }
  if (selection.dropsDebug)
    cutDebug(*file, cut);
  if (cut.empty())
    return std::nullopt;
  Expected<SmallVector<char, 0>> copy = copyCubin(*file, cut);
  if (!copy)
    return copy.takeError();
  result.bytes = std::move(*copy);
  if (Error e = verifyCubin(
          *file, cut, StringRef(result.bytes.data(), result.bytes.size())))
    return e;
  return result;
}

} // namespace lld::cuda
