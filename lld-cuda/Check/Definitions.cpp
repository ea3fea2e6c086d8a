//===- Definitions.cpp - --check: symbols that inputs define --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkDefinitions() goes over the inputs' symbol tables and looks for each
/// definition that the link uses in the output: it must have its name, its
/// size, a section named as in the input, and the same distance from the start
/// of its input's contribution. The kernels of an image must be all kernels of
/// the inputs, unless some were left out on purpose. compare() in Check.cpp
/// calls it when symbol tables and section headers are known to be right, since
/// it finds output symbols by their numbers.
///
//===----------------------------------------------------------------------===//

#include "Check/Image.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Numbered.h"
#include "Parallel.h"
#include "Program.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static bool isDefinition(const Elf_Sym &sym) {
  return sym.st_shndx != SHN_UNDEF && sym.st_shndx != SHN_COMMON;
}

/// Code and its size, unless the finalizer changes it.
static void compareFunction(const CheckedImage &image, const ObjectFile &obj,
                            unsigned index, const Function &f,
                            Findings &findings) {
  const Elf_Sym &input = obj.inputSymbol(index);
  const Elf_Sym &found = image.symbols(View::Native).symbols[f.index];
  const uint32_t section = image.file.sectionIndex(f.index);
  const CheckedPlace at{f.text ? f.text->name : StringRef(), f.name, {}};
  findings.number(at, "kernel bit", input.st_other & STO_CUDA_ENTRY,
                  found.st_other & STO_CUDA_ENTRY);
  if (f.aliasOf || section >= image.file.sections().size())
    return;
  if (f.reachable && f.text && section == SHN_UNDEF)
    return findings.number(at, "sections that define it", 1, 0);
  if (f.edit || section == SHN_UNDEF)
    return;
  findings.text(at, "section",
                obj.file.sectionName(obj.file.sectionIndex(index)),
                image.file.sectionName(section));
  findings.number(at, "st_size, as in its input", input.st_size, found.st_size);
}

/// Initialised memory and constants, which come with their bytes.
static bool staysInOrder(const OutputSection &sec) {
  return sec.kind == SectionKind::GlobalInit ||
         sec.kind == SectionKind::UserConstants ||
         sec.kind == SectionKind::UnifiedData;
}

static void compareVariable(const CheckedImage &image, const ObjectFile &obj,
                            unsigned index, const Variable &v,
                            Findings &findings) {
  const SectionPlacement p = obj.placement(obj.file.sectionIndex(index));
  if (!p.section || p.section != v.section || v.isLeftOut ||
      !staysInOrder(*p.section))
    return;
  const Elf_Sym &input = obj.inputSymbol(index);
  const Elf_Sym &found = image.symbols(View::Native).symbols[v.index];
  const CheckedPlace at{p.section->name, v.name, {}};
  if (found.st_shndx == SHN_UNDEF)
    findings.number(at, "sections that define it", 1, 0);
  findings.number(at, "st_size, as in its input", input.st_size, found.st_size);
  findings.number(at, "st_value, as the input's bytes are placed",
                  p.section->movedOffset(p.base + input.st_value),
                  found.st_value);
}

static void compareObject(const CheckedImage &image, const ObjectFile &obj,
                          Findings &findings) {
  const CubinSymbolTable &output = image.symbols(View::Native);
  for (unsigned i = 1; i < obj.symbols.size(); ++i) {
    const Symbol *s = obj.symbols[i];
    if (!s || !s->index || s->index >= output.symbols.size() || !s->defined ||
        s->definedIn != obj.ordinal || obj.isLost(i) ||
        !isDefinition(obj.inputSymbol(i)))
      continue;
    // Compiler's constants may get names of their own
    // [relocatable-renames-literals].
    if (s->isLocal() && !s->isFunction())
      continue;
    findings.text({{}, s->name, {}}, "name, as in its input",
                  obj.file.symtab().name(obj.inputSymbol(i)),
                  output.name(output.symbols[s->index]));
    if (s->isFunction())
      compareFunction(image, obj, i, static_cast<const Function &>(*s),
                      findings);
    else if (s->isVariable())
      compareVariable(image, obj, i, static_cast<const Variable &>(*s),
                      findings);
  }
}

/// Kernels with code in the output, by name.
static DenseMap<StringRef, unsigned> findKernels(const CheckedImage &image) {
  DenseMap<StringRef, unsigned> kernels;
  const CubinSymbolTable &table = image.symbols(View::Native);
  for (size_t i = 1; i < table.symbols.size(); ++i) {
    const Elf_Sym &sym = table.symbols[i];
    if (sym.getType() == STT_FUNC && sym.st_other & STO_CUDA_ENTRY &&
        table.sectionIndex(i) != SHN_UNDEF)
      ++kernels[table.name(sym)];
  }
  return kernels;
}

/// Checks that the image has all kernels of all inputs. If a filter or host
/// code chooses among them, only their number is compared with the link's.
static void checkKernels(const CheckedImage &image, Findings &findings) {
  const Program &program = image.program();
  const DenseMap<StringRef, unsigned> kernels = findKernels(image);
  const bool choosesSome =
      program.prunesKernels || image.inputs().config.hasKernelFilter();
  if (!choosesSome)
    for (const ObjectFile &obj : program.objects)
      for (unsigned i = 1; i < obj.symbols.size(); ++i) {
        const Elf_Sym &sym = obj.inputSymbol(i);
        StringRef name = obj.file.symtab().name(sym);
        if (sym.getType() == STT_FUNC && sym.st_other & STO_CUDA_ENTRY &&
            isDefinition(sym) && !kernels.contains(name))
          findings.number({{}, name, {}}, "kernels of that name", 1, 0);
      }
  size_t expected = 0, found = 0;
  for (const Function &f : program.functions)
    expected += f.isKernel() && f.defined && f.reachable;
  for (const auto &[name, count] : kernels)
    found += count;
  findings.number({}, "number of kernels", expected, found);
}

void checkDefinitions(const CheckedImage &image, Findings &findings) {
  const auto &objects = image.program().objects;
  std::vector<Findings> own(objects.size());
  parallelForEach(image.inputs(), objects.size(), objects.size(),
                  [&](size_t i) { compareObject(image, objects[i], own[i]); });
  for (Findings &f : own)
    findings.append(std::move(f));
  checkKernels(image, findings);
}

} // namespace lld::cuda
