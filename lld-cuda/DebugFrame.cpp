//===- DebugFrame.cpp - .debug_frame of sm_100 and later -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// nvlink's finalizer writes .debug_frame anew: of each input it keeps the
/// pairs of a CIE and an FDE whose function is live and whose definition was
/// not rejected, in input order. An FDE's CIE pointer names the CIE in front of
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

/// A function's frame description as one input has it.
struct Frame {
  ArrayRef<uint8_t> cie, fde;
  Function *function;
};

class FrameRebuilder {
public:
  FrameRebuilder(Ctx &ctx, OutputSection &sec) : ctx(ctx), sec(sec) {}
  bool run();

private:
  void findFunctions(const RelocationGroup &group);
  bool readGroup(const RelocationGroup &group);
  void writeFrames();

  Ctx &ctx;
  OutputSection &sec;
  std::vector<Frame> frames;  ///< In input order.
  std::vector<size_t> starts; ///< Of each group's frames.
  /// Of the definition in force.
  DenseMap<Function *, Frame> inForce;
  /// The group at hand: offset of pc_begin to function.
  DenseMap<uint64_t, Function *> functions;
};

} // namespace

/// The unit's size and its id or CIE pointer; false if it is damaged.
static bool readUnit(ArrayRef<uint8_t> bytes, uint64_t at, uint64_t &size,
                     uint64_t &id) {
  constexpr uint32_t Dwarf64 = 0xffffffff;
  if (bytes.size() - at < UnitHeaderSize + 8 ||
      support::endian::read32le(bytes.data() + at) != Dwarf64)
    return false;
  uint64_t length = support::endian::read64le(bytes.data() + at + 4);
  if (length < 16 || length > bytes.size() - at - UnitHeaderSize)
    return false;
  size = UnitHeaderSize + length;
  id = support::endian::read64le(bytes.data() + at + PointerOffset);
  return true;
}

void FrameRebuilder::findFunctions(const RelocationGroup &group) {
  const ObjectFile &obj = *group.file;
  functions.clear();
  for (const Elf_Rela &r : obj.file.relas(group.inputSection)) {
    uint32_t index = r.getSymbol(false);
    Symbol *s = obj.symbols[index];
    if (r.getType(false) != R_CUDA_64 || !s || !s->isFunction() || !s->live ||
        obj.isLost(index))
      continue;
    // Of a replaced definition the frame stays unless its entries were purged
    // (spec: seams, 1).
    auto *f = static_cast<Function *>(s);
    if (group.sequence >= f->debugPurgedBefore)
      functions[r.r_offset] = f;
  }
}

bool FrameRebuilder::readGroup(const RelocationGroup &group) {
  findFunctions(group);
  ArrayRef<uint8_t> bytes = sec.parts[group.part].bytes;
  ArrayRef<uint8_t> cie;
  for (uint64_t at = 0; at != bytes.size();) {
    uint64_t size, id;
    if (!readUnit(bytes, at, size, id)) {
      ctx.diag.fatal("'" + group.file->label +
                     "': .debug_frame: damaged unit at offset 0x" +
                     Twine::utohexstr(at));
      return false;
    }
    if (id == CieId) {
      cie = bytes.slice(at, size);
    } else if (Function *f = functions.lookup(at + PcBeginOffset)) {
      frames.push_back({cie, bytes.slice(at, size), f});
      if (f->definedIn == group.file->ordinal)
        inForce[f] = frames.back();
    }
    at += size;
  }
  return true;
}

/// At the place of a replaced definition's frame stands that of the definition
/// in force, once more.
void FrameRebuilder::writeFrames() {
  SmallVector<char, 0> out;
  std::vector<KeptRelocation> kept;
  for (const Frame &frame : frames) {
    auto it = inForce.find(frame.function);
    const Frame &written = it == inForce.end() ? frame : it->second;
    const uint64_t cieOffset = out.size();
    out.append(written.cie.begin(), written.cie.end());
    const uint64_t fdeOffset = out.size();
    out.append(written.fde.begin(), written.fde.end());
    support::endian::write64le(out.data() + fdeOffset + PointerOffset,
                               cieOffset);
    kept.push_back({fdeOffset + PcBeginOffset, R_CUDA_64, frame.function, 0});
  }
  // The output lists the last group's entries first.
  size_t end = kept.size();
  for (size_t start : reverse(starts)) {
    if (sec.rela)
      sec.rela->kept.insert(sec.rela->kept.end(), kept.begin() + start,
                            kept.begin() + end);
    end = start;
  }
  sec.setContents(ctx.save(out));
}

bool FrameRebuilder::run() {
  for (const RelocationGroup &g : sec.relocations) {
    starts.push_back(frames.size());
    if (!readGroup(g))
      return false;
  }
  sec.relocations.clear();
  writeFrames();
  return true;
}

void rebuildDebugFrame(Ctx &ctx) {
  OutputSection *sec = findNamedSection(ctx, ".debug_frame");
  if (sec && sec->live && ctx.isMercury())
    FrameRebuilder(ctx, *sec).run();
}

} // namespace lld::cuda
