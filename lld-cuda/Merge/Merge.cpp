//===- Merge.cpp - Merging one object into the link -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Merge/Merge.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

ObjectFile::ObjectFile(const CubinFile &file, StringRef label, unsigned ordinal)
    : file(file), label(label), ordinal(ordinal),
      symbols(file.symtab().symbols.size()), textOwner(file.sections().size()),
      placementNumbers(file.sections().size()) {
  ArrayRef<Elf_Sym> syms = file.symtab().symbols;
  // The stub of a unified function.
  auto isStub = [&](const Elf_Sym &sym, StringRef section) {
    StringRef name = file.symtab().name(sym);
    return sym.getBinding() == STB_LOCAL && sym.st_value == 0 &&
           name.consume_front("__cuda_uf_stub_") &&
           section.consume_front(".nv.uft.rel.") && name == section;
  };
  for (unsigned i = 1; i < syms.size(); ++i) {
    if (syms[i].getType() != STT_FUNC || syms[i].st_shndx == SHN_UNDEF ||
        file.isCommon(i))
      continue;
    uint32_t section = file.sectionIndex(i);
    if (section >= textOwner.size())
      continue;
    const Elf_Shdr &shdr = file.sections()[section];
    constexpr uint64_t CodeFlags = SHF_ALLOC | SHF_EXECINSTR;
    if (textOwner[section] ||
        (shdr.sh_flags & (CodeFlags | SHF_CUDA_MERCURY)) != CodeFlags)
      continue;
    StringRef name = file.sectionName(section);
    if (shdr.sh_type == SHT_PROGBITS
            ? name.consume_front(".text.") &&
                  name == file.symtab().name(syms[i])
            : shdr.sh_type == SHT_CUDA_UFT && isStub(syms[i], name))
      textOwner[section] = i;
  }
  findTwins();
}

uint32_t ObjectFile::ownerOf(unsigned section) const {
  // Objects of ptxas before 12.4 have no SHF_INFO_LINK.
  const uint32_t info = file.sections()[section].sh_info;
  return info < textOwner.size() ? textOwner[info] : 0;
}

Function *ObjectFile::functionOf(unsigned section) const {
  uint32_t owner = ownerOf(section);
  return owner ? static_cast<Function *>(symbols[owner]) : nullptr;
}

void ObjectFile::place(unsigned section, const SectionPlacement &placement) {
  uint32_t &number = placementNumbers[section];
  if (number) {
    placements[number - 1] = placement;
    return;
  }
  placements.push_back(placement);
  number = placements.size();
}

Symbol *ObjectFile::resolve(unsigned symbolIndex, uint64_t &base,
                            View view) const {
  // Both symbol tables have the same symbols under the same numbers.
  base = 0;
  const CubinSymbolTable &table =
      view == View::Native ? file.symtab() : file.mercurySymtab();
  if (symbolIndex >= table.symbols.size())
    return nullptr;
  if (table.symbols[symbolIndex].getType() != STT_SECTION)
    return symbols[symbolIndex];
  uint32_t section = view == View::Native
                         ? file.sectionIndex(symbolIndex)
                         : file.mercurySectionIndex(symbolIndex);
  if (section >= placementNumbers.size())
    return nullptr;
  if (uint32_t owner = textOwner[section]) {
    auto *f = static_cast<Function *>(symbols[owner]);
    return f && f->text ? f->text->symbol : nullptr;
  }
  const SectionPlacement p = placement(section);
  base = p.base;
  return p.section ? p.section->symbol : nullptr;
}

void createFixedSections(const Inputs &inputs, Program &program) {
  // Of a small link, so that it doesn't grow them step by step.
  constexpr size_t UsualCount = 64;
  program.sections.reserve(UsualCount);
  program.locals.reserve(UsualCount);
  program.globals.reserve(UsualCount);
  auto add = [&](SectionKind kind) {
    return getNamedSection(inputs, program, kind);
  };
  program.shstrtab = add(SectionKind::SectionNames);
  program.strtab = add(SectionKind::Strings);
  program.symtab = add(SectionKind::Symbols);
  program.symtabShndx = add(SectionKind::ExtendedIndices);
  const bool isOld = inputs.writesOldHeader();
  if (!isOld) {
    program.tkinfo = add(SectionKind::ToolkitNote);
    program.cuinfo = add(SectionKind::CubinNote);
    if (inputs.rules.writesOldFiles())
      program.cuinfo->name = program.cuinfo->symbol->name = OldCubinNoteName;
  }
  program.nvinfo = add(SectionKind::Info);
  if (inputs.sm() >= FirstCompatSM && !inputs.rules.writesOldFiles())
    program.compat = add(SectionKind::Compat);
}

void Merger::fatal(unsigned section, Error e) {
  inputs.diag.report(DiagId::DamagedInput,
                     {diag::file(obj.label), ": section ", section, " (",
                      diag::section(file.sectionName(section)),
                      "): ", toString(std::move(e))});
}

