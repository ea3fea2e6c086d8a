//===- NvInfoOutput.cpp - Contents of .nv.info and .nv.info.<function> ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// writeNvInfo() writes the attribute records of the output: .nv.info, and
/// .nv.info.F of each function F. writeTables() in Link.cpp calls it once for
/// the native code and, from sm_100 on, once for its Mercury form
/// (docs/reference/mercury.md), when symbols have their numbers and it is known
/// what kernels inherit (Analysis/Resources.h).
///
/// The records are the inputs', in reverse reading order. A final link changes
/// the values of a kernel's records in place, and appends records for inherited
/// attributes that the kernel has no record of (rules [attribute-order] and
/// [attribute-created-order] of docs/reference). If a kernel uses one barrier
/// and its callee two, the kernel's record says two.
///
//===----------------------------------------------------------------------===//

#include "Analysis/Resources.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Merge/NativeCallees.h"
#include "Output/RecordWays.h"
#include "Parallel.h"
#include "Program.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/FinalCode/Collectives.h"
#include "llvm/Support/Compiler.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

class InfoWriter {
public:
  InfoWriter(const Inputs &inputs, const Program &program, Resources &res)
      : inputs(inputs), program(program), res(res),
        isFinal(!inputs.isRelocatable()),
        reverses(inputs.rules.reversesReadingOrder()),
        ways(isFinal ? FinalRecordWays : RelocatableRecordWays) {}
  void writeGlobal();
  void writeFunction(const Function &f, ArrayRef<const Function *> aliases);
  /// Gives the functions that were written their sections' contents.
  void finishFunctions();

private:
  /// A link turns the order around; output that is linked again keeps it.
  template <typename Visit>
  void forEachInOrder(const InfoRecords &records, Visit visit) const {
    records.forEach(reverses, visit);
  }
  /// Calls visit(run) for the runs of the records, in that order.
  template <typename Visit>
  void forEachRun(const InfoRecords &records, Visit visit) const {
    const ArrayRef<InfoRecords::Run> runs = records.runs();
    for (size_t i = 0; i != runs.size(); ++i)
      visit(runs[reverses ? runs.size() - 1 - i : i]);
  }
  /// Returns the places of a run's records in that order. They are valid until
  /// the next call.
  ArrayRef<const uint8_t *> listInOrder(ArrayRef<uint8_t> records);
  void writeOwnRecords(const Function &f, KernelResources *kernel);
  void writeRecord(const InfoRecord &r, const Function *owner,
                   KernelResources *kernel);
  void writeOtherRecord(const InfoRecord &r, const Function *owner,
                        KernelResources *kernel);
  bool isInView(const Symbol &s) const;
  void findSharedFrameSizes();
  void writeSymbolRecord(const NvInfoRecord &record, const ObjectFile &file);
  bool dropsWorkarounds(const NvInfoRecord &record) const;
  void writeCopy(const NvInfoRecord &record, const Function *owner);
  void writeExterns(const InfoRecord &r, KernelResources *kernel);
  void writeExternList(ArrayRef<Symbol *> symbols);
  void writeCreated(KernelResources &kernel);
  void writeFinalizerRecords(bool usesPreexit);
  void writeWords(uint8_t code, ArrayRef<uint32_t> words);
  void writeList(uint8_t code, ArrayRef<uint32_t> words) {
    if (!words.empty())
      writeWords(code, words);
  }
  void writeValue(uint8_t format, uint8_t code, uint16_t value) {
    writeNvInfoRecord({format, code, value, {}}, out);
  }
  /// Whether the finalizer of sm_100 and later makes the record anew, in the
  /// native view [attribute-finalizer-order].
  bool isMadeByFinalizer(uint8_t code) const {
    return inputs.isMercury() && res.view == View::Native &&
           (code == EIATTR_CBANK_PARAM_SIZE || code == EIATTR_PARAM_CBANK ||
            code == EIATTR_SW_WAR || code == EIATTR_INSTR_OFFSETS ||
            (code == EIATTR_ANNOTATIONS && isAnnotatedLate) ||
            isWrittenAnew(code));
  }
  static bool isWrittenAnew(uint8_t code) {
    return code == EIATTR_NVSAL_SW_WAR || code == EIATTR_PREEXIT_USED ||
           code == EIATTR_CODE_67;
  }
  OutputSection &contentsOf(OutputSection &native) {
    return res.view == View::Native ? native : *native.mercury;
  }
  /// Symbols' indices in the output; symbols that aren't in it give 0.
  static SmallVector<uint32_t, 8> indices(ArrayRef<Symbol *> symbols);

