//===- Records.cpp - --check: .nv.info and .nv.info.F ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkRecords() compares the attribute records of an output (.nv.info, and
/// .nv.info.F of each function F) with those of the inputs. Records that name a
/// symbol, and those that a link makes or changes, must say what the link's
/// analysis (Resources.h) says of the function; all others must be the input's
/// bytes. Records are paired by their codes, because the order of different
/// codes means nothing. compare() in Check.cpp calls it after headers and
/// symbol tables, from sm_100 on once for the native records and once for those
/// of the Mercury form (docs/reference/mercury.md).
///
//===----------------------------------------------------------------------===//

#include "Analysis/Resources.h"
#include "Check/Image.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Merge/NativeCallees.h"
#include "Numbered.h"
#include "Parallel.h"
#include "Program.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/FinalCode/Collectives.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
/// A record: what it says is in an input, in the output, or in the checker's
/// memory.
struct CheckedRecord {
  uint8_t code, format;
  uint16_t number = 0; ///< Of a record without a payload.
  ArrayRef<uint8_t> payload = {};
};
bool operator==(const CheckedRecord &a, const CheckedRecord &b) {
  return a.code == b.code && a.format == b.format && a.number == b.number &&
         a.payload == b.payload;
}

/// The records of a section, in order.
class Records {
public:
  void add(const CheckedRecord &r) { list.push_back(r); }
  CheckedRecord *find(uint8_t code) {
    auto it =
        find_if(list, [&](const CheckedRecord &r) { return r.code == code; });
    return it == list.end() ? nullptr : &*it;
  }
  void remove(uint8_t code) {
    erase_if(list, [&](const CheckedRecord &r) { return r.code == code; });
  }
  /// Replaces all records of the code by `r`.
  void set(const CheckedRecord &r) {
    remove(r.code);
    add(r);
  }
  void sortByCode() {
    stable_sort(list, [](const CheckedRecord &a, const CheckedRecord &b) {
      return a.code < b.code;
    });
  }
  void clear() { list.clear(); }
  ArrayRef<CheckedRecord> all() const { return list; }

private:
  SmallVector<CheckedRecord, 32> list;
};

class RecordChecker {
public:
  RecordChecker(const CheckedImage &image, View view)
      : image(image), inputs(image.inputs()), view(view),
        isFinal(!inputs.isRelocatable()),
        resources(view == View::Native ? image.meaning.native
                                       : image.meaning.mercury) {
    findSharedFrames();
  }
  void checkGlobal(Findings &findings);
  void checkFunction(const Function &f, ArrayRef<const Function *> aliases,
                     Findings &findings);

private:
  void readRecords(const OutputSection &sec, Findings &findings);
  void compare(const OutputSection &sec, StringRef symbol, Findings &findings);
  MutableArrayRef<uint8_t> copyPayload(ArrayRef<uint8_t> bytes);
  CheckedRecord words(uint8_t code, ArrayRef<uint32_t> list);
  void forEachInOrder(const InfoRecords &records,
                      function_ref<void(const InfoRecord &)> visit) const;
  std::optional<CheckedRecord> withSymbol(const InfoRecord &r);
  void findSharedFrames();
  CheckedRecord copyOf(const NvInfoRecord &record, const Function *owner);
  CheckedRecord externsOf(const InfoRecord &r);
  bool addOfSymbols(const InfoRecord &r, const NvInfoAttribute *attribute);
  void addGlobalRecord(const InfoRecord &r);
  void addRecord(const InfoRecord &r, const Function &f,
                 const KernelResources *kernel);
  void setCreated(const KernelResources &kernel);
  void setCreated(const KernelResources &kernel, size_t i);
  void addBarriersOfFlags(const Function &f, const KernelResources *kernel);
  void addMasks(const Function &f, const KernelResources *kernel,
                ArrayRef<const Function *> aliases);
  void addExterns(const Function &f, const KernelResources *kernel);
  void addOfFinalizer(const Function &f, const KernelResources *kernel);

