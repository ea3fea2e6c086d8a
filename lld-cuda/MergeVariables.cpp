//===- MergeVariables.cpp - Variables of an object: definition and resolution
//-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The second pass over an object: variables, textures, samplers and surfaces
/// in symbol table order. A definition appends its whole input section to the
/// output section of that name; there is no layout variable by variable, except
/// in shared memory, where the symbol's value is its alignment and addresses
/// come later (spec: layout, sections 2 and 4.1; symbols, section 3).
///
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "Mercury.h"
#include "Merge.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static bool isVariableType(uint8_t type) {
  return type == STT_OBJECT || type == STT_CUDA_OBJECT ||
         type == STT_CUDA_TEXTURE || type == STT_CUDA_SAMPLER ||
         type == STT_CUDA_SURFACE;
}

static uint8_t spaceOf(const Elf_Sym &sym) {
  return sym.st_other & STO_CUDA_SPACE_MASK;
}

/// An extern array in the output of an earlier -r link is formally defined in
/// .nv_debug.shared (spec: layout, section 9).
static bool isFormalSharedArray(const Elf_Sym &sym) {
  return sym.getBinding() != STB_LOCAL && spaceOf(sym) == STO_CUDA_SHARED &&
         sym.st_size == 0 && sym.st_shndx != SHN_UNDEF;
}

static bool isDefined(const Elf_Sym &sym) {
  return sym.st_shndx != SHN_UNDEF && !isFormalSharedArray(sym);
}

void Merger::mergeVariables() {
  for (unsigned i = 1, e = file.symtab().symbols.size();
       i < e && !ctx.diag.stopped(); ++i) {
    if (!isVariableType(sym(i).getType()))
      continue;
    if (isDefined(sym(i)) && !file.isCommon(i) &&
        file.sectionIndex(i) >= file.sections().size()) {
      ctx.diag.fatal("'" + obj.label + "': symbol '" + symName(i) +
                     "' has the unknown section index " +
                     Twine(file.sectionIndex(i)));
      return;
    }
    if (sym(i).getBinding() == STB_LOCAL) {
      addLocalVariable(i);
      continue;
    }
    Symbol *existing = ctx.named.lookup(CachedHashStringRef(symName(i)));
    if (!existing) {
      addVariable(i);
      continue;
    }
    if (!existing->isVariable() || existing->space() != spaceOf(sym(i))) {
      ctx.diag.error("Memory space doesn't match for '" + symName(i) +
                     "' in '" + obj.label + "', first specified in '" +
                     labelOf(existing->mentionedIn) + "'");
      explainMismatch(ctx, labelOf(existing->mentionedIn),
                      describeMemorySpace(*existing), obj,
                      describeMemorySpace(sym(i).getType(), sym(i).st_other));
      continue;
    }
    obj.symbols[i] = existing;
    resolveVariable(*static_cast<Variable *>(existing), i);
  }
  llvm::sort(obj.lostInitRanges);
}

static Variable *createVariable(Ctx &ctx, ObjectFile &obj, unsigned i,
                                StringRef name, const Elf_Sym &in) {
  Variable &v = ctx.variables.emplace_back(name, in.getBinding(), in.getType(),
                                           in.st_other);
  v.mentionedIn = v.definedIn = obj.ordinal;
  obj.symbols[i] = &v;
  return &v;
}

/// With a Mercury view, -r and --preserve-relocs number the compiler's
/// constants of an object anew (spec: ELF output, section 6.3).
void Merger::renameLiteral(Variable &v) {
  const bool isRenamed =
      ctx.isRelocatable() ? !ctx.keepsForRelink() : ctx.config.preserveRelocs;
  if (isRenamed && ctx.isMercury() && v.section->type == SHT_CUDA_CONSTANT2)
    v.name =
        ctx.saver.save(getMergeName(*v.section) + "." + Twine(++literalCount));
}

void Merger::addLocalVariable(unsigned i) {
  const Elf_Sym &in = sym(i);
  if (in.st_shndx == SHN_UNDEF || file.isCommon(i)) {
    // .nv.ptx.const0.size of the device runtime: the size of .nv.constant3, -1
    // without one (spec: seams, 18). nvlink -r keeps one for all inputs.
    if (ctx.isRelocatable() && !ctx.keepsForRelink() &&
        !ctx.constantSizeSymbols.empty()) {
      obj.symbols[i] = ctx.constantSizeSymbols.front();
      return;
    }
    Variable *v = createVariable(ctx, obj, i, symName(i), in);
    v->type = STT_CUDA_OBJECT;
    v->value = ~uint64_t(0);
    v->size = in.st_size;
    ctx.constantSizeSymbols.push_back(v);
    ctx.locals.push_back(v);
    return;
  }
  const uint32_t section = file.sectionIndex(i);
  if (in.getVisibility() == STV_INTERNAL) {
    // Parameters and literals: they bring their section at this point.
    uint32_t owner = obj.ownerOf(section);
    if (owner && obj.isLost(owner) && !keepsParameters(section) &&
        !sharesParameters(section))
      return;
    SectionPlacement placement = contribute(section);
    if (!placement.section)
      return;
    Variable *v = createVariable(ctx, obj, i, symName(i), in);
    place(*v, in, placement);
    ctx.locals.push_back(v);
    renameLiteral(*v);
    return;
  }
  Variable *v = createVariable(ctx, obj, i, symName(i), in);
  defineVariable(*v, i);
  ctx.locals.push_back(v);
}