  const Inputs &inputs;
  const Program &program;
  Resources &res;
  bool isFinal;
  const bool reverses; ///< Records are in the reverse of the reading order.
  const RecordWays &ways;
  /// Native FRAME_SIZE of all functions of a section, if it has several.
  DenseMap<const OutputSection *, uint32_t> sharedFrameSizes;
  SmallVector<char, 512> out;
  /// The sections of the functions in `out`, with the ends of their contents.
  std::vector<std::pair<OutputSection *, size_t>> written;
  SmallVector<const uint8_t *, 32> places; ///< Of records, as read.
  /// Native callees of the current function, until a record has them.
  ArrayRef<Symbol *> nativeCallees;
  /// The function's annotations are in the native view only: the finalizer's.
  bool isAnnotatedLate = false;
  uint32_t perCtaMemory = 0;
  uint32_t used = 0; ///< Created attributes that changed a record in place.
};

} // namespace

SmallVector<uint32_t, 8> InfoWriter::indices(ArrayRef<Symbol *> symbols) {
  SmallVector<uint32_t, 8> result;
  for (Symbol *s : symbols)
    result.push_back(s->index);
  return result;
}

void InfoWriter::writeWords(uint8_t code, ArrayRef<uint32_t> words) {
  // A record's size has 16 bits.
  if (words.size() * 4 > UINT16_MAX) {
    inputs.diag.report(DiagId::FormatLimit,
                       {"The record ", getNvInfoAttribute(code)->name,
                        " of a function has too many entries: ", words.size()});
    return;
  }
  char *payload = addNvInfoPayload(code, words.size() * 4, out);
  for (size_t i = 0; i != words.size(); ++i)
    support::endian::write32le(payload + 4 * i, words[i]);
}

/// The Mercury view has no symbols of parameter banks.
bool InfoWriter::isInView(const Symbol &s) const {
  return res.view == View::Native || !s.isSection() ||
         s.section->kind != SectionKind::ParameterBank;
}

/// The first word is a symbol. Records of symbols that aren't in the output are
/// left out.
LLVM_ATTRIBUTE_ALWAYS_INLINE void
InfoWriter::writeSymbolRecord(const NvInfoRecord &record,
                              const ObjectFile &file) {
  uint64_t base;
  Symbol *s = file.resolve(record.word(0), base, res.view);
  if (s && (!s->index || !isInView(*s)))
    return;
  constexpr size_t Word = sizeof(uint32_t);
  const size_t size = record.payload.size();
  char *payload = addNvInfoPayload(record.code, size, out);
  support::endian::write32le(payload, s ? s->index : 0);
  if (size == 2 * Word) // Most have two words.
    support::endian::write32le(payload + Word, record.word(1));
  else
    std::memcpy(payload + Word, record.payload.data() + Word, size - Word);
  if (isFinal && record.code == EIATTR_REGCOUNT && s && s->isFunction())
    if (KernelResources *kernel = res.kernelOf(*static_cast<Function *>(s)))
      support::endian::write32le(payload + Word, kernel->registers);
  if (record.code == EIATTR_FRAME_SIZE && s && !sharedFrameSizes.empty())
    if (auto it = sharedFrameSizes.find(s->section);
        it != sharedFrameSizes.end())
      support::endian::write32le(payload + Word, it->second);
}

/// The finalizer gives a section, not a function, a frame size: what the
/// Mercury view says last of one of its functions (whole-program; records in
/// 6 random orders, with and without -r) [inner-functions-mercury].
void InfoWriter::findSharedFrameSizes() {
  auto isInner = [](const Symbol *s) {
    return s->kind == Symbol::Kind::InnerFunction;
  };
  if (!inputs.isMercury() || res.view != View::Native ||
      none_of(program.locals, isInner))
    return;
  DenseSet<const OutputSection *> isShared;
  for (const Symbol *s : program.locals)
    if (isInner(s))
      isShared.insert(s->section);
  forEachInOrder(program.globalInfoRecords[unsigned(View::Mercury)],
                 [&](const InfoRecord &r) {
                   if (r.record.code != EIATTR_FRAME_SIZE)
                     return;
                   uint64_t base;
                   Symbol *s =
                       r.file->resolve(r.record.word(0), base, View::Mercury);
                   if (s && isShared.contains(s->section))
                     sharedFrameSizes[s->section] = r.record.word(1);
                 });
}

