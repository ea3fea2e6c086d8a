//===- NvInfoFacts.cpp - Attribute records in words -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns the records of .nv.info and .nv.compat sections into facts.
/// cubin-dump, cubin-diff and cubin-prune call readInfo() and readCompat()
/// through the table in RecordFacts.cpp, for each such section that they print,
/// compare or verify. PayloadLayouts has a row for each code whose payload is
/// known [attribute-table], so EIATTR_REGCOUNT is shown as function and
/// registers. Payloads of other codes, or of another length than their row
/// says, are shown as words, or as bytes if they are no whole number of words.
///
//===----------------------------------------------------------------------===//

#include "RecordReaders.h"
#include "lld-cuda/Object/Compat.h"
#include "lld-cuda/Object/NvInfo.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using support::endian::read16le;
using support::endian::read32le;
using support::endian::read64le;

namespace lld::cuda {
namespace {

enum class Item : uint8_t {
  End,
  Symbol,    ///< u32 symbol index.
  Decimal,   ///< u32.
  Hex,       ///< u32.
  Half,      ///< u16.
  Ordinal,   ///< u16 that counts.
  Parameter, ///< u32 of KPARAM_INFO: size and five small fields.
  Symbols,   ///< u32 symbol indices up to the end.
  Words,     ///< u32 words up to the end.
};

struct LayoutItem {
  StringLiteral key = "";
  Item kind = Item::End;
};

struct PayloadLayout {
  uint8_t code;
  LayoutItem items[5];
};

constexpr LayoutItem Dimensions[] = {
    {"x", Item::Decimal}, {"y", Item::Decimal}, {"z", Item::Decimal}};

constexpr PayloadLayout PayloadLayouts[] = {
    {elf::EIATTR_MAX_THREADS, {Dimensions[0], Dimensions[1], Dimensions[2]}},
    {elf::EIATTR_REQNTID, {Dimensions[0], Dimensions[1], Dimensions[2]}},
    {elf::EIATTR_CTA_PER_CLUSTER,
     {Dimensions[0], Dimensions[1], Dimensions[2]}},
    {elf::EIATTR_MAX_CLUSTER_RANK, {{"rank", Item::Decimal}}},
    {elf::EIATTR_SAMPLER_INIT,
     {{"sampler", Item::Symbol}, {"state", Item::Hex}}},
    {elf::EIATTR_SAMPLER_FORCE_UNNORMALIZED,
     {{"sampler", Item::Symbol}, {"value", Item::Decimal}}},
    {elf::EIATTR_PARAM_CBANK,
     {{"bank", Item::Symbol}, {"offset", Item::Half}, {"size", Item::Half}}},
    {elf::EIATTR_SYNC_STACK, {{"bytes", Item::Hex}}},
    {elf::EIATTR_CRS_STACK_SIZE, {{"bytes", Item::Hex}}},
    {elf::EIATTR_EXTERNS, {{"functions", Item::Symbols}}},
    {elf::EIATTR_FRAME_SIZE,
     {{"function", Item::Symbol}, {"bytes", Item::Hex}}},
    {elf::EIATTR_MIN_STACK_SIZE,
     {{"function", Item::Symbol}, {"bytes", Item::Hex}}},
    {elf::EIATTR_MAX_STACK_SIZE,
     {{"function", Item::Symbol}, {"bytes", Item::Hex}}},
    {elf::EIATTR_SAM_REGION_STACK_SIZE,
     {{"function", Item::Symbol}, {"bytes", Item::Hex}}},
    {elf::EIATTR_REGCOUNT,
     {{"function", Item::Symbol}, {"registers", Item::Decimal}}},
    {elf::EIATTR_LOAD_CACHE_REQUEST,
     {{"function", Item::Symbol}, {"request", Item::Decimal}}},
    {elf::EIATTR_KPARAM_INFO,
     {{"symbol", Item::Symbol},
      {"ordinal", Item::Ordinal},
      {"offset", Item::Half},
      {"", Item::Parameter}}},
    {elf::EIATTR_KPARAM_INFO_V2,
     {{"symbol", Item::Symbol},
      {"ordinal", Item::Ordinal},
      {"offset", Item::Half},
      {"size", Item::Hex}}},
    {elf::EIATTR_CUDA_API_VERSION, {{"version", Item::Hex}}},
    {elf::EIATTR_SW_WAR, {{"bits", Item::Hex}}},
    {elf::EIATTR_COOP_GROUP_MASK_REGIDS, {{"registers", Item::Words}}},
    {elf::EIATTR_AT_ENTRY_FRAGMENTS, {{"fragments", Item::Words}}},
    {elf::EIATTR_EXIT_INSTR_OFFSETS, {{"offsets", Item::Words}}},
    {elf::EIATTR_S2RCTAID_INSTR_OFFSETS, {{"offsets", Item::Words}}},
    {elf::EIATTR_LD_CACHEMOD_INSTR_OFFSETS, {{"offsets", Item::Words}}},
    {elf::EIATTR_ATOM_SYS_INSTR_OFFSETS, {{"offsets", Item::Words}}},
    {elf::EIATTR_COOP_GROUP_INSTR_OFFSETS, {{"offsets", Item::Words}}},
    {elf::EIATTR_INT_WARP_WIDE_INSTR_OFFSETS, {{"offsets", Item::Words}}},
    {elf::EIATTR_SYSCALL_OFFSETS, {{"offsets", Item::Words}}},
    {elf::EIATTR_SW_WAR_MEMBAR_SYS_INSTR_OFFSETS, {{"offsets", Item::Words}}},
};

StringRef formatName(uint8_t format) {
  switch (format) {
  case elf::EIFMT_NVAL:
    return "NVAL";
  case elf::EIFMT_BVAL:
    return "BVAL";
  case elf::EIFMT_HVAL:
    return "HVAL";
  case elf::EIFMT_SVAL:
    return "SVAL";
  }
  return {};
}

/// Reads payloads by their layout.
class PayloadReader {
public:
  PayloadReader(Fact &fact, const CubinFile &file, const Labels &labels,
                unsigned section, ArrayRef<uint8_t> payload)
      : fact(fact), file(file), labels(labels), section(section),
        payload(payload) {}