  const CheckedImage &image;
  const Inputs &inputs;
  const View view;
  const bool isFinal;
  const Resources &resources;
  /// Frame sizes of sections that hold several functions.
  DenseMap<const OutputSection *, uint32_t> sharedFrames;
  uint32_t perCtaMemory = 0; ///< The largest that an input asks for.
  BumpPtrAllocator memory;
  Records expected, found; ///< Of the section that is looked at.
};
} // namespace

MutableArrayRef<uint8_t> RecordChecker::copyPayload(ArrayRef<uint8_t> bytes) {
  uint8_t *copy = memory.Allocate<uint8_t>(bytes.size());
  llvm::copy(bytes, copy);
  return {copy, bytes.size()};
}

CheckedRecord RecordChecker::words(uint8_t code, ArrayRef<uint32_t> list) {
  uint8_t *bytes = memory.Allocate<uint8_t>(4 * list.size());
  for (size_t i = 0; i != list.size(); ++i)
    support::endian::write32le(bytes + 4 * i, list[i]);
  return {code, EIFMT_SVAL, 0, {bytes, 4 * list.size()}};
}

static CheckedRecord plainRecord(uint8_t code, uint8_t format, uint16_t n) {
  return {code, format, n};
}

static CheckedRecord readRecord(const NvInfoRecord &r) {
  if (r.hasPayload())
    return {r.code, r.format, 0, r.payload};
  return {r.code, r.format, r.value};
}

void RecordChecker::readRecords(const OutputSection &sec, Findings &findings) {
  Error e = forEachNvInfoRecord(image.contents(sec),
                                [&](size_t, const NvInfoRecord &record) {
                                  found.add(readRecord(record));
                                  return Error::success();
                                });
  if (e)
    findings.add({sec.name, {}, {}}, "records", "readable contents",
                 toString(std::move(e)));
}

static std::string showRecord(const CheckedRecord *r) {
  if (!r)
    return "none";
  if (r->format == EIFMT_SVAL)
    return toHex(r->payload, /*LowerCase=*/true);
  return ("0x" + Twine::utohexstr(r->number) + " (format " + Twine(r->format) +
          ")")
      .str();
}

/// Compares records as sets of codes, because the order of different codes
/// means nothing. If the order is the expected one, nothing is sorted.
void RecordChecker::compare(const OutputSection &sec, StringRef symbol,
                            Findings &findings) {
  if (expected.all() == found.all())
    return;
  expected.sortByCode();
  found.sortByCode();
  auto e = expected.all().begin(), f = found.all().begin();
  const auto eEnd = expected.all().end(), fEnd = found.all().end();
  while (e != eEnd || f != fEnd) {
    const bool hasBoth = e != eEnd && f != fEnd && e->code == f->code;
    const bool isMissing =
        !hasBoth && (f == fEnd || (e != eEnd && e->code < f->code));
    const CheckedRecord *want = hasBoth || isMissing ? &*e++ : nullptr;
    const CheckedRecord *have = hasBoth || !isMissing ? &*f++ : nullptr;
    if (want && have && *want == *have)
      continue;
    const uint8_t code = want ? want->code : have->code;
    const NvInfoAttribute *attribute = getNvInfoAttribute(code);
    findings.add({sec.name, symbol, {}},
                 attribute ? attribute->name.str()
                           : ("record 0x" + Twine::utohexstr(code)).str(),
                 showRecord(want), showRecord(have));
  }
}

void RecordChecker::forEachInOrder(
    const InfoRecords &list,
    function_ref<void(const InfoRecord &)> visit) const {
  list.forEach(inputs.rules.reversesReadingOrder(), visit);
}

/// Functions of one section have one frame size natively: the last that the
/// Mercury view tells [inner-functions-mercury].
void RecordChecker::findSharedFrames() {
  if (!inputs.isMercury() || view != View::Native)
    return;
  DenseSet<const OutputSection *> sections;
  for (const Symbol *s : image.program().locals)
    if (s->kind == Symbol::Kind::InnerFunction)
      sections.insert(s->section);
  if (sections.empty())
    return;
  forEachInOrder(image.program().globalInfoRecords[unsigned(View::Mercury)],
                 [&](const InfoRecord &r) {
                   uint64_t base;
                   if (r.record.code != EIATTR_FRAME_SIZE)
                     return;
                   const Symbol *s =
                       r.file->resolve(r.record.word(0), base, View::Mercury);
                   if (s && sections.contains(s->section))
                     sharedFrames[s->section] = r.record.word(1);
                 });
}

