//===- Merge.cpp - Merging one object: the passes, in order ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// mergeObject() takes one cubin into the link; mergeFile() in Link.cpp calls
/// it for each in the order of the inputs. A Merger then goes over the object's
/// tables in passes, which are in Merge*.cpp: functions, variables, contents,
/// relocations, then call graph, prototypes and records as they come
/// [merge-passes]. What a pass meets first is created first, and that order is
/// the output's. What can be done for several objects at once is in
/// MergeBatch.cpp.
///
/// Functions and variables report all errors of an object before "merge_elf
/// failed" ends the link [messages-merge-failed]. createFixedSections() makes
/// the sections that every output begins with, before any object.
///
//===----------------------------------------------------------------------===//

#include "Merge/Merge.h"
#include "Input/CheckObject.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "lld-cuda/BinaryFormat/DriverFunctions.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

void createFixedSections(const Inputs &inputs, Program &program) {
  // Enough for small links, which then don't grow the lists step by step.
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
  // All errors of the input have been reported [messages-merge-failed].
  if (inputs.diag.errorCount()) {
    inputs.diag.report(DiagId::MergeFailed, {"merge_elf failed"});
    return;
  }
  resolveAliases();
  mergeContents();
  mergeRelocations();
  namePrunedShared();
  sortMisreadSymbols();
  const ArrayRef<Elf_Shdr> sections = file.sections();
  for (unsigned i = 1; i < sections.size() && !inputs.diag.stopped(); ++i) {
    const uint32_t type = sections[i].sh_type;
    if (type == SHT_CUDA_INFO || type == SHT_CUDA_MERC_INFO)
      mergeInfo(i);
    else if (type == SHT_CUDA_CALLGRAPH)
      mergeCallGraph(i);
    else if (type == SHT_CUDA_PROTOTYPE)
      mergePrototypes(i);
  }
  reportMergeFailure();
}

/// Ends the link if the object had errors.
void Merger::reportMergeFailure() {
  if (!inputs.diag.stopped() && inputs.diag.errorCount())
    inputs.diag.report(DiagId::MergeFailed, {"merge_elf failed"});
}

/// Register counts of sm_90 and later are in REGCOUNT records only.
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

/// Whether somebody asks for the register counts of the object's functions:
/// they decide between weak definitions, and nvlink prints them.
static bool needsRegisterCounts(const Inputs &inputs, const ObjectFile &obj) {
  return obj.facts.definesWeakFunction || inputs.config.dumpCallGraph ||
         inputs.config.dumpCallGraphNoDemangle;
}

/// Register counts, by which weak functions are compared, come from the Mercury
/// view if there is one.
static void readRegisterCounts(const Inputs &inputs, const ObjectFile &obj,
                               std::vector<uint32_t> &counts) {
  const uint32_t type = obj.hasMercury() ? SHT_CUDA_MERC_INFO : SHT_CUDA_INFO;
  const StringRef name =
      obj.hasMercury() ? ".nv.merc.nv.info" : StringRef(".nv.info");
  for (unsigned i = 1; i < obj.file.sections().size(); ++i)
    if (obj.file.sections()[i].sh_type == type &&
        obj.file.sectionName(i) == name)
      readRegisterCounts(inputs, obj, i, counts);
}

/// Returns false, with the error reported, for an object on which the merge
/// can't rely, alone or after those before.
static bool canMerge(const Inputs &inputs, MergeState &state,
                     const ObjectFile &obj) {
  if (obj.facts.isSound && obj.facts.memory < MaxMemory - state.memoryTotal) {
    state.memoryTotal += obj.facts.memory;
    return true;
  }
  std::optional<std::string> why =
      checkObject(obj.file, obj.facts, inputs.isMercury(), inputs.factMemory,
                  state.memoryTotal);
  if (why)
    inputs.diag.report(
        DiagId::DamagedInput,
        {"Input file ", diag::file(obj.label), " is damaged: ", *why});
  return !why;
}

void mergeObject(const Inputs &inputs, Program &program, MergeState &state,
                 const LoadedCubin &cubin) {
  ObjectFile &obj =
      program.objects.emplace_back(cubin.file, *cubin.facts, cubin.label,
                                   program.objects.size(), inputs.memory.arena);
  if (!checkUnifiedSymbols(inputs, obj) || !canMerge(inputs, state, obj))
    return;
  obj.compiledFor = cubin.compiledFor;
  state.registerCounts.clear();
  if (needsRegisterCounts(inputs, obj))
    readRegisterCounts(inputs, obj, state.registerCounts);
  if (!inputs.diag.stopped())
    Merger(inputs, program, state, obj, state.registerCounts).run();
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