void InfoWriter::writeExterns(const InfoRecord &r, KernelResources *kernel) {
  if (namesNativeCalleesOnly(program, r))
    return;
  SmallVector<Symbol *, 8> symbols;
  if (kernel) {
    uint32_t bit = 1u << createdIndex(EIATTR_EXTERNS);
    if (kernel->newExterns || used & bit)
      return;
    used |= bit;
    symbols.append(kernel->externs.begin(), kernel->externs.end());
  } else {
    for (unsigned w = 0; w != r.record.wordCount(); ++w)
      if (Symbol *s = r.file->symbols[r.record.word(w)];
          s && !isNativeCallee(*s) &&
          (staysExternal(*s) || !inputs.rules.dropsResolvedExterns()))
        symbols.push_back(s);
  }
  writeExternList(symbols);
}

/// Native callees follow, in the only record or the finalizer's own
/// [native-callees].
void InfoWriter::writeExternList(ArrayRef<Symbol *> symbols) {
  if (symbols.empty())
    return;
  SmallVector<uint32_t, 8> list = indices(symbols);
  list.append(indices(nativeCallees));
  nativeCallees = {};
  writeWords(EIATTR_EXTERNS, list);
}

inline void InfoWriter::writeRecord(const InfoRecord &r, const Function *owner,
                                    KernelResources *kernel) {
  switch (ways[r.record.code]) {
  case RecordWay::Drop:
    return;
  case RecordWay::Symbol:
    return writeSymbolRecord(r.record, *r.file);
  case RecordWay::Copy:
  case RecordWay::Other:
    return writeOtherRecord(r, owner, kernel);
  }
}

void InfoWriter::writeOtherRecord(const InfoRecord &r, const Function *owner,
                                  KernelResources *kernel) {
  const NvInfoRecord &record = r.record;
  const NvInfoAttribute *attribute = getNvInfoAttribute(record.code);
  if (attribute && attribute->symbols == NvInfoSymbols::All)
    return writeExterns(r, kernel);
  int created = createdIndex(record.code);
  if (record.code == EIATTR_AT_ENTRY_FRAGMENTS && isFinal) {
    if (!kernel || kernel->newFragments || used >> created & 1)
      return;
    used |= 1u << created;
    return writeWords(record.code, kernel->fragments);
  }
  if (record.code == EIATTR_LANGUAGE && kernel &&
      inputs.rules.unitesLanguages()) {
    if (kernel->newLanguages || used >> created & 1)
      return;
    used |= 1u << created;
    return writeWords(record.code, kernel->languages);
  }
  if (isFinal && record.code == EIATTR_MIN_PER_CTA_MEMORY_SIZE &&
      inputs.rules.joinsPerCtaMemory()) {
    if (record.hasPayload() && record.wordCount())
      perCtaMemory = std::max(perCtaMemory, record.word(0));
    return;
  }
  if (!owner || !kernel || created < 0 || !kernel->values[created] ||
      used >> created & 1)
    return writeCopy(record, owner);
  // The value is changed in place, in the record's own format.
  used |= 1u << created;
  const uint32_t value = *kernel->values[created];
  if (record.code == EIATTR_CRS_STACK_SIZE)
    writeWords(record.code, value);
  else if (attribute->policy == NvInfoPolicy::Flag || record.hasPayload())
    writeNvInfoRecord(record, out);
  else
    writeValue(record.format, record.code, value);
}

/// Whether the finalizer makes a record of sm_107 anew: no workaround of
/// sm_100 and sm_103 is needed there [attribute-workarounds-sm107].
bool InfoWriter::dropsWorkarounds(const NvInfoRecord &record) const {
  constexpr unsigned WithoutWorkarounds = 107;
  return record.code == EIATTR_SW_WAR && inputs.sm() == WithoutWorkarounds;
}