/// A record whose first word is a symbol; none if that isn't in the output.
std::optional<CheckedRecord> RecordChecker::withSymbol(const InfoRecord &r) {
  uint64_t base;
  const Symbol *s = r.file->resolve(r.record.word(0), base, view);
  const bool isBank = s && s->isSection() && view == View::Mercury &&
                      s->section->kind == SectionKind::ParameterBank;
  if (s && (!s->index || isBank))
    return std::nullopt;
  MutableArrayRef<uint8_t> payload = copyPayload(r.record.payload);
  support::endian::write32le(payload.data(), s ? s->index : 0);
  const KernelResources *kernel =
      isFinal && s && s->isFunction()
          ? resources.kernelOf(static_cast<const Function &>(*s))
          : nullptr;
  if (kernel && r.record.code == EIATTR_REGCOUNT)
    support::endian::write32le(payload.data() + 4, kernel->registers);
  if (s && r.record.code == EIATTR_FRAME_SIZE)
    if (auto it = sharedFrames.find(s->section); it != sharedFrames.end())
      support::endian::write32le(payload.data() + 4, it->second);
  CheckedRecord record = readRecord(r.record);
  record.payload = payload;
  return record;
}

/// Returns the input's record; offsets into code that the finalizer changes are
/// moved.
CheckedRecord RecordChecker::copyOf(const NvInfoRecord &record,
                                    const Function *owner) {
  CheckedRecord result = readRecord(record);
  if (!owner || view != View::Native || !record.hasPayload() ||
      !inputs.isMercury())
    return result;
  MutableArrayRef<uint8_t> payload = copyPayload(record.payload);
  result.payload = payload;
  if (owner->edit)
    moveInfoOffsets(*owner->edit, record.code, payload);
  if (record.code == EIATTR_COOP_GROUP_INSTR_OFFSETS && owner->text &&
      inputs.rules.movesIntoCollectives() && owner->text->parts.size() == 1)
    moveIntoCollectives(owner->text->parts.front().bytes, payload);
  constexpr unsigned WithoutWorkarounds = 107;
  if (record.code == EIATTR_SW_WAR && inputs.sm() == WithoutWorkarounds &&
      !payload.empty())
    payload.front() = 0;
  return result;
}

/// Returns the EXTERNS record of a device function: only symbols that stay
/// external.
CheckedRecord RecordChecker::externsOf(const InfoRecord &r) {
  SmallVector<uint32_t, 8> list;
  for (unsigned w = 0; w != r.record.wordCount(); ++w) {
    const Symbol *s = r.file->symbols[r.record.word(w)];
    if (s && !isNativeCallee(*s) &&
        (staysExternal(*s) || !inputs.rules.dropsResolvedExterns()))
      list.push_back(s->index);
  }
  return words(EIATTR_EXTERNS, list);
}

/// Adds a record that names symbols. False: this one names none.
bool RecordChecker::addOfSymbols(const InfoRecord &r,
                                 const NvInfoAttribute *attribute) {
  if (attribute && attribute->symbols == NvInfoSymbols::First) {
    if (std::optional<CheckedRecord> record = withSymbol(r))
      expected.add(*record);
    return true;
  }
  if (!attribute || attribute->symbols != NvInfoSymbols::All)
    return false;
  if (CheckedRecord record = externsOf(r); !record.payload.empty())
    expected.add(record);
  return true;
}

static bool isDropped(const NvInfoAttribute *attribute, bool isFinal) {
  return isFinal && attribute && attribute->policy == NvInfoPolicy::Drop;
}

