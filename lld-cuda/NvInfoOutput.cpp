//===- NvInfoOutput.cpp - Contents of .nv.info and .nv.info.<function> -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The output's records are the inputs' in reverse reading order. A final link
/// changes values of kernels in place, and appends records that a kernel had
/// none of (spec: nv.info, sections 2.2, 4 and 5).
///
//===----------------------------------------------------------------------===//

#include "Mercury.h"
#include "Parallel.h"
#include "Resources.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

class InfoWriter {
public:
  InfoWriter(Ctx &ctx, Resources &res)
      : ctx(ctx), res(res), isFinal(!ctx.isRelocatable()) {}
  void writeGlobal();
  void writeFunction(Function &f, ArrayRef<Function *> aliases);

private:
  void forEachInOrder(ArrayRef<InfoRecord> records,
                      function_ref<void(const InfoRecord &)> visit) const;
  void writeRecord(const InfoRecord &r, Function *owner, EntryResources *entry);
  bool isInView(const Symbol &s) const;
  void writeSymbolRecord(const InfoRecord &r);
  void writeCopy(const NvInfoRecord &record, const Function *owner);
  void writeExterns(const InfoRecord &r, EntryResources *entry);
  void writeCreated(EntryResources &entry);
  void writeWords(uint8_t code, ArrayRef<uint32_t> words);
  void writeValue(uint8_t format, uint8_t code, uint16_t value) {
    writeNvInfoRecord({format, code, value, {}}, out);
  }
  /// Of sm_100 and later, native view (spec: nv.info, section 6).
  bool isMadeByFinalizer(uint8_t code) const {
    return ctx.isMercury() && res.view == View::Native &&
           (code == EIATTR_CBANK_PARAM_SIZE || code == EIATTR_PARAM_CBANK ||
            code == EIATTR_SW_WAR);
  }
  OutputSection &contentsOf(OutputSection &native) {
    return res.view == View::Native ? native : *getTwin(ctx, native);
  }
  /// Symbols' indices in the output; symbols that aren't in it give 0.
  static SmallVector<uint32_t, 8> indices(ArrayRef<Symbol *> symbols);

  Ctx &ctx;
  Resources &res;
  bool isFinal;
  SmallVector<char, 0> out;
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
    ctx.diag.fatal(
        "The record " + getNvInfoAttribute(code)->name +
        " of a function has too many entries: " + Twine(words.size()));
    return;
  }
  SmallVector<uint8_t, 32> payload(words.size() * 4);
  for (size_t i = 0; i != words.size(); ++i)
    support::endian::write32le(payload.data() + 4 * i, words[i]);
  writeNvInfoRecord({EIFMT_SVAL, code, uint16_t(payload.size()), payload}, out);
}

/// The Mercury view has no symbols of parameter banks.
bool InfoWriter::isInView(const Symbol &s) const {
  return res.view == View::Native || !s.isSection() ||
         s.section->role != SectionRole::ParameterBank;
}

/// The first word is a symbol. Records of symbols that aren't in the output go.
void InfoWriter::writeSymbolRecord(const InfoRecord &r) {
  uint64_t base;
  Symbol *s = r.file->resolve(r.record.word(0), base, res.view);
  if (s && (!s->live || !s->index || !isInView(*s)))
    return;
  SmallVector<uint8_t, 16> payload(r.record.payload.begin(),
                                   r.record.payload.end());
  support::endian::write32le(payload.data(), s ? s->index : 0);
  if (isFinal && r.record.code == EIATTR_REGCOUNT && s && s->isFunction())
    if (EntryResources *entry = res.entryOf(*static_cast<Function *>(s)))
      support::endian::write32le(payload.data() + 4, entry->registers);
  NvInfoRecord record = r.record;
  record.payload = payload;
  writeNvInfoRecord(record, out);
}

