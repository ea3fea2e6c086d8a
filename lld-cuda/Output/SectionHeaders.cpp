//===- SectionHeaders.cpp - The output's section headers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// fillSectionHeader() makes the header of one output section. Writer.cpp calls
/// it for each section when numbers and file offsets are known;
/// WriteRelocations.cpp calls getHeaderLinks() before that. SectionKinds.def
/// says for each kind of section what sh_link and sh_info name, such as the
/// symbol table; here these become section numbers. From sm_100 on a native
/// section may have a twin in the Mercury view (docs/reference/mercury.md); the
/// twin refers to the twins of what the native section refers to.
///
/// moveBarrierCounts() turns the counts of barriers in sh_flags of code into
/// attributes, and back in images of CUDA 12. writeTables() calls it before
/// attributes are written (NvInfoOutput.cpp).
///
//===----------------------------------------------------------------------===//

#include "Output/SectionHeaders.h"
#include "Analysis/Resources.h"
#include "Inputs.h"
#include "Merge/NativeCallees.h"
#include "Numbered.h"
#include "Program.h"
#include "llvm/Support/Compiler.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Returns a native section's number, or its twin's in the Mercury view.
static uint32_t numberInView(const OutputSection *native, View view) {
  if (native && view == View::Mercury)
    native = native->mercury;
  return native ? native->index : 0;
}

/// One past the last local symbol in front of the globals. A shared variable
/// that became local behind them doesn't count [symbol-order-weak]; section
/// symbols of parameter banks, which aren't in the Mercury view, do; up to 13.4
/// native callees may stand behind these [native-callees].
LLVM_ATTRIBUTE_NOINLINE static uint32_t firstGlobal(const Numbered &numbered,
                                                    View view) {
  size_t end = numbered.finalSymbols.size();
  while (end && isNativeCallee(*numbered.finalSymbols[end - 1]))
    --end;
  const bool endsLocal = view == View::Native && end &&
                         numbered.finalSymbols[end - 1]->isSection();
  return endsLocal ? end + 1 : numbered.firstGlobalSymbol;
}

/// nvlink 13.5 links the tables of unified functions and variables to a section
/// that has nothing to do with them, and their twins to its twin, if there is
/// one [unified-table-link].
LLVM_ATTRIBUTE_NOINLINE static uint32_t getTableLink(const Program &program,
                                                     const Numbered &numbered,
                                                     const OutputSection &sec) {
  const bool isFunctions = sec.kind == SectionKind::FunctionTable;
  const uint32_t number =
      (isFunctions ? program.functionTableLink : program.variableTableLink)
          .value_or(0);
  if (sec.native)
    for (const OutputSection *other : numbered.finalSections)
      if (other->index == number && other->mercury)
        return other->mercury->index;
  return number;
}

LLVM_ATTRIBUTE_ALWAYS_INLINE static uint32_t
getLink(const Inputs &inputs, const Program &program, const Numbered &numbered,
        const OutputSection &sec, SectionLink link) {
  switch (link) {
  case SectionLink::None:
    return 0;
  case SectionLink::Strings:
    return program.strtab->index;
  case SectionLink::Symbols:
    return numberInView(program.symtab, sec.view());
  case SectionLink::UnifiedTable:
    if (inputs.mislinksUnifiedTables())
      return getTableLink(program, numbered, sec);
    return numberInView(program.symtab, sec.view());
  case SectionLink::ToolkitNote:
    return program.tkinfo->index;
  }
  llvm_unreachable("all cases return");
}

LLVM_ATTRIBUTE_ALWAYS_INLINE static uint32_t
getInfo(const Inputs &inputs, const Program &program, const Numbered &numbered,
        const OutputSection &sec, SectionInfo info) {
  const OutputSection &native = sec.native ? *sec.native : sec;
  switch (info) {
  case SectionInfo::None:
    return 0;
  case SectionInfo::FirstGlobal:
    return firstGlobal(numbered, sec.view());
  case SectionInfo::Code:
    return sec.owner ? numberInView(sec.owner->text, sec.view()) : 0;
  case SectionInfo::Function:
    // The function's own register count [register-count-in-header].
    return sec.owner->index |
           (inputs.sm() < FirstCompatSM ? uint32_t(sec.registers) << 24 : 0);
  case SectionInfo::Target:
    return numberInView(native.target, sec.view());
  case SectionInfo::Compat:
    return program.compat ? program.compat->index : 0;
  }
  llvm_unreachable("all cases return");
}

std::pair<uint32_t, uint32_t> getHeaderLinks(const Inputs &inputs,
                                             const Program &program,
                                             const Numbered &numbered,
                                             const OutputSection &sec) {
  const SectionFacts &facts = sec.facts();
  return {getLink(inputs, program, numbered, sec, facts.link),
          getInfo(inputs, program, numbered, sec, facts.info)};
}

/// A final link has ordinary types in place of CUDA's for data
/// [section-types-in-images].
static uint32_t getOutputType(const Inputs &inputs, const OutputSection &sec) {
  if (inputs.isRelocatable() || sec.native)
    return sec.type;
  if (isConstantBank(sec.type) || sec.type == SHT_CUDA_GLOBAL_INIT)
    return SHT_PROGBITS;
  return sec.isNoBits() ? uint32_t(SHT_NOBITS) : sec.type;
}

void fillSectionHeader(const Inputs &inputs, const Program &program,
                       const Numbered &numbered, const OutputSection &sec,
                       Elf_Shdr &out) {
  out.sh_name = sec.nameOffset;
  out.sh_type = getOutputType(inputs, sec);
  out.sh_flags = sec.flags;
  out.sh_addr = 0;
  out.sh_offset = sec.fileOffset;
  out.sh_size = sec.size;
  out.sh_addralign = sec.align;
  out.sh_entsize = sec.entsize;
  const SectionFacts &facts = sec.facts();
  out.sh_link = getLink(inputs, program, numbered, sec, facts.link);
  out.sh_info = getInfo(inputs, program, numbered, sec, facts.info);
  if (sec.kind == SectionKind::CubinNote && out.sh_info)
    out.sh_flags |= SHF_INFO_LINK;
}

/// A kernel's flags have the count of all that it reaches [cuda12-barriers].
static void countInFlags(const KernelResources &kernel, OutputSection &text) {
  const uint64_t count =
      kernel.values[createdIndex(EIATTR_NUM_BARRIERS)].value_or(0);
  text.flags &= ~SHF_CUDA_BARRIER_MASK;
  text.flags |= count << SHF_CUDA_BARRIER_SHIFT;
}

/// The flags of older compilers' code count its barriers. The count goes to a
/// record where there is none [barrier-count-in-flags]; it stays in the flags
/// where a function that the kernel reaches has such a record, too
/// (test/corpus/older-toolkits.test).
void moveBarrierCounts(const Inputs &inputs, Program &program, Resources &res) {
  if (inputs.isRelocatable())
    return;
  for (Function &f : program.functions) {
    const KernelResources *kernel = res.kernelOf(f);
    if (inputs.countsBarriersInFlags()) {
      if (kernel && f.text)
        countInFlags(*kernel, *f.text);
      continue;
    }
    if (!f.info || !f.info->written || !res.of(f).takesBarriersFromFlags())
      continue;
    if (!kernel || !kernel->reachesBarrierRecord)
      f.text->flags &= ~SHF_CUDA_BARRIER_MASK;
  }
}

} // namespace lld::cuda
