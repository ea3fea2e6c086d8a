//===- CallGraph.cpp - Reads the call graph of a cubin --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads .nv.callgraph and .nv.prototype, pair by pair, and checks that the
/// symbols they name exist and that callers are functions. The linker's merge
/// calls it for each object (MergeMetadata.cpp), --check for the image that was
/// written; cubin-dump, cubin-diff and cubin-prune read cubins with it.
/// CallGraph.h describes the layout. The total length of prototypes is bounded,
/// because many records of a hostile file may name one long string from another
/// offset on each.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/CallGraph.h"
#include "ObjectError.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

constexpr size_t PairSize = 8;

/// Visits a section as pairs of words, adding section and offset to errors.
static Error
forEachPair(const CubinFile &file, unsigned section,
            function_ref<Error(uint32_t first, uint32_t second)> visit) {
  ArrayRef<uint8_t> bytes = file.contents(section);
  size_t offset = 0;
  for (; bytes.size() - offset >= PairSize; offset += PairSize) {
    const uint8_t *pair = bytes.data() + offset;
    if (Error e = visit(support::endian::read32le(pair),
                        support::endian::read32le(pair + 4)))
      return malformed("section {0} ('{1}'): record at offset {2:x}: {3}",
                       section, file.sectionName(section), offset,
                       toString(std::move(e)));
  }
  if (offset != bytes.size())
    return malformed("section {0} ('{1}'): record at offset {2:x} is cut off",
                     section, file.sectionName(section), offset);
  return Error::success();
}

static Error checkSymbol(const CubinFile &file, uint32_t index) {
  size_t count = file.symtab().symbols.size();
  if (index >= count)
    return malformed("symbol index {0} is out of range: there are {1} symbols",
                     index, count);
  return Error::success();
}

static Error checkFunction(const CubinFile &file, uint32_t index) {
  if (Error e = checkSymbol(file, index))
    return e;
  const Elf_Sym &sym = file.symtab().symbols[index];
  if (sym.getType() != STT_FUNC)
    return malformed("symbol {0} ('{1}') is not a function", index,
                     file.symtab().name(sym));
  return Error::success();
}

namespace {
/// Many records may name the bytes of one long string, each from another
/// offset on. Prototypes are read as a whole, so their total is bounded, as
/// that of symbols' names is: equal ones of many functions share a string, but
/// each function has symbols and sections of its own.
class PrototypeReader {
public:
  explicit PrototypeReader(const CubinFile &file)
      : file(file), budget((uint64_t(1) << 26) +
                           64 * uint64_t(file.buffer().getBufferSize())) {}

  Expected<StringRef> read(uint32_t offset) {
    Expected<StringRef> prototype = file.string(offset);
    if (!prototype)
      return prototype;
    if (prototype->size() > budget)
      return malformed("too many prototypes share their bytes");
    budget -= prototype->size();
    return prototype;
  }

private:
  const CubinFile &file;
  uint64_t budget;
};
} // namespace

/// The group that a marker opens.
static Expected<CallGraphGroup> getGroup(int32_t marker) {
  switch (CallGraphGroup(marker)) {
  case CallGraphGroup::Calls:
  case CallGraphGroup::AddressTaken:
  case CallGraphGroup::Indirect:
  case CallGraphGroup::Takes:
    return CallGraphGroup(marker);
  }
  return malformed("unknown marker {0}", marker);
}

Error forEachCallGraphRecord(
    const CubinFile &file, unsigned section,
    function_ref<Error(const CallGraphRecord &)> visit) {
  std::optional<CallGraphGroup> group;
  PrototypeReader prototypes(file);
  return forEachPair(
      file, section, [&](uint32_t first, uint32_t second) -> Error {
        if (first == 0 && int32_t(second) < 0) {
          Expected<CallGraphGroup> next = getGroup(int32_t(second));
          if (!next)
            return next.takeError();
          group = *next;
          return Error::success();
        }
        if (!group)
          return malformed("no marker opens a group before it");
        if (Error e = checkFunction(file, first))
          return e;
        CallGraphRecord record{*group, first, second, {}};
        if (*group == CallGraphGroup::Calls ||
            *group == CallGraphGroup::Takes) {
          if (Error e = checkSymbol(file, second))
            return e;
        } else {
          Expected<StringRef> prototype = prototypes.read(second);
          if (!prototype)
            return prototype.takeError();
          record.prototype = *prototype;
        }
        return visit(record);
      });
}

Error forEachPrototype(
    const CubinFile &file, unsigned section,
    function_ref<Error(uint32_t symbol, StringRef prototype)> visit) {
  PrototypeReader prototypes(file);
  return forEachPair(file, section,
                     [&](uint32_t first, uint32_t second) -> Error {
                       if (Error e = checkFunction(file, first))
                         return e;
                       Expected<StringRef> prototype = prototypes.read(second);
                       if (!prototype)
                         return prototype.takeError();
                       return visit(first, *prototype);
                     });
}

} // namespace lld::cuda