/// Offsets of instructions follow the finalizer's changes.
void InfoWriter::writeCopy(const NvInfoRecord &record, const Function *owner) {
  const bool isPlace = record.code == EIATTR_COOP_GROUP_INSTR_OFFSETS &&
                       owner && owner->text && inputs.isMercury() &&
                       inputs.rules.movesIntoCollectives();
  if (!owner || res.view != View::Native || !record.hasPayload() ||
      (!owner->edit && !isPlace && !dropsWorkarounds(record))) {
    writeNvInfoRecord(record, out);
    return;
  }
  SmallVector<uint8_t, 64> payload(record.payload.begin(),
                                   record.payload.end());
  if (owner->edit)
    moveInfoOffsets(*owner->edit, record.code, payload);
  if (isPlace && owner->text->parts.size() == 1)
    moveIntoCollectives(owner->text->parts.front().bytes, payload);
  if (dropsWorkarounds(record) && !payload.empty())
    payload.front() = 0;
  NvInfoRecord moved = record;
  moved.payload = payload;
  writeNvInfoRecord(moved, out);
}

void InfoWriter::writeCreated(KernelResources &kernel) {
  for (uint8_t i : kernel.createdOrder) {
    const uint8_t code = CreatedAttributes[i];
    if (used >> i & 1)
      continue;
    if (code == EIATTR_NUM_BARRIERS && inputs.countsBarriersInFlags())
      continue;
    if (code == EIATTR_EXTERNS || code == EIATTR_AT_ENTRY_FRAGMENTS ||
        code == EIATTR_LANGUAGE) {
      if (code == EIATTR_EXTERNS)
        writeExternList(kernel.externs);
      else
        writeList(code, code == EIATTR_LANGUAGE ? kernel.languages
                                                : kernel.fragments);
      continue;
    }
    if (!kernel.values[i])
      continue;
    const uint32_t value = *kernel.values[i];
    switch (code) {
    case EIATTR_CRS_STACK_SIZE:
      writeWords(code, value);
      break;
    case EIATTR_SPARSE_MMA_MASK:
    case EIATTR_NUM_MBARRIERS:
    case EIATTR_GRID_ATTRIBUTES:
      writeValue(EIFMT_HVAL, code, value);
      break;
    case EIATTR_VRC_CTA_INIT_COUNT:
    case EIATTR_NUM_BARRIERS:
      writeValue(EIFMT_BVAL, code, value);
      break;
    default:
      writeValue(EIFMT_NVAL, code, 0);
    }
  }
}

void InfoWriter::writeGlobal() {
  if (!program.nvinfo->written)
    return;
  out.clear();
  findSharedFrameSizes();
  forEachRun(program.globalInfoRecords[unsigned(res.view)],
             [&](const auto &run) {
               for (const uint8_t *at : listInOrder(run.bytes)) {
                 const NvInfoRecord record = readNvInfoRecord(at);
                 if (ways[record.code] == RecordWay::Symbol)
                   writeSymbolRecord(record, *run.file); // Nearly all of them.
                 else
                   writeRecord({record, run.file, 0}, nullptr, nullptr);
               }
             });
  if (isFinal) {
    // An object of an unknown toolkit (0) counts as older, too.
    constexpr uint32_t V10 = 100;
    if (any_of(program.objects, [](const ObjectFile &obj) {
          return obj.compiledFor.toolkit < V10;
        }))
      writeValue(EIFMT_NVAL, EIATTR_HAS_PRE_V10_OBJECT, 0);
    if (perCtaMemory)
      writeWords(EIATTR_MIN_PER_CTA_MEMORY_SIZE, perCtaMemory);
    std::vector<Function *> kernels = res.kernels;
    auto isBefore = [](Function *a, Function *b) {
      return a->index < b->index;
    };
    if (!llvm::is_sorted(kernels, isBefore))
      llvm::sort(kernels, isBefore);
    for (Function *e : kernels)
      writeWords(EIATTR_MIN_STACK_SIZE,
                 {e->index, res.kernelOf(*e)->minStackSize});
  }
  contentsOf(*program.nvinfo).setContents(inputs.memory.save(out));
}