void RecordChecker::addGlobalRecord(const InfoRecord &r) {
  const uint8_t code = r.record.code;
  const NvInfoAttribute *attribute = getNvInfoAttribute(code);
  if (code == 0 || isDropped(attribute, isFinal))
    return;
  if (addOfSymbols(r, attribute))
    return;
  if (isFinal && code == EIATTR_AT_ENTRY_FRAGMENTS)
    return;
  if (!isFinal || code != EIATTR_MIN_PER_CTA_MEMORY_SIZE ||
      !inputs.rules.joinsPerCtaMemory())
    return expected.add(copyOf(r.record, nullptr));
  if (r.record.hasPayload() && r.record.wordCount())
    perCtaMemory = std::max(perCtaMemory, r.record.word(0));
}

void RecordChecker::checkGlobal(Findings &findings) {
  const Program &program = image.program();
  if (!program.nvinfo || !program.nvinfo->written)
    return;
  const OutputSection &sec =
      view == View::Native ? *program.nvinfo : *program.nvinfo->mercury;
  forEachInOrder(program.globalInfoRecords[unsigned(view)],
                 [&](const InfoRecord &r) { addGlobalRecord(r); });
  if (perCtaMemory)
    expected.add(words(EIATTR_MIN_PER_CTA_MEMORY_SIZE, perCtaMemory));
  if (isFinal) {
    constexpr uint32_t V10 = 100;
    if (any_of(program.objects, [](const ObjectFile &obj) {
          return obj.compiledFor.toolkit < V10;
        }))
      expected.add(plainRecord(EIATTR_HAS_PRE_V10_OBJECT, EIFMT_NVAL, 0));
    std::vector<const Function *> kernels(resources.kernels.begin(),
                                          resources.kernels.end());
    llvm::sort(kernels, [](const Function *a, const Function *b) {
      return a->index < b->index;
    });
    for (const Function *k : kernels)
      expected.add(words(EIATTR_MIN_STACK_SIZE,
                         {k->index, resources.kernelOf(*k)->minStackSize}));
  }
  readRecords(sec, findings);
  compare(sec, {}, findings);
}

/// Codes that sm_100's finalizer says itself [attribute-finalizer-later].
static bool isSaidByFinalizer(uint8_t code) {
  return code == EIATTR_NVSAL_SW_WAR || code == EIATTR_PREEXIT_USED ||
         code == EIATTR_CODE_67;
}

void RecordChecker::addRecord(const InfoRecord &r, const Function &f,
                              const KernelResources *kernel) {
  const uint8_t code = r.record.code;
  const NvInfoAttribute *attribute = getNvInfoAttribute(code);
  if (code == 0 || isDropped(attribute, isFinal))
    return;
  if (inputs.isMercury() && view == View::Native && isSaidByFinalizer(code))
    return;
  // Kernels have what all that they reach needs: addExterns().
  if (attribute && attribute->symbols == NvInfoSymbols::All &&
      (kernel || namesNativeCalleesOnly(image.program(), r)))
    return;
  if (addOfSymbols(r, attribute))
    return;
  if (isFinal && code == EIATTR_AT_ENTRY_FRAGMENTS)
    return; // Of kernels: setCreated().
  if (kernel && code == EIATTR_LANGUAGE && inputs.rules.unitesLanguages())
    return;
  if (isFinal && code == EIATTR_MIN_PER_CTA_MEMORY_SIZE &&
      inputs.rules.joinsPerCtaMemory())
    return;
  expected.add(copyOf(r.record, &f));
}

/// The record that a link makes of a value; a record that is there keeps its
/// own format.
static CheckedRecord makeRecord(uint8_t code, uint32_t value) {
  switch (code) {
  case EIATTR_SPARSE_MMA_MASK:
  case EIATTR_NUM_MBARRIERS:
  case EIATTR_GRID_ATTRIBUTES:
    return plainRecord(code, EIFMT_HVAL, value);
  case EIATTR_VRC_CTA_INIT_COUNT:
  case EIATTR_NUM_BARRIERS:
    return plainRecord(code, EIFMT_BVAL, value);
  default:
    return plainRecord(code, EIFMT_NVAL, 0);
  }
}

