//===- SectionHeaders.cpp - The output's section headers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// SectionKinds.def says what sh_link and sh_info name; here these become
/// numbers, of the section's own view.
///
//===----------------------------------------------------------------------===//

#include "Output/SectionHeaders.h"
#include "Finalize/NativeCallees.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// The number that stands for a native section in the view of another one.
static uint32_t numberInView(const OutputSection *native, View view) {
  if (native && view == View::Mercury)
    native = native->mercury;
  return native ? native->index : 0;
}

/// One past the last local symbol in front of the globals. A shared variable
/// that became local behind them doesn't count [symbol-order-weak]; section
/// symbols of parameter banks, which aren't in the Mercury view, do; up to 13.4
/// native callees may stand behind these [native-callees].
static uint32_t firstGlobal(const Ctx &ctx, View view) {
  size_t end = ctx.finalSymbols.size();
  while (end && isNativeCallee(*ctx.finalSymbols[end - 1]))
    --end;
  const bool endsLocal =
      view == View::Native && end && ctx.finalSymbols[end - 1]->isSection();
  return endsLocal ? end + 1 : ctx.firstGlobalSymbol;
}

static uint32_t getLink(const Ctx &ctx, const OutputSection &sec) {
  switch (sec.facts().link) {
  case SectionLink::None:
    return 0;
  case SectionLink::Strings:
    return ctx.strtab->index;
  case SectionLink::Symbols:
    return numberInView(ctx.symtab, sec.view());
  case SectionLink::ToolkitNote:
    return ctx.tkinfo->index;
  }
  llvm_unreachable("all cases return");
}

static uint32_t getInfo(const Ctx &ctx, const OutputSection &sec) {
  const OutputSection &native = sec.native ? *sec.native : sec;
  switch (sec.facts().info) {
  case SectionInfo::None:
    return 0;
  case SectionInfo::FirstGlobal:
    return firstGlobal(ctx, sec.view());
  case SectionInfo::Code:
    return sec.owner ? numberInView(sec.owner->text, sec.view()) : 0;
  case SectionInfo::Function:
    return sec.owner->index |
           (ctx.sm() < FirstCompatSM ? uint32_t(sec.registers) << 24 : 0);
  case SectionInfo::Target:
    return numberInView(native.target, sec.view());
  case SectionInfo::Compat:
    return ctx.compat ? ctx.compat->index : 0;
  }
  llvm_unreachable("all cases return");
}

std::pair<uint32_t, uint32_t> getHeaderLinks(const Ctx &ctx,
                                             const OutputSection &sec) {
  return {getLink(ctx, sec), getInfo(ctx, sec)};
}

/// A final link has ordinary types in place of CUDA's for data
/// [section-types-in-images].
static uint32_t getOutputType(const Ctx &ctx, const OutputSection &sec) {
  if (ctx.isRelocatable() || sec.native)
    return sec.type;
  if (isConstantBank(sec.type) || sec.type == SHT_CUDA_GLOBAL_INIT)
    return SHT_PROGBITS;
  return sec.isNoBits() ? uint32_t(SHT_NOBITS) : sec.type;
}

void fillSectionHeader(const Ctx &ctx, const OutputSection &sec,
                       Elf_Shdr &out) {
  out.sh_name = sec.nameOffset;
  out.sh_type = getOutputType(ctx, sec);
  out.sh_flags = sec.flags;
  out.sh_offset = sec.fileOffset;
  out.sh_size = sec.size;
  out.sh_addralign = sec.align;
  out.sh_entsize = sec.entsize;
  std::tie(out.sh_link, out.sh_info) = getHeaderLinks(ctx, sec);
  if (sec.kind == SectionKind::CubinNote && out.sh_info)
    out.sh_flags |= SHF_INFO_LINK;
}

} // namespace lld::cuda