/// Whether a function launches dependent grids: what its record says, or its
/// code, if its compiler is too old for that record
/// [attribute-finalizer-later].
static bool hasPreexit(const Function &f) {
  constexpr unsigned Opcode = 0x82d, OpcodeMask = 0xfff, InstructionSize = 16;
  for (const InfoRecord &r : f.infoRecords[unsigned(View::Native)])
    if (r.record.code == EIATTR_PREEXIT_USED)
      return r.record.value;
  if (!f.text)
    return false;
  for (const SectionPart &part : f.text->parts)
    for (size_t at = 0; at + InstructionSize <= part.bytes.size();
         at += InstructionSize)
      if ((support::endian::read16le(part.bytes.data() + at) & OpcodeMask) ==
          Opcode)
        return true;
  return false;
}

/// The finalizer follows calls whose callee is known, also from the only
/// kernel.
void propagatePreexits(const Inputs &inputs, const Program &program,
                       Resources &res) {
  if (!inputs.isMercury() || res.view != View::Native ||
      !inputs.rules.appendsPreexit())
    return;
  auto values = program.callGraph.closure<uint8_t>(
      0,
      [&](Function &f, uint8_t &v) {
        if (!f.reachable || !f.defined)
          return;
        res.of(f).usesPreexit = hasPreexit(f);
        v |= res.of(f).usesPreexit;
      },
      [](uint8_t &into, uint8_t from) { into |= from; });
  for (size_t e = 0; e != res.kernels.size(); ++e)
    res.ofKernel[e].usesPreexit =
        values[program.callGraph.component(*res.kernels[e])];
}

/// Writes the records that the finalizer adds to all code
/// [attribute-finalizer-later].
void InfoWriter::writeFinalizerRecords(bool usesPreexit) {
  if (inputs.rules.appendsWorkaround())
    writeValue(EIFMT_HVAL, EIATTR_NVSAL_SW_WAR, 1);
  if (!inputs.rules.appendsPreexit())
    return;
  writeValue(EIFMT_BVAL, EIATTR_PREEXIT_USED, usesPreexit);
}

/// Functions without the mask get one that says so, if any has it; also on
/// behalf of reachable aliases, which have no section [sparse-mask].
static bool lacksMask(Resources &res, const Function &f) {
  return res.sees(EIATTR_SPARSE_MMA_MASK) && !res.of(f).sparseMask &&
         !res.kernelOf(f);
}

ArrayRef<const uint8_t *> InfoWriter::listInOrder(ArrayRef<uint8_t> records) {
  const uint8_t *const recordsEnd = records.end();
  const size_t most = records.size() / NvInfoHeaderSize;
  places.resize_for_overwrite(most);
  const uint8_t **begin = places.data(), **end = begin;
  if (reverses)
    begin = end += most;
  for (const uint8_t *at = records.begin(); at != recordsEnd;
       at += sizeOfNvInfoRecord(at))
    *(reverses ? --begin : end++) = at;
  return {begin, end};
}

/// Writes the function's records from the inputs.
void InfoWriter::writeOwnRecords(const Function &f, KernelResources *kernel) {
  const bool movesCode = inputs.isMercury();
  const RecordWay *const way = ways.data();
  forEachRun(f.infoRecords[unsigned(res.view)], [&](const auto &run) {
    // Most are copied. `to` is the end of `out`, which has room for them all.
    out.reserve(out.size() + run.bytes.size());
    char *to = out.end();
    for (const uint8_t *at : listInOrder(run.bytes)) {
      if (!movesCode && way[at[1]] == RecordWay::Copy) {
        to = copyRecord(at, to);
        continue;
      }
      if (movesCode && isMadeByFinalizer(at[1]))
        continue;
      out.resize_for_overwrite(to - out.begin());
      writeRecord({readNvInfoRecord(at), run.file, 0}, &f, kernel);
      out.reserve(out.size() + run.bytes.size());
      to = out.end();
    }
    out.resize_for_overwrite(to - out.begin());
  });
}