/// The first record of a code gets the value.
void RecordChecker::setCreated(const KernelResources &kernel, size_t i) {
  const uint8_t code = CreatedAttributes[i];
  const uint32_t value = *kernel.values[i];
  const bool isPath = code == EIATTR_CRS_STACK_SIZE;
  if (CheckedRecord *first = expected.find(code)) {
    const bool isFlag = getNvInfoAttribute(code)->policy == NvInfoPolicy::Flag;
    if (isPath)
      *first = words(code, value);
    else if (!isFlag && first->format != EIFMT_SVAL)
      first->number = value;
    return;
  }
  const bool isInFlags =
      code == EIATTR_NUM_BARRIERS && inputs.countsBarriersInFlags();
  if (is_contained(kernel.createdOrder, i) && !isInFlags)
    expected.add(isPath ? words(code, value) : makeRecord(code, value));
}

/// Sets the records that a kernel inherits from all functions that it reaches.
void RecordChecker::setCreated(const KernelResources &kernel) {
  for (size_t i = 0; i != CreatedCount; ++i)
    if (kernel.values[i])
      setCreated(kernel, i);
  if (!kernel.fragments.empty())
    expected.set(words(EIATTR_AT_ENTRY_FRAGMENTS, kernel.fragments));
  if (!kernel.languages.empty() && inputs.rules.unitesLanguages())
    expected.set(words(EIATTR_LANGUAGE, kernel.languages));
}

/// The flags of older compilers' code count its barriers; in the output a
/// record does [barrier-count-in-flags].
void RecordChecker::addBarriersOfFlags(const Function &f,
                                       const KernelResources *kernel) {
  const FunctionResources &own = resources.of(f);
  if (!own.flagBarriers || own.barriers || inputs.countsBarriersInFlags())
    return;
  if (!kernel)
    expected.add(
        plainRecord(EIATTR_NUM_BARRIERS, EIFMT_BVAL, own.flagBarriers));
  else if (resources.singleKernel && !expected.find(EIATTR_NUM_BARRIERS))
    expected.add(
        plainRecord(EIATTR_NUM_BARRIERS, EIFMT_BVAL,
                    *kernel->values[createdIndex(EIATTR_NUM_BARRIERS)]));
}

/// Functions that say nothing about sparse matrices, where others do
/// [sparse-mask].
void RecordChecker::addMasks(const Function &f, const KernelResources *kernel,
                             ArrayRef<const Function *> aliases) {
  constexpr uint16_t NoMask = 0x8000;
  const CheckedRecord none =
      plainRecord(EIATTR_SPARSE_MMA_MASK, EIFMT_HVAL, NoMask);
  auto lacksMask = [&](const Function &g) {
    return resources.sees(EIATTR_SPARSE_MMA_MASK) &&
           !resources.of(g).sparseMask && !resources.kernelOf(g);
  };
  if (!kernel && lacksMask(f))
    expected.add(none);
  for (const Function *alias : aliases)
    if (lacksMask(*alias))
      expected.add(none);
}

/// Adds the EXTERNS record of a function or, with all that it reaches, a
/// kernel; native callees come last [native-callees].
void RecordChecker::addExterns(const Function &f,
                               const KernelResources *kernel) {
  SmallVector<uint32_t, 8> list;
  if (kernel)
    for (const Symbol *s : kernel->externs)
      list.push_back(s->index);
  const size_t own = list.size();
  if (view == View::Native)
    for (const Symbol *s : kernel ? ArrayRef(kernel->nativeCallees)
                                  : image.program().nativeCallees->of(f))
      list.push_back(s->index);
  if (list.empty())
    return;
  const CheckedRecord added = words(EIATTR_EXTERNS, list);
  CheckedRecord *known = expected.find(EIATTR_EXTERNS);
  if (kernel || !known || own)
    return expected.add(added);
  SmallVector<uint8_t, 32> both(known->payload);
  llvm::append_range(both, added.payload);
  known->payload = copyPayload(both);
}