void Merger::addVariable(unsigned i) {
  const Elf_Sym &in = sym(i);
  Variable *v = createVariable(ctx, obj, i, symName(i), in);
  ctx.named[CachedHashStringRef(v->name)] = v;
  v->size = in.st_size;
  // Weak in compiled objects, global in the output of an earlier -r link.
  if (!isDefined(in) && !file.isCommon(i) && isReservedWeakName(v->name)) {
    v->binding = STB_GLOBAL;
    v->value = in.st_value;
    v->isReserved = true;
    if (ctx.isMercury())
      v->type = STT_CUDA_OBJECT;
  }
  if (v->isTexture())
    (in.getType() == STT_CUDA_TEXTURE   ? ctx.textures
     : in.getType() == STT_CUDA_SAMPLER ? ctx.samplers
                                        : ctx.surfaces)
        .push_back(v);

  if (file.isCommon(i)) {
    makeCommon(*v, in);
  } else if (isDefined(in)) {
    defineVariable(*v, i);
  } else if (v->isShared() && v->size == 0) {
    // An extern array makes .nv_debug.shared exist; its alignment is not in the
    // cubin and counts as 16 (spec: layout, section 4.1).
    getNamedSection(ctx, ".nv_debug.shared", SHT_CUDA_SHARED,
                    SHF_WRITE | SHF_ALLOC, 16);
    ctx.anyDynamicShared = true;
    ctx.sharedList.push_back({v, 0, 16});
    v->value = in.st_value;
  }
  (v->binding == STB_WEAK ? ctx.locals : ctx.globals).push_back(v);
}

void Merger::makeCommon(Variable &v, const Elf_Sym &in) {
  v.isCommon = v.defined = true;
  v.alignment = in.st_value;
  v.definedIn = obj.ordinal;
  ctx.commons.push_back(&v);
}

/// Reports sizes that don't fit together. An initialised definition must be at
/// least as large as a common of its name; two commons may differ.
bool Merger::sizesAgree(Variable &v, unsigned i) {
  const Elf_Sym &in = sym(i);
  const bool inCommon = file.isCommon(i);
  auto isInit = [](uint32_t type) { return type == SHT_CUDA_GLOBAL_INIT; };
  const bool inIsInit = !inCommon && isDefined(in) &&
                        isInit(file.sections()[file.sectionIndex(i)].sh_type);
  if (v.isCommon && inCommon)
    return true;
  if ((v.isCommon && inIsInit) ||
      (inCommon && v.section && isInit(v.section->type))) {
    uint64_t common = v.isCommon ? v.size : uint64_t(in.st_size);
    uint64_t initialised = v.isCommon ? uint64_t(in.st_size) : v.size;
    if (common <= initialised)
      return true;
    ctx.diag.error("Common symbol '" + v.name + "' in file '" +
                   (v.isCommon ? labelOf(v.mentionedIn) : obj.label) +
                   "' has larger size than initialization");
    return false;
  }
  if (!v.size || !in.st_size || v.size == in.st_size)
    return true;
  ctx.diag.error("Size doesn't match for '" + v.name + "' in '" + obj.label +
                 "', first specified in '" + labelOf(v.mentionedIn) + "'");
  explainMismatch(ctx, labelOf(v.mentionedIn), utostr(v.size) + " bytes", obj,
                  utostr(in.st_size) + " bytes");
  if (v.isWeak() && in.getBinding() == STB_WEAK)
    explainWeakMismatch(ctx, v.name);
  return false;
}

void Merger::resolveVariable(Variable &v, unsigned i) {
  // nvlink can't link two relocatable outputs that use one extern array.
  if (ctx.config.nvlinkCompat && isFormalSharedArray(sym(i)))
    return multipleDefinition(v, i);
  if (!sizesAgree(v, i) || !isDefined(sym(i)))
    return;
  if (file.isCommon(i))
    resolveCommon(v, i);
  else
    redefineVariable(v, i);
}