void InfoWriter::writeFunction(const Function &f,
                               ArrayRef<const Function *> aliases) {
  used = 0;
  KernelResources *kernel = isFinal ? res.kernelOf(f) : nullptr;
  nativeCallees = {};
  if (res.view == View::Native)
    nativeCallees =
        kernel ? ArrayRef(kernel->nativeCallees) : program.nativeCallees->of(f);
  auto isAnnotation = [](const InfoRecord &r) {
    return r.record.code == EIATTR_ANNOTATIONS;
  };
  const InfoRecords &records = f.infoRecords[unsigned(res.view)];
  isAnnotatedLate =
      inputs.isMercury() && any_of(records, isAnnotation) &&
      none_of(f.infoRecords[unsigned(View::Mercury)], isAnnotation);
  writeOwnRecords(f, kernel);
  if (isFinal) {
    FunctionResources &own = res.of(f);
    // A count in the section's flags becomes a record: of the only kernel the
    // first of those made here, else the last.
    const bool countsInFlags =
        own.takesBarriersFromFlags() && !inputs.countsBarriersInFlags();
    if (countsInFlags && kernel && res.singleKernel) {
      int i = createdIndex(EIATTR_NUM_BARRIERS);
      writeValue(EIFMT_BVAL, EIATTR_NUM_BARRIERS, *kernel->values[i]);
      used |= 1u << i;
    }
    // In creation order of the functions, an alias may come before its target.
    constexpr uint16_t NoMask = 0x8000;
    auto writeOwn = [&] {
      if (kernel)
        writeCreated(*kernel);
      else if (lacksMask(res, f))
        writeValue(EIFMT_HVAL, EIATTR_SPARSE_MMA_MASK, NoMask);
    };
    bool ownWritten = false;
    for (const Function *alias : aliases) {
      if (alias->ordinal > f.ordinal && !ownWritten) {
        writeOwn();
        ownWritten = true;
      }
      if (lacksMask(res, *alias))
        writeValue(EIFMT_HVAL, EIATTR_SPARSE_MMA_MASK, NoMask);
    }
    if (!ownWritten)
      writeOwn();
    if (countsInFlags && !kernel)
      writeValue(EIFMT_BVAL, EIATTR_NUM_BARRIERS, own.flagBarriers);
  }
  writeExternList(std::exchange(nativeCallees, {}));
  // Records that the finalizer makes anew come last, in input order.
  if (inputs.isMercury())
    for (const InfoRecord &r : records)
      if (isMadeByFinalizer(r.record.code) && !isWrittenAnew(r.record.code))
        writeRecord(r, &f, kernel);
  if (inputs.isMercury() && res.view == View::Native)
    writeFinalizerRecords(kernel ? kernel->usesPreexit
                          : isFinal
                              ? res.of(f).usesPreexit
                              : inputs.rules.appendsPreexit() && hasPreexit(f));
  if (inputs.isMercury() && res.view == View::Native && f.reachesTextures) {
    writeValue(EIFMT_BVAL, EIATTR_BINDLESS_TEXTURE_BANK, 0);
    writeValue(EIFMT_BVAL, EIATTR_BINDLESS_SURFACE_BANK, 0);
  }
  constexpr unsigned WithCode67 = 107;
  if (isFinal && inputs.sm() == WithCode67 && res.view == View::Native)
    writeValue(EIFMT_BVAL, EIATTR_CODE_67, 0);
  written.push_back({&contentsOf(*f.info), out.size()});
}

void InfoWriter::finishFunctions() {
  const ArrayRef<uint8_t> all = inputs.memory.save(out);
  size_t begin = 0;
  for (auto [section, end] : written) {
    section->setContents(all.slice(begin, end - begin));
    begin = end;
  }
}

void writeNvInfo(const Inputs &inputs, const Program &program, Resources &res) {
  InfoWriter writer(inputs, program, res);
  writer.writeGlobal();
  MapVector<const Function *, SmallVector<const Function *, 1>> aliases;
  for (const Function &f : program.functions)
    if (f.aliasOf && f.reachable)
      aliases[f.aliasOf].push_back(&f);
  auto writeSome = [&](size_t begin, size_t end) {
    InfoWriter writer(inputs, program, res);
    for (size_t i = begin; i != end; ++i) {
      const Function &f = program.functions[i];
      if (!f.info || !f.info->written)
        continue;
      auto it = aliases.find(&f);
      writer.writeFunction(f, it == aliases.end() ? ArrayRef<const Function *>()
                                                  : it->second);
    }
    writer.finishFunctions();
  };
  parallelForPieces(inputs, program.functions.size(), writeSome);
}

} // namespace lld::cuda