void RecordChecker::addOfFinalizer(const Function &f,
                                   const KernelResources *kernel) {
  if (!inputs.isMercury() || view != View::Native)
    return;
  if (inputs.rules.appendsWorkaround())
    expected.set(plainRecord(EIATTR_NVSAL_SW_WAR, EIFMT_HVAL, 1));
  if (inputs.rules.appendsPreexit() && isFinal)
    expected.set(plainRecord(EIATTR_PREEXIT_USED, EIFMT_BVAL,
                             kernel ? kernel->usesPreexit
                                    : resources.of(f).usesPreexit));
  // -r: whether code launches dependents is the finalizer's to see.
  if (inputs.rules.appendsPreexit() && !isFinal)
    if (const CheckedRecord *said = found.find(EIATTR_PREEXIT_USED))
      expected.set(*said);
  if (f.reachesTextures) {
    expected.add(plainRecord(EIATTR_BINDLESS_TEXTURE_BANK, EIFMT_BVAL, 0));
    expected.add(plainRecord(EIATTR_BINDLESS_SURFACE_BANK, EIFMT_BVAL, 0));
  }
  constexpr unsigned WithCode67 = 107;
  if (isFinal && inputs.sm() == WithCode67)
    expected.set(plainRecord(EIATTR_CODE_67, EIFMT_BVAL, 0));
}

void RecordChecker::checkFunction(const Function &f,
                                  ArrayRef<const Function *> aliases,
                                  Findings &findings) {
  expected.clear();
  found.clear();
  memory.Reset();
  const OutputSection &sec = view == View::Native ? *f.info : *f.info->mercury;
  readRecords(sec, findings);
  const KernelResources *kernel = isFinal ? resources.kernelOf(f) : nullptr;
  forEachInOrder(f.infoRecords[unsigned(view)],
                 [&](const InfoRecord &r) { addRecord(r, f, kernel); });
  if (isFinal) {
    addBarriersOfFlags(f, kernel);
    addMasks(f, kernel, aliases);
    if (kernel)
      setCreated(*kernel);
  }
  addExterns(f, kernel);
  addOfFinalizer(f, kernel);
  compare(sec, f.name, findings);
}

/// CUDA 12: the flags of a kernel's code count the barriers of all that it
/// reaches, those of a function its own [cuda12-barriers].
static void checkBarrierFlags(const CheckedImage &image, const Function &f,
                              Findings &findings) {
  if (!f.text || !f.text->written || f.aliasOf ||
      !image.inputs().countsBarriersInFlags() || image.inputs().isRelocatable())
    return;
  const KernelResources *kernel = image.meaning.native.kernelOf(f);
  if (!kernel)
    return;
  const uint64_t found = image.header(*f.text).sh_flags & SHF_CUDA_BARRIER_MASK;
  findings.number({f.text->name, f.name, {}}, "barriers in sh_flags",
                  kernel->values[createdIndex(EIATTR_NUM_BARRIERS)].value_or(0),
                  found >> SHF_CUDA_BARRIER_SHIFT);
}

void checkRecords(const CheckedImage &image, Findings &findings) {
  const Program &program = image.program();
  SmallVector<View, 2> views = {View::Native};
  if (image.inputs().isMercury())
    views.push_back(View::Mercury);
  MapVector<const Function *, SmallVector<const Function *, 1>> aliases;
  for (const Function &f : program.functions)
    if (f.aliasOf && f.reachable)
      aliases[f.aliasOf].push_back(&f);
  std::vector<const Function *> functions;
  for (const Function &f : program.functions) {
    checkBarrierFlags(image, f, findings);
    if (f.info && f.info->written)
      functions.push_back(&f);
  }
  for (View view : views) {
    RecordChecker(image, view).checkGlobal(findings);
    std::vector<Findings> own(functions.size());
    auto checkSome = [&](size_t begin, size_t end) {
      RecordChecker checker(image, view);
      for (size_t i = begin; i != end; ++i) {
        ArrayRef<const Function *> others;
        if (auto it = aliases.find(functions[i]); it != aliases.end())
          others = it->second;
        checker.checkFunction(*functions[i], others, own[i]);
      }
    };
    parallelForPieces(image.inputs(), functions.size(), checkSome);
    for (Findings &f : own)
      findings.append(std::move(f));
  }
}

} // namespace lld::cuda