void Merger::run() {
  mergeFunctions();
  mergeVariables();
  if (inputs.diag.stopped())
    return;
  if (inputs.diag.errorCount()) {
    inputs.diag.report(DiagId::MergeFailed, {"merge_elf failed"});
    return;
  }
  resolveAliases();
  mergeContents();
  mergeRelocations();
  namePrunedShared();
  sortMisreadSymbols();
  for (unsigned i = 1; i < file.sections().size() && !inputs.diag.stopped();
       ++i) {
    if (file.sections()[i].sh_type == SHT_CUDA_CALLGRAPH)
      mergeCallGraph(i);
    else if (file.sections()[i].sh_type == SHT_CUDA_PROTOTYPE)
      mergePrototypes(i);
    else if (file.sections()[i].sh_type == SHT_CUDA_INFO ||
             file.sections()[i].sh_type == SHT_CUDA_MERC_INFO)
      mergeInfo(i);
  }
  if (!inputs.diag.stopped() && inputs.diag.errorCount())
    inputs.diag.report(DiagId::MergeFailed, {"merge_elf failed"});
}

/// Register counts of sm_90 and later stand in REGCOUNT records only.
static void readRegisterCounts(const Inputs &inputs, const ObjectFile &obj,
                               unsigned section,
                               std::vector<uint32_t> &counts) {
  counts.resize(obj.file.symtab().symbols.size());
  Error e = forEachNvInfoRecord(
      obj.file.contents(section), [&](size_t, const NvInfoRecord &r) {
        if (r.hasPayload() && r.code == EIATTR_REGCOUNT && r.wordCount() >= 2 &&
            r.word(0) < counts.size())
          counts[r.word(0)] = r.word(1);
        return Error::success();
      });
  if (e)
    inputs.diag.report(DiagId::DamagedInput,
                       {diag::file(obj.label), ": section ", section, " (",
                        diag::section(obj.file.sectionName(section)),
                        "): ", toString(std::move(e))});
}

void mergeObject(const Inputs &inputs, Program &program, MergeState &state,
                 const LoadedCubin &cubin) {
  ObjectFile &obj = program.objects.emplace_back(cubin.file, cubin.label,
                                                 program.objects.size());
  if (!checkUnifiedSymbols(inputs, obj) || !checkObject(inputs, state, obj))
    return;
  obj.compiledFor = cubin.compiledFor;
  std::vector<uint32_t> registerCounts;
  for (unsigned i = 1; i < obj.file.sections().size(); ++i) {
    uint32_t type = obj.file.sections()[i].sh_type;
    // Objects with a Mercury view are read there [weak-selection].
    const bool isInfo =
        obj.hasMercury()
            ? type == SHT_CUDA_MERC_INFO &&
                  obj.file.sectionName(i) == ".nv.merc.nv.info"
            : type == SHT_CUDA_INFO && obj.file.sectionName(i) == ".nv.info";
    if (isInfo)
      readRegisterCounts(inputs, obj, i, registerCounts);
  }
  if (!inputs.diag.stopped())
    Merger(inputs, program, state, obj, registerCounts).run();
}

bool mayStayUndefined(StringRef name) {
  // Exact names found by trying every undefined name of the device runtime
  // library, and every function that the toolkit's headers declare
  // [undefined-symbols].
  static constexpr StringLiteral Names[] = {"__assertfail",
                                            "__profile",
                                            "cnpCtxSynchronize",
                                            "cnpDeviceGetAttribute",
                                            "cnpEventCreate",
                                            "cnpEventDestroy",
                                            "cnpEventRecord",
                                            "cnpFuncGetAttribute",
                                            "cnpGetCacheConfig",
                                            "cnpGetDevice",
                                            "cnpGetDeviceCount",
                                            "cnpGetLastError",
                                            "cnpGetLimit",
                                            "cnpGetParameterBuffer",
                                            "cnpGetParameterBufferV2",
                                            "cnpGetSharedMemConfig",
                                            "cnpLaunchDevice",
                                            "cnpLaunchDeviceV2",
                                            "cnpSetLastError",
                                            "cnpStreamCreate",
                                            "cnpStreamDestroy",
                                            "cnpStreamWaitEvent",
                                            "cudaGraphKernelNodeSetEnabled",
                                            "cudaGraphKernelNodeSetGridDim",
                                            "cudaGraphKernelNodeSetParam",
                                            "cudaGraphKernelNodeUpdatesApply",
                                            "cudaGraphLaunch",
                                            "cudaGraphSetConditional",
                                            "free",
                                            "malloc",
                                            "vprintf"};
  return name.starts_with("__cuda_syscall") || llvm::is_contained(Names, name);
}

bool isListedUnifiedTableName(StringRef name) {
  static constexpr StringLiteral Names[] = {
      "__UDT", "__UDT_CANONICAL", "__UDT_END", "__UDT_OFFSET",
      "__UFT", "__UFT_CANONICAL", "__UFT_END", "__UFT_OFFSET"};
  return llvm::is_contained(Names, name);
}

bool isReservedWeakName(StringRef name) {
  // Sizes of descriptors, which the driver knows [symbol-descriptor-sizes].
  static constexpr StringLiteral DescriptorSizes[] = {
      ".nv.independent.samplerrefDescSize", ".nv.independent.texrefDescSize",
      ".nv.surfrefDescSize", ".nv.unified.texrefDescSize"};
  return isUnifiedTableName(name) || name.starts_with(".nv.reservedSmem.") ||
         llvm::is_contained(DescriptorSizes, name);
}

bool needsSystemLibrary(const Inputs &inputs, const Program &program) {
  if (inputs.config.keepSystemLibraries)
    return true;
  return llvm::any_of(program.functions, [](const Function &f) {
    return !f.defined && !mayStayUndefined(f.name);
  });
}

} // namespace lld::cuda