void Merger::resolveCommon(Variable &v, unsigned i) {
  const Elf_Sym &in = sym(i);
  if (v.isCommon) {
    v.size = std::max<uint64_t>(v.size, in.st_size);
  } else if (!v.defined) {
    v.size = in.st_size;
    makeCommon(v, in);
  } else if (v.section && v.section->type == SHT_CUDA_GLOBAL) {
    if (v.binding == STB_GLOBAL) {
      multipleDefinition(v, i);
      return;
    }
    // Both places are allocated, the common one counts (spec: layout, 2).
    v.isCommon = true;
    v.alignment = in.st_value;
    ctx.commons.push_back(&v);
  }
}

void Merger::redefineVariable(Variable &v, unsigned i) {
  const uint8_t binding = sym(i).getBinding();
  const uint32_t section = file.sectionIndex(i);
  const uint32_t type = file.sections()[section].sh_type;
  if (!v.defined) {
    v.binding = binding;
    defineVariable(v, i);
  } else if (v.isCommon) {
    if (type != SHT_CUDA_GLOBAL) {
      v.isCommon = false; // Its place among the commons is skipped later.
      v.binding = binding;
      defineVariable(v, i);
    } else if (binding == STB_GLOBAL) {
      // Both places are allocated, the common one counts (spec: layout, 2).
      defineVariable(v, i);
    }
  } else if (v.binding == STB_WEAK && binding == STB_GLOBAL) {
    v.binding = STB_GLOBAL;
    defineVariable(v, i);
  } else if (v.binding == STB_WEAK && type == SHT_CUDA_GLOBAL_INIT) {
    obj.lostInitSection = section;
    obj.lostInitRanges.push_back(
        {sym(i).st_value, sym(i).st_value + sym(i).st_size});
  } else if (v.binding == STB_GLOBAL && binding == STB_GLOBAL) {
    multipleDefinition(v, i);
  }
}

void Merger::defineVariable(Variable &v, unsigned i) {
  const Elf_Sym &in = sym(i);
  const uint32_t section = file.sectionIndex(i);
  v.definedIn = obj.ordinal;
  v.other = otherOf(v, i, STO_CUDA_UNIFIED);
  v.type = in.getType();
  if (in.st_size)
    v.size = in.st_size;
  const uint32_t type = file.sections()[section].sh_type;
  if (type == SHT_CUDA_SHARED)
    defineShared(v, i);
  else if (type == SHT_CUDA_SHARED_RESERVED)
    defineReservedShared(v, i);
  else
    place(v, in, contribute(section));
}

/// The value of a shared variable is its alignment; the layout divides by it.
bool Merger::takeSharedAlignment(Variable &v, const Elf_Sym &in) {
  v.alignment = v.value = in.st_value;
  if (!(v.alignment & (v.alignment - 1)) && v.alignment <= uint64_t(1) << 32)
    return true;
  ctx.diag.fatal("'" + obj.label + "': shared variable '" + v.name +
                 "' has the alignment " + Twine(v.alignment) +
                 ", which is not a power of two");
  return false;
}

void Merger::defineReservedShared(Variable &v, unsigned i) {
  const uint32_t section = file.sectionIndex(i);
  if (!takeSharedAlignment(v, sym(i)))
    return;
  OutputSection *out = getCommonSection(section, SHF_WRITE | SHF_ALLOC);
  if (!out)
    return;
  out->emitted = true;
  v.section = out;
  v.defined = true;
  ctx.reservedShared.push_back(&v);
  if (obj.placement(section).section)
    return;
  obj.place(section, {out, 0, 0});
  contributeTwin(section, *out);
}

void Merger::defineShared(Variable &v, unsigned i) {
  const uint32_t section = file.sectionIndex(i);
  const Elf_Shdr &shdr = file.sections()[section];
  if (!takeSharedAlignment(v, sym(i)))
    return;
  OutputSection *out;
  if (Function *f = obj.functionOf(section)) {
    // A kernel that --kernels-used left out has no section yet; the one made
    // here doesn't die with it (spec: seams, 9).
    if (!f->shared)
      f->shared = createSection(ctx, file.sectionName(section), SHT_CUDA_SHARED,
                                SHF_WRITE | SHF_ALLOC | SHF_INFO_LINK, 1, 0,
                                ctx.keepsDeadCode() ? f : nullptr);
    out = f->shared;
    f->ownShared.push_back(&v);
  } else {
    out = getNamedSection(ctx, ".nv_debug.shared", SHT_CUDA_SHARED,
                          SHF_WRITE | SHF_ALLOC, shdr.sh_addralign);
    ctx.sharedList.push_back({&v, sym(i).st_size, v.alignment});
  }
  v.section = out;
  v.defined = true;
  obj.place(section, {out, 0, 0});
}

void Merger::place(Variable &v, const Elf_Sym &in,
                   const SectionPlacement &placement) {
  v.section = placement.section;
  v.value = placement.base + in.st_value;
  v.size = in.st_size;
  v.defined = true;
  v.definedIn = obj.ordinal;
}

} // namespace lld::cuda