  /// Adds nothing and returns false if the payload has another length.
  bool readAs(const PayloadLayout &layout);
  /// Words, or bytes; `symbols` of the words at the start are symbol indices.
  void readAsWords(elf::NvInfoSymbols symbols);

private:
  static bool isList(Item kind) {
    return kind == Item::Symbols || kind == Item::Words;
  }
  void readItem(const LayoutItem &item);
  void readParameter(uint32_t word);
  uint32_t takeWord() {
    uint32_t word = read32le(payload.data());
    payload = payload.drop_front(4);
    return word;
  }
  uint16_t takeHalf() {
    uint16_t half = read16le(payload.data());
    payload = payload.drop_front(2);
    return half;
  }
  std::string symbol(uint32_t index) const {
    return labels.symbol(file, section, index);
  }

  Fact &fact;
  const CubinFile &file;
  const Labels &labels;
  unsigned section;
  ArrayRef<uint8_t> payload;
};

bool PayloadReader::readAs(const PayloadLayout &layout) {
  size_t size = 0;
  bool endsInList = false;
  for (const LayoutItem &item : layout.items) {
    endsInList |= isList(item.kind);
    if (item.kind != Item::End && !isList(item.kind))
      size += item.kind == Item::Half || item.kind == Item::Ordinal ? 2 : 4;
  }
  if (endsInList ? payload.size() % 4 : payload.size() != size)
    return false;
  for (const LayoutItem &item : layout.items)
    if (item.kind != Item::End)
      readItem(item);
  return true;
}

void PayloadReader::readItem(const LayoutItem &item) {
  switch (item.kind) {
  case Item::End:
    return;
  case Item::Symbol:
    fact.name(item.key, symbol(takeWord()));
    return;
  case Item::Decimal:
    fact.decimal(item.key, takeWord());
    return;
  case Item::Hex:
    fact.hex(item.key, takeWord());
    return;
  case Item::Half:
    fact.hex(item.key, takeHalf());
    return;
  case Item::Ordinal:
    fact.decimal(item.key, takeHalf());
    return;
  case Item::Parameter:
    readParameter(takeWord());
    return;
  case Item::Symbols: {
    std::vector<std::string> names;
    while (!payload.empty())
      names.push_back(symbol(takeWord()));
    fact.names(item.key, std::move(names));
    return;
  }
  case Item::Words: {
    std::vector<uint64_t> words;
    while (!payload.empty())
      words.push_back(takeWord());
    fact.hexes(item.key, std::move(words));
    return;
  }
  }
}

void PayloadReader::readParameter(uint32_t word) {
  fact.hex("size", word >> 18)
      .decimal("log2_pointee_align", word & 0xff)
      .decimal("space", word >> 8 & 0xf)
      .hex("bank", word >> 12 & 0x1f)
      .decimal("space_kind", word >> 17 & 1);
}

void PayloadReader::readAsWords(elf::NvInfoSymbols symbols) {
  if (symbols != elf::NvInfoSymbols::None && payload.size() >= 4)
    fact.name("symbol", symbol(takeWord()));
  if (payload.empty())
    return;
  if (payload.size() % 4)
    fact.name("bytes", toHex(payload, /*LowerCase=*/true));
  else
    readItem({"words", Item::Words});
}

/// u32 offset of the branch, two u16, u32 count, u32 targets; one branch or
/// several.
bool readBranchTargets(Fact &fact, ArrayRef<uint8_t> payload) {
  std::vector<std::string> branches;
  while (!payload.empty()) {
    if (payload.size() < 12)
      return false;
    uint64_t count = read32le(payload.data() + 8);
    if (count > (payload.size() - 12) / 4)
      return false;
    std::string text = hexText(read32le(payload.data())) + "/" +
                       hexText(read16le(payload.data() + 4)) + "/" +
                       hexText(read16le(payload.data() + 6)) + "->";
    for (uint64_t i = 0; i != count; ++i)
      text += (i ? "|" : "") + hexText(read32le(payload.data() + 12 + 4 * i));
    branches.push_back(std::move(text));
    payload = payload.drop_front(12 + 4 * count);
  }
  fact.names("branches", std::move(branches));
  return true;
}

const PayloadLayout *findLayout(uint8_t code) {
  for (const PayloadLayout &layout : PayloadLayouts)
    if (layout.code == code)
      return &layout;
  return nullptr;
}

/// What bytes 2 and 3 hold in records without payload.
void addValue(Fact &fact, const NvInfoRecord &record) {
  if (record.format == elf::EIFMT_BVAL && record.value < 0x100)
    fact.decimal("value", record.value);
  else if (record.format != elf::EIFMT_NVAL || record.value)
    fact.hex("value", record.value);
}

void addFormat(Fact &fact, uint8_t format) {
  StringRef name = formatName(format);
  fact.name("format", name.empty() ? hexText(format) : name.str());
}

void addPayload(Fact &fact, const CubinFile &file, const Labels &labels,
                unsigned section, const NvInfoRecord &record) {
  if (record.code == elf::EIATTR_INDIRECT_BRANCH_TARGETS &&
      readBranchTargets(fact, record.payload))
    return;
  PayloadReader reader(fact, file, labels, section, record.payload);
  const PayloadLayout *layout = findLayout(record.code);
  if (layout && reader.readAs(*layout))
    return;
  const elf::NvInfoAttribute *attribute = elf::getNvInfoAttribute(record.code);
  reader.readAsWords(attribute ? attribute->symbols : elf::NvInfoSymbols::None);
}

Fact infoFact(const CubinFile &file, const Labels &labels, unsigned section,
              const NvInfoRecord &record) {
  Fact fact(labels.sections[section]);
  const elf::NvInfoAttribute *attribute = elf::getNvInfoAttribute(record.code);
  fact.what("attribute", attribute ? attribute->name.str()
                                   : "EIATTR_" + hexText(record.code));
  if (record.hasPayload())
    addPayload(fact, file, labels, section, record);
  else
    addValue(fact, record);
  addFormat(fact, record.format);
  return fact;
}

} // namespace

Error readInfo(const CubinFile &file, const Labels &labels, unsigned section,
               FactVisitor visit) {
  Error error = forEachNvInfoRecord(
      file.contents(section), [&](size_t, const NvInfoRecord &record) {
        visit(infoFact(file, labels, section, record));
        return Error::success();
      });
  return sectionError(file, section, std::move(error));
}

Error readCompat(const CubinFile &file, const Labels &labels, unsigned section,
                 FactVisitor visit) {
  Error error = forEachNvInfoRecord(
      file.contents(section), [&](size_t, const NvInfoRecord &record) {
        Fact fact(labels.sections[section]);
        const CompatAttribute *attribute = getCompatAttribute(record.code);
        fact.what("attribute", attribute ? attribute->name.str()
                                         : "CODE_" + utostr(record.code));
        if (!record.hasPayload())
          addValue(fact, record);
        else if (record.payload.size() == 8)
          fact.hex("value", read64le(record.payload.data()));
        else
          fact.name("bytes", toHex(record.payload, /*LowerCase=*/true));
        addFormat(fact, record.format);
        visit(std::move(fact));
        return Error::success();
      });
  return sectionError(file, section, std::move(error));
}

} // namespace lld::cuda
