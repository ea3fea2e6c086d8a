//===- CompatOutput.cpp - Merging .nv.compat ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// mergeCompat() combines the compatibility attributes (.nv.compat) of all
/// inputs into the output's, for sm_90 and later. writeTables() in Link.cpp
/// calls it after the other attributes. Each code has a policy for the case
/// that inputs differ, such as the maximum, or 0 if one has 0
/// (lld-cuda/Object/Compat.h), and its first appearance decides its place in
/// the output [compat-order]. From sm_100 on, codes by which nvlink's finalizer
/// describes its own work are added [compat-finalizer].
///
//===----------------------------------------------------------------------===//

#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Passes.h"
#include "Program.h"
#include "lld-cuda/Object/Compat.h"
#include "lld-cuda/Sass/Code.h"
#include <bitset>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
/// Codes and values, in the output's order.
using Values = SmallVector<std::pair<uint8_t, uint64_t>, 8>;
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
/// for SuitsSM103 only the functions of the image count [compat-fastpath].
class FinalizeFlags {
public:
  void read(ArrayRef<uint8_t> section) {
    // CompatMerger has reported what is wrong with the records.
    consumeError(
        forEachNvInfoRecord(section, [&](size_t, const NvInfoRecord &r) {
          if (r.code == COMPAT_CAN_FASTPATH_FINALIZE && r.wordCount() >= 1)
            merge(r.word(0));
          return Error::success();
        }));
  }
  /// Counts an object of CUDA 12, which has no such record [mercury12-input].
  void readOldest(unsigned sm) { merge(sm == 120 ? 0x50 : 1); }
  void merge(uint32_t flags) {
    if (!flags)
      return;
    value = any ? value & flags : flags;
    any = true;
  }
  uint8_t get(const Inputs &inputs, const Program &program) const {
    auto isInImage = [](const Function &f) {
      return f.text && f.text->reachable;
    };
    if (none_of(program.functions, isInImage))
      return 0;
    if (inputs.sm() == 120)
      return value;
    if (inputs.sm() != 100)
      return 0;
    if (!any || value & SuitsSM103)
      return value;
    const bool suits = none_of(program.functions, [&](const Function &f) {
      return isInImage(f) && !f.text->parts.empty() && hasUnfitInstruction(f);
    });
    return suits ? value | SuitsSM103 : value;
  }

private:
  uint32_t value = 0;
  bool any = false;
};
} // namespace

namespace {
/// The output's records while inputs are merged.
class CompatMerger {
public:
  explicit CompatMerger(const Inputs &inputs) : inputs(inputs) {}
  void add(const ObjectFile &obj, unsigned section);
  /// The records, which the link's end may add to.
  Values take();

private:
  void merge(const CompatAttribute &attribute, uint64_t value, bool isOwn);
  bool isMerged(const CompatAttribute &attribute) const {
    return attribute.policy != CompatPolicy::Ignore &&
           inputs.rules.isSince(attribute.since);
  }

  const Inputs &inputs;
  Values values; ///< By first appearance.
  Values late;   ///< Of codes at the end.
  std::bitset<256> missing;
  bool isFirst = true;
  /// The last object's records, unless they are wrong or gave a warning. The
  /// same ones once more change nothing, whatever the policies are.
  ArrayRef<uint8_t> last;
};
} // namespace

/// Code that needs the newest finalizer: one instruction has a record of its
/// own kind, and the function says so by its version.
static bool anyNeedsNewestMercury(const Program &program) {
  constexpr uint16_t Newest = 0x105;
  return any_of(program.functions, [](const Function &f) {
    return f.reachable &&
           any_of(f.infoRecords[unsigned(View::Native)],
                  [](const InfoRecord &r) {
                    return r.record.code == EIATTR_MERCURY_ISA_VERSION &&
                           r.record.value >= Newest;
                  });
  });
}

static std::pair<uint8_t, uint64_t> *findCode(Values &values, uint8_t code) {
  return llvm::find_if(values, [&](auto &v) { return v.first == code; });
}

/// Code for an "a" architecture suits no other one, unless the merged code 5 is
/// 5.
static uint8_t withoutOthers(uint8_t flags, Architecture target,
                             Values &values) {
  constexpr uint8_t SuitsOthers = SuitsSM103 | 0x40, AnyOfFamily = 5;
  const auto *code = findCode(values, COMPAT_CODE_5);
  const bool suits = target.suffix != Architecture::Accelerated ||
                     (code != values.end() && code->second == AnyOfFamily);
  return suits ? flags : flags & ~SuitsOthers;
}

/// `isOwn`: the input has the code, it isn't a default.
void CompatMerger::merge(const CompatAttribute &attribute, uint64_t value,
                         bool isOwn) {
  Values *into = &values;
  auto *known = findCode(values, attribute.code);
  if (known == values.end() && attribute.place == CompatPlace::End &&
      !(isFirst && isOwn)) {
    into = &late;
    known = findCode(late, attribute.code);
  }
  if (known == into->end())
    into->push_back({attribute.code, value});
  else
    known->second = combineCompat(attribute.policy, known->second, value);
}

