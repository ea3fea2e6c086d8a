//===- CompatMerge.cpp - Merging .nv.compat -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Combines the compatibility attributes of all inputs, sm_90 and later. The
/// first appearance of a code fixes its place in the output (spec: nv.info,
/// section 9).
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Passes.h"
#include "SassCode.h"
#include "lld-cuda/Object/Compat.h"
#include <bitset>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
using Values = SmallVector<std::pair<uint8_t, uint16_t>, 8>;
} // namespace

namespace {
/// Code for sm_100 that can be run on sm_103 as it is.
constexpr uint8_t SuitsSM103 = 8;

bool hasUnfitInstruction(const Function &f) {
  ArrayRef<uint8_t> code = f.text->parts[0].bytes;
  for (; code.size() >= sass::InstructionSize;
       code = code.drop_front(sass::InstructionSize))
    if (sass::Instruction::read(code.data()).isUnfitForSM103())
      return true;
  return false;
}

/// The record that the finalizer writes anew: bits that all inputs with code
/// have in common. Targets other than sm_100 and sm_120, and images without
/// code, get 0. (Observed in 250 links of inputs with 0, 1, 9 and 0x50.) But
/// for SuitsSM103 only the functions of the image count.
class FinalizeFlags {
public:
  void merge(uint32_t flags) {
    if (!flags)
      return;
    value = any ? value & flags : flags;
    any = true;
  }
  uint8_t get(const Ctx &ctx) const {
    auto isInImage = [](const Function &f) { return f.text && f.text->live; };
    if (none_of(ctx.functions, isInImage))
      return 0;
    if (ctx.sm() == 120)
      return value;
    if (ctx.sm() != 100)
      return 0;
    if (!any || value & SuitsSM103)
      return value;
    const bool suits = none_of(ctx.functions, [&](const Function &f) {
      return isInImage(f) && !f.text->parts.empty() && hasUnfitInstruction(f);
    });
    return suits ? value | SuitsSM103 : value;
  }

private:
  uint32_t value = 0;
  bool any = false;
};
} // namespace

static void combine(Values &values, uint8_t code, uint16_t value) {
  for (auto &[known, old] : values)
    if (known == code) {
      old = combineCompat(getCompatAttribute(code)->policy, old, value);
      return;
    }
  values.push_back({code, value});
}

/// Codes that an input with a .nv.compat section is expected to have.
static constexpr uint8_t ExpectedCodes[] = {2, 3, 5, 6, 7};

static void mergeInput(Ctx &ctx, const ObjectFile &obj, unsigned section,
                       Values &values, FinalizeFlags &finalize) {
  std::bitset<256> seen;
  Error e = forEachNvInfoRecord(
      obj.file.contents(section), [&](size_t, const NvInfoRecord &r) {
        if (r.code == COMPAT_CAN_FASTPATH_FINALIZE && r.wordCount() >= 1)
          finalize.merge(r.word(0));
        const CompatAttribute *attribute = getCompatAttribute(r.code);
        if (!attribute || attribute->policy == CompatPolicy::Ignore)
          return Error::success();
        seen.set(r.code);
        combine(values, r.code,
                attribute->format == EIFMT_BVAL ? r.value & 0xff : r.value);
        return Error::success();
      });
  if (e) {
    ctx.diag.fatal("'" + obj.label + "': section " + Twine(section) +
                   " ('.nv.compat'): " + toString(std::move(e)));
    return;
  }
  for (uint8_t code : ExpectedCodes) {
    const CompatAttribute *attribute = getCompatAttribute(code);
    if (seen.test(code) || !attribute || !attribute->defaultValue)
      continue;
    combine(values, code, *attribute->defaultValue);
    if (code == COMPAT_ISA_CLASS)
      ctx.diag.warning(
          "Output is limited to run on SM Arch '" + Twine(ctx.sm()) +
          "' only, due to missing attribute 'ISA_CLASS' in input file '" +
          obj.label + "'");
  }
}

void mergeCompat(Ctx &ctx) {
  if (!ctx.compat)
    return;
  Values values;
  FinalizeFlags finalize;
  values.push_back({COMPAT_CUDA_ACCELERATOR_TARGET,
                    ctx.config.arch.suffix == Architecture::Accelerated});
  for (const ObjectFile &obj : ctx.objects)
    for (unsigned i = 1; i < obj.file.sections().size(); ++i)
      if (obj.file.sections()[i].sh_type == SHT_CUDA_COMPAT) {
        mergeInput(ctx, obj, i, values, finalize);
        break;
      }
  SmallVector<char, 64> out;
  for (auto [code, value] : values) {
    const CompatAttribute *attribute = getCompatAttribute(code);
    writeNvInfoRecord(
        {attribute ? attribute->format : uint8_t(EIFMT_BVAL), code, value, {}},
        out);
  }
  if (ctx.isMercury()) {
    uint8_t payload[8] = {};
    payload[0] = finalize.get(ctx);
    writeNvInfoRecord(
        {EIFMT_SVAL, COMPAT_CAN_FASTPATH_FINALIZE, sizeof(payload), payload},
        out);
  }
  ctx.compat->setContents(ctx.save(out));
}

} // namespace lld::cuda