void InfoWriter::writeExterns(const InfoRecord &r, EntryResources *entry) {
  SmallVector<Symbol *, 8> symbols;
  if (entry) {
    uint32_t bit = 1u << createdIndex(EIATTR_EXTERNS);
    if (entry->newExterns || used & bit)
      return;
    used |= bit;
    symbols.append(entry->externs.begin(), entry->externs.end());
  } else {
    for (unsigned w = 0; w != r.record.wordCount(); ++w)
      if (Symbol *s = r.file->symbols[r.record.word(w)];
          s && (staysExternal(*s) || ctx.keepsForRelink()))
        symbols.push_back(s);
  }
  if (!symbols.empty())
    writeWords(EIATTR_EXTERNS, indices(symbols));
}

void InfoWriter::writeRecord(const InfoRecord &r, Function *owner,
                             EntryResources *entry) {
  const NvInfoRecord &record = r.record;
  const NvInfoAttribute *attribute = getNvInfoAttribute(record.code);
  if (record.code == 0)
    return;
  if (isFinal && attribute && attribute->policy == NvInfoPolicy::Drop)
    return;
  if (attribute && attribute->symbols == NvInfoSymbols::First)
    return writeSymbolRecord(r);
  if (attribute && attribute->symbols == NvInfoSymbols::All)
    return writeExterns(r, entry);
  int created = createdIndex(record.code);
  if (record.code == EIATTR_AT_ENTRY_FRAGMENTS && isFinal) {
    if (!entry || entry->newFragments || used >> created & 1)
      return;
    used |= 1u << created;
    return writeWords(record.code, entry->fragments);
  }
  if (!owner || !entry || created < 0 || !entry->values[created] ||
      used >> created & 1)
    return writeCopy(record, owner);
  // In place, in the record's own format.
  used |= 1u << created;
  const uint32_t value = *entry->values[created];
  if (record.code == EIATTR_CRS_STACK_SIZE)
    writeWords(record.code, value);
  else if (attribute->policy == NvInfoPolicy::Flag || record.hasPayload())
    writeNvInfoRecord(record, out);
  else
    writeValue(record.format, record.code, value);
}

/// Offsets of instructions follow the finalizer's changes.
void InfoWriter::writeCopy(const NvInfoRecord &record, const Function *owner) {
  if (!owner || !owner->edit || res.view != View::Native ||
      !record.hasPayload()) {
    writeNvInfoRecord(record, out);
    return;
  }
  SmallVector<uint8_t, 64> payload(record.payload.begin(),
                                   record.payload.end());
  moveInfoOffsets(*owner->edit, record.code, payload);
  NvInfoRecord moved = record;
  moved.payload = payload;
  writeNvInfoRecord(moved, out);
}

