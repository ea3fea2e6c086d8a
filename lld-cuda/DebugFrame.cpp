//===- DebugFrame.cpp - .debug_frame of sm_100 and later -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// nvlink's finalizer writes .debug_frame anew: of each input it keeps the
/// pairs of a CIE and an FDE whose function is live and whose definition is the
/// one in force, in input order. An FDE's CIE pointer names the CIE in front of
/// it; what stands there in the input is not to be trusted (spec: relocations,
/// section 9.2).
///
/// 64-bit DWARF:  u32 0xffffffff, u64 length, u64 CIE id (all ones) or CIE
/// pointer; in an FDE u64 pc_begin (relocated), u64 pc_range, instructions.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Passes.h"
#include "lld-cuda/BinaryFormat/Relocations.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

constexpr uint64_t UnitHeaderSize = 12; ///< Marker and length.
constexpr uint64_t PointerOffset = 12;
constexpr uint64_t PcBeginOffset = 20;
constexpr uint64_t CieId = ~uint64_t(0);

class FrameRebuilder {
public:
  FrameRebuilder(Ctx &ctx, OutputSection &sec) : ctx(ctx), sec(sec) {}
  bool run();

private:
  bool copyPart(const RelocationGroup &group);
  bool readUnit(ArrayRef<uint8_t> bytes, uint64_t at, uint64_t &size,
                uint64_t &id) const;
  Function *functionAt(const RelocationGroup &group, uint64_t offset) const;

  Ctx &ctx;
  OutputSection &sec;
  SmallVector<char, 0> out;
  std::vector<KeptRelocation> kept; ///< In the order of the output's bytes.
  /// Entries of the group at hand against functions: offset to symbol.
  DenseMap<uint64_t, Function *> functions;
};

} // namespace

bool FrameRebuilder::readUnit(ArrayRef<uint8_t> bytes, uint64_t at,
                              uint64_t &size, uint64_t &id) const {
  constexpr uint32_t Dwarf64 = 0xffffffff;
  if (bytes.size() - at < UnitHeaderSize + 8 ||
      support::endian::read32le(bytes.data() + at) != Dwarf64)
    return false;
  uint64_t length = support::endian::read64le(bytes.data() + at + 4);
  if (length < 8 || length > bytes.size() - at - UnitHeaderSize)
    return false;
  size = UnitHeaderSize + length;
  id = support::endian::read64le(bytes.data() + at + PointerOffset);
  return true;
}

bool FrameRebuilder::copyPart(const RelocationGroup &group) {
  const ObjectFile &obj = *group.file;
  functions.clear();
  for (const Elf_Rela &r : obj.file.relas(group.inputSection)) {
    uint32_t index = r.getSymbol(false);
    Symbol *s = obj.symbols[index];
    if (r.getType(false) == R_CUDA_64 && s && s->isFunction() && s->live &&
        s->definedIn == obj.ordinal && !obj.isLost(index))
      functions[r.r_offset] = static_cast<Function *>(s);
  }

  ArrayRef<uint8_t> bytes = sec.parts[group.part].bytes;
  ArrayRef<uint8_t> cie;
  for (uint64_t at = 0; at != bytes.size();) {
    uint64_t size, id;
    if (!readUnit(bytes, at, size, id)) {
      ctx.diag.fatal("'" + obj.label + "': .debug_frame: damaged unit at offset 0x" +
                     Twine::utohexstr(at));
      return false;
    }
    ArrayRef<uint8_t> unit = bytes.slice(at, size);
    if (id == CieId) {
      cie = unit;
    } else if (Function *f = functions.lookup(at + PcBeginOffset)) {
      const uint64_t cieOffset = out.size();
      out.append(cie.begin(), cie.end());
      const uint64_t fdeOffset = out.size();
      out.append(unit.begin(), unit.end());
      support::endian::write64le(out.data() + fdeOffset + PointerOffset, cieOffset);
      kept.push_back({fdeOffset + PcBeginOffset, R_CUDA_64, f, 0});
    }
    at += size;
  }
  return true;
}

bool FrameRebuilder::run() {
  // Runs of entries by group; the output lists the last group's first.
  std::vector<size_t> starts;
  for (const RelocationGroup &g : sec.relocations) {
    starts.push_back(kept.size());
    if (!copyPart(g))
      return false;
  }
  sec.relocations.clear();
  size_t end = kept.size();
  for (size_t i = starts.size(); i-- != 0;) {
    if (sec.rela)
      sec.rela->kept.insert(sec.rela->kept.end(), kept.begin() + starts[i],
                            kept.begin() + end);
    end = starts[i];
  }
  sec.setContents(ctx.save(out));
  return true;
}

void rebuildDebugFrame(Ctx &ctx) {
  OutputSection *sec =
      findNamedSection(ctx, ".debug_frame");
  if (sec && sec->live && ctx.isMercury())
    FrameRebuilder(ctx, *sec).run();
}

} // namespace lld::cuda