void CompatMerger::add(const ObjectFile &obj, unsigned section) {
  const ArrayRef<uint8_t> contents = obj.file.contents(section);
  if (!contents.empty() && contents == last)
    return;
  last = {};
  bool warns = false;
  std::bitset<256> seen;
  Error e = forEachNvInfoRecord(contents, [&](size_t, const NvInfoRecord &r) {
    const CompatAttribute *attribute = getCompatAttribute(r.code);
    if (!attribute || !isMerged(*attribute))
      return Error::success();
    seen.set(r.code);
    merge(*attribute, getCompatValue(*attribute, r), /*isOwn=*/true);
    return Error::success();
  });
  if (e) {
    inputs.diag.report(DiagId::DamagedInput,
                       {diag::file(obj.label), ": section ", section, " (",
                        diag::section(".nv.compat"),
                        "): ", toString(std::move(e))});
    return;
  }
  for (const CompatAttribute &attribute : compatAttributes()) {
    if (seen.test(attribute.code) || !isMerged(attribute))
      continue;
    missing.set(attribute.code);
    if (!attribute.defaultValue)
      continue;
    merge(attribute, *attribute.defaultValue, /*isOwn=*/false);
    if (attribute.code != COMPAT_ISA_CLASS)
      continue;
    warns = true;
    inputs.diag.report(
        DiagId::LimitedArch,
        {"Output is limited to run on SM Arch '", inputs.sm(),
         "' only, due to missing attribute 'ISA_CLASS' in input file ",
         diag::file(obj.label)});
  }
  isFirst = false;
  if (!warns)
    last = contents;
}

Values CompatMerger::take() {
  for (const CompatAttribute &attribute : compatAttributes()) {
    auto *value = findCode(late, attribute.code);
    if (value != late.end())
      values.push_back(*value);
  }
  erase_if(values, [&](auto &v) {
    const CompatAttribute &attribute = *getCompatAttribute(v.first);
    if (attribute.place == CompatPlace::EveryInput && missing.test(v.first))
      return true;
    return attribute.unwritten && inputs.rules.isSince(attribute.unwritten) &&
           v.second == *attribute.defaultValue;
  });
  return std::move(values);
}

static void setCode(Values &values, uint8_t code, uint64_t value) {
  auto *known = findCode(values, code);
  if (known == values.end())
    values.push_back({code, value});
  else
    known->second = value;
}

/// Adds the codes by which the finalizer describes its own work
/// [compat-finalizer].
static void addFinalizerCodes(const Inputs &inputs, const Program &program,
                              Values &values, const FinalizeFlags &finalize) {
  // Since 13.3 by target, whatever the inputs say about it.
  uint8_t flags = inputs.rules.fastpathFlagsOfTarget()
                      ? getArchitectureLimits(inputs.sm())->fastpath
                      : finalize.get(inputs, program);
  if (inputs.rules.keepsAcceleratedApart())
    flags = withoutOthers(flags, inputs.config.arch, values);
  setCode(values, COMPAT_CAN_FASTPATH_FINALIZE, flags);
  const uint16_t version = inputs.rules.release().finalizer;
  if (!version)
    return;
  // 1.0.0, of code that no older finalizer can read.
  constexpr uint64_t Needed = 0x400;
  erase_if(values, [](auto &v) {
    return v.first == COMPAT_FINALIZER_VERSION || v.first == COMPAT_CODE_15;
  });
  values.push_back({COMPAT_FINALIZER_VERSION, version});
  if (inputs.rules.namesNeededFinalizer() && anyNeedsNewestMercury(program))
    values.push_back({COMPAT_CODE_15, Needed});
}

static void writeCompatRecord(uint8_t code, uint64_t value,
                              SmallVectorImpl<char> &out) {
  const uint8_t format = getCompatAttribute(code)->format;
  uint8_t payload[sizeof(value)];
  support::endian::write64le(payload, value);
  if (format == EIFMT_SVAL)
    writeNvInfoRecord({format, code, sizeof(payload), payload}, out);
  else
    writeNvInfoRecord({format, code, uint16_t(value), {}}, out);
}

void mergeCompat(const Inputs &inputs, const Program &program) {
  if (!program.compat)
    return;
  CompatMerger merger(inputs);
  FinalizeFlags finalize;
  for (const ObjectFile &obj : program.objects)
    for (unsigned i = 1; i < obj.file.sections().size(); ++i)
      if (obj.file.sections()[i].sh_type == SHT_CUDA_COMPAT_INFO) {
        merger.add(obj, i);
        if (inputs.isMercury() && obj.hasOldestMercury())
          finalize.readOldest(inputs.sm());
        else if (inputs.isMercury())
          finalize.read(obj.file.contents(i));
        break;
      }
  Values values = merger.take();
  // Images of CUDA 12 have what the inputs have [mercury12-file].
  const bool tellsTarget = !inputs.rules.writesOldFiles();
  if (inputs.isMercury() && tellsTarget)
    addFinalizerCodes(inputs, program, values, finalize);
  SmallVector<char, 64> out;
  if (tellsTarget)
    writeCompatRecord(COMPAT_CUDA_ACCELERATOR_TARGET,
                      inputs.config.arch.suffix == Architecture::Accelerated,
                      out);
  for (auto [code, value] : values)
    writeCompatRecord(code, value, out);
  program.compat->setContents(inputs.memory.save(out));
}

} // namespace lld::cuda