void InfoWriter::writeCreated(EntryResources &entry) {
  for (uint8_t i : entry.createdOrder) {
    const uint8_t code = CreatedAttributes[i];
    if (code == EIATTR_EXTERNS || code == EIATTR_AT_ENTRY_FRAGMENTS) {
      bool isExterns = code == EIATTR_EXTERNS;
      bool isEmpty =
          isExterns ? entry.externs.empty() : entry.fragments.empty();
      if (!isEmpty && !(used >> i & 1)) {
        if (isExterns)
          writeWords(code, indices(entry.externs));
        else
          writeWords(code, entry.fragments);
      }
      continue;
    }
    if (!entry.values[i] || used >> i & 1)
      continue;
    const uint32_t value = *entry.values[i];
    switch (code) {
    case EIATTR_CRS_STACK_SIZE:
      writeWords(code, value);
      break;
    case EIATTR_SPARSE_MMA_MASK:
    case EIATTR_NUM_MBARRIERS:
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

/// A link turns the order around; output that is linked again keeps it.
void InfoWriter::forEachInOrder(
    ArrayRef<InfoRecord> records,
    function_ref<void(const InfoRecord &)> visit) const {
  for (size_t i = 0; i != records.size(); ++i)
    visit(records[ctx.keepsForRelink() ? i : records.size() - 1 - i]);
}

void InfoWriter::writeGlobal() {
  out.clear();
  forEachInOrder(
      ctx.globalInfoRecords[unsigned(res.view)],
      [&](const InfoRecord &r) { writeRecord(r, nullptr, nullptr); });
  if (isFinal) {
    std::vector<Function *> entries = res.entries;
    llvm::sort(entries,
               [](Function *a, Function *b) { return a->index < b->index; });
    for (Function *e : entries)
      writeWords(EIATTR_MIN_STACK_SIZE,
                 {e->index, res.entryOf(*e)->minStackSize});
  }
  contentsOf(*ctx.nvinfo).setContents(ctx.save(out));
}

/// Functions without the mask get one that says so, if any has it; also on
/// behalf of live aliases, which have no section (spec: seams, 3).
static bool lacksMask(Resources &res, const Function &f) {
  return res.anySparseMask && !res.of(f).sparseMask && !res.entryOf(f);
}

void InfoWriter::writeFunction(Function &f, ArrayRef<Function *> aliases) {
  out.clear();
  used = 0;
  EntryResources *entry = isFinal ? res.entryOf(f) : nullptr;
  const std::vector<InfoRecord> &records = f.infoRecords[unsigned(res.view)];
  forEachInOrder(records, [&](const InfoRecord &r) {
    if (!isMadeByFinalizer(r.record.code))
      writeRecord(r, &f, entry);
  });
  if (isFinal) {
    FunctionResources &own = res.of(f);
    // A count in the section's flags becomes a record (spec: nv.info, 3.4).
    if (own.flagBarriers && !own.barriers) {
      int i = createdIndex(EIATTR_NUM_BARRIERS);
      writeValue(EIFMT_BVAL, EIATTR_NUM_BARRIERS,
                 entry ? *entry->values[i] : own.flagBarriers);
      used |= 1u << i;
      f.text->flags &= ~SHF_CUDA_BARRIER_MASK;
    }
    // In creation order of the functions, an alias may come before its target.
    constexpr uint16_t NoMask = 0x8000;
    auto writeOwn = [&] {
      if (entry)
        writeCreated(*entry);
      else if (lacksMask(res, f))
        writeValue(EIFMT_HVAL, EIATTR_SPARSE_MMA_MASK, NoMask);
    };
    bool ownWritten = false;
    for (Function *alias : aliases) {
      if (alias->ordinal > f.ordinal && !ownWritten) {
        writeOwn();
        ownWritten = true;
      }
      if (lacksMask(res, *alias))
        writeValue(EIFMT_HVAL, EIATTR_SPARSE_MMA_MASK, NoMask);
    }
    if (!ownWritten)
      writeOwn();
  }
  // Records that the finalizer makes anew come last, in input order.
  for (const InfoRecord &r : records)
    if (isMadeByFinalizer(r.record.code))
      writeRecord(r, &f, entry);
  if (ctx.isMercury() && res.view == View::Native && f.reachesTextures) {
    writeValue(EIFMT_BVAL, EIATTR_BINDLESS_TEXTURE_BANK, 0);
    writeValue(EIFMT_BVAL, EIATTR_BINDLESS_SURFACE_BANK, 0);
  }
  contentsOf(*f.info).setContents(ctx.save(out));
}

void writeNvInfo(Ctx &ctx, Resources &res) {
  InfoWriter writer(ctx, res);
  writer.writeGlobal();
  DenseMap<Function *, SmallVector<Function *, 1>> aliases;
  for (Function &f : ctx.functions) {
    if (f.aliasOf && f.live)
      aliases[f.aliasOf].push_back(&f);
    // Threads create no sections.
    if (f.info && f.info->live && res.view == View::Mercury)
      getTwin(ctx, *f.info);
  }
  auto writeSome = [&](size_t begin, size_t end) {
    InfoWriter writer(ctx, res);
    for (size_t i = begin; i != end; ++i) {
      Function &f = ctx.functions[i];
      if (!f.info || !f.info->live)
        continue;
      auto it = aliases.find(&f);
      writer.writeFunction(f, it == aliases.end() ? ArrayRef<Function *>()
                                                  : it->second);
    }
  };
  parallelForPieces(ctx, ctx.functions.size(), writeSome);
}

} // namespace lld::cuda
