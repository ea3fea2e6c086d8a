//===- DebugFrame.cpp - .debug_frame of sm_100 and later ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// rebuildDebugFrame() makes the call frame descriptions of native code anew,
/// as nvlink's finalizer does: of each input it keeps the pairs of a CIE and an
/// FDE whose function is reachable and whose definition was accepted by the
/// merge, in input order [debug-rebuilt-tables], [debug-replaced-entries].
/// rebuildDebugTables() in Link.cpp calls it from sm_100 on, when the edits of
/// code are planned and before relocations are processed. The entries that the
/// driver needs are kept here, so processRelocations() finds none left.
///
/// The CIE of an FDE is the one in front of it: the pointer in the FDE isn't
/// reliable in inputs. CallFrame.h has the layout of an FDE; a CIE has all ones
/// in place of the pointer.
///
//===----------------------------------------------------------------------===//

#include "Finalize/Finalizer.h"
#include "Finalize/FrameRows.h"
#include "Finalize/FunctionCode.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Passes.h"
#include "Program.h"
#include "lld-cuda/BinaryFormat/Relocations.h"
#include "lld-cuda/FinalCode/CallFrame.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/FinalCode/Debug.h"
#include "lld-cuda/FinalCode/RegisterRules.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include <memory>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

constexpr uint64_t PointerOffset = 12;
constexpr uint64_t PcBeginOffset = 20;
constexpr uint64_t EmptyFdeSize = 40;
/// In a CIE without augmentation, as compilers write it.
constexpr uint64_t AugmentationOffset = CieVersionOffset + 1;
constexpr uint64_t CodeAlignmentOffset = CieVersionOffset + 2;
constexpr uint8_t NativeAlignment = 4; ///< Of a native CIE.
constexpr uint64_t CieId = ~uint64_t(0);

/// A function's frame description as one input has it.
struct Frame {
  ArrayRef<uint8_t> cie, fde;
  Function *function;
  const RelocationGroup *group;
  size_t ordinal;    ///< Number among the section's FDEs of this function.
  uint64_t cieBegin; ///< Offset of the CIE in the input's section.
  uint64_t pcBegin;  ///< The same of the FDE's field.
  /// Where the code begins that it describes: not at 0 for a function inside
  /// another one's section, which is `function`.
  uint64_t start = 0;
};

/// The places of a frame's CIE and FDE in the output. `hasOwnCie`: the CIE is
/// the native view's.
struct FramePlace {
  uint64_t cie, fde;
  bool hasOwnCie;
};

/// CIE and FDE, by function and number among the function's frames.
using MercuryFrames = DenseMap<std::pair<Symbol *, size_t>,
                               std::pair<ArrayRef<uint8_t>, ArrayRef<uint8_t>>>;

class FrameRebuilder {
public:
  FrameRebuilder(const Inputs &inputs, const Program &program,
                 OutputSection &sec)
      : inputs(inputs), sec(sec),
        knownByAlias(findFunctionsKnownByAlias(inputs, program)) {
    for (const Symbol *s : program.locals)
      if (s->kind == Symbol::Kind::InnerFunction && s->section)
        innerFunctions.insert({s->section, s->value});
  }
  bool run();

private:
  void findFunctions(const RelocationGroup &group);
  bool readGroup(const RelocationGroup &group);
  const MercuryFrames &readMercuryFrames(const RelocationGroup &group);
  Frame findMercuryFrame(const Frame &native);
  FrameRows findRemnants(const Frame &first, const Frame &source);
  Frame restoreFrame(const Frame &bare);
  void addRegisterRules(const Frame &source, uint64_t fdeOffset,
                        SmallVectorImpl<char> &out);
  FramePlace writeNativeFrame(const Frame &frame, SmallVectorImpl<char> &out);
  void moveFrame(const Frame &frame, ArrayRef<uint8_t> cie,
                 MutableArrayRef<uint8_t> fde);
  FramePlace writeBareFrame(const Frame &frame, SmallVectorImpl<char> &out);
  FramePlace writeFrame(const Frame &frame, SmallVectorImpl<char> &out);
  void keepEntries(ArrayRef<FramePlace> places);
  void keepEntry(const Elf_Rela &entry, const Frame &frame,
                 const FramePlace &place);
  void writeFrames();

  const Inputs &inputs;
  OutputSection &sec;
  DenseSet<Function *> knownByAlias;
  /// Sections and offsets of functions inside other ones' sections.
  DenseSet<std::pair<OutputSection *, uint64_t>> innerFunctions;
  std::vector<Frame> frames;  ///< In input order.
  std::vector<size_t> starts; ///< Of each group's frames.
  /// Frames of functions that have been replaced.
  MapVector<Function *, SmallVector<size_t, 2>> framesOf;
  /// The frame of the definition in force, until it is written.
  DenseMap<Function *, Frame> inForce;
  DenseSet<Function *> written;
  MapVector<const RelocationGroup *, std::unique_ptr<MercuryFrames>>
      mercuryFrames;
  /// For the current group: the function at each offset of pc_begin, and the
  /// offset in its code.
  DenseMap<uint64_t, std::pair<Function *, uint64_t>> functions;
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
  if (length < 8 || length > bytes.size() - at - UnitHeaderSize)
    return false;
  size = UnitHeaderSize + length;
  id = support::endian::read64le(bytes.data() + at + PointerOffset);
  return id == CieId || size >= EmptyFdeSize;
}

/// Finds functions with an alias in front of their own symbol, which get an
/// empty frame [debug-frame-known-by-alias].
DenseSet<Function *> findFunctionsKnownByAlias(const Inputs &inputs,
                                               const Program &program) {
  DenseSet<Function *> result;
  if (!inputs.rules.namesCodeByAlias() ||
      none_of(program.functions, [](const Function &f) { return f.aliasOf; }))
    return result;
  DenseSet<const Symbol *> seen;
  for (const std::vector<Symbol *> *list : {&program.locals, &program.globals})
    for (Symbol *s : *list) {
      if (!s->isFunction() || !static_cast<Function *>(s)->reachable)
        continue;
      seen.insert(s);
      if (Function *target = static_cast<Function *>(s)->aliasOf)
        if (!seen.contains(target))
          result.insert(target);
    }
  return result;
}

void FrameRebuilder::findFunctions(const RelocationGroup &group) {
  const ObjectFile &obj = *group.file;
  functions.clear();
  for (const Elf_Rela &r : obj.file.relas(group.inputSection)) {
    uint32_t index = r.getSymbol(false);
    Symbol *s = obj.symbols[index];
    if (r.getType(false) != R_CUDA_64 || !s || !s->isFunction() ||
        !static_cast<Function *>(s)->reachable || obj.isLost(index))
      continue;
    // The frame of a replaced definition stays unless its entries were purged
    // [debug-replaced-entries]. An addend counts only where a function begins
    // [debug-frame-addends].
    auto *f = static_cast<Function *>(s);
    const uint64_t addend = r.r_addend;
    if (group.sequence >= f->debugPurgedBefore)
      functions[r.r_offset] = {
          f, innerFunctions.contains({f->text, addend}) ? addend : 0};
  }
}

bool FrameRebuilder::readGroup(const RelocationGroup &group) {
  findFunctions(group);
  ArrayRef<uint8_t> bytes = sec.parts[group.part].bytes;
  ArrayRef<uint8_t> cie;
  uint64_t cieBegin = 0;
  DenseMap<Function *, size_t> count;
  for (uint64_t at = 0; at != bytes.size();) {
    uint64_t size, id;
    if (!readUnit(bytes, at, size, id)) {
      inputs.diag.report(DiagId::DamagedInput,
                         {diag::file(group.file->label), ": ",
                          diag::section(".debug_frame").bare(),
                          ": damaged unit at offset ", diag::offset(at)});
      return false;
    }
    if (id == CieId) {
      cie = bytes.slice(at, size);
      cieBegin = at;
      at += size;
      continue;
    }
    if (auto [f, start] = functions.lookup(at + PcBeginOffset); f) {
      if (f->definedIn != group.file->ordinal)
        framesOf[f].push_back(frames.size());
      frames.push_back({cie, bytes.slice(at, size), f, &group, count[f]++,
                        cieBegin, at + PcBeginOffset, start});
      if (f->definedIn == group.file->ordinal && !start)
        inForce.try_emplace(f, frames.back());
    }
    at += size;
  }
  return true;
}

/// The Mercury frames of a group's input. Each is read once: frames of several
/// inputs are asked for in turns.
const MercuryFrames &
FrameRebuilder::readMercuryFrames(const RelocationGroup &group) {
  std::unique_ptr<MercuryFrames> &result = mercuryFrames[&group];
  if (result)
    return *result;
  result = std::make_unique<MercuryFrames>();
  const ObjectFile &obj = *group.file;
  const uint32_t twin = obj.twinOf(group.inputSection);
  if (!twin)
    return *result;
  DenseMap<uint64_t, Symbol *> symbolAt; // By offset of pc_begin.
  for (const Elf_Rela &r : obj.file.relas(twin)) {
    uint64_t base;
    symbolAt[r.r_offset] = obj.resolve(r.getSymbol(false), base, View::Mercury);
  }
  DenseMap<Symbol *, size_t> count;
  ArrayRef<uint8_t> cie,
      bytes = obj.file.contents(obj.file.sections()[twin].sh_info);
  uint64_t size, id;
  for (uint64_t at = 0; at != bytes.size() && readUnit(bytes, at, size, id);
       at += size) {
    if (id == CieId)
      cie = bytes.slice(at, size);
    else if (Symbol *s = symbolAt.lookup(at + PcBeginOffset))
      (*result)[{s, count[s]++}] = {cie, bytes.slice(at, size)};
  }
  return *result;
}

/// The Mercury view's frame beside a native one: the n-th of its function.
Frame FrameRebuilder::findMercuryFrame(const Frame &native) {
  const MercuryFrames &mercury = readMercuryFrames(*native.group);
  Frame found = native;
  auto it = mercury.find({native.function, native.ordinal});
  if (it != mercury.end())
    std::tie(found.cie, found.fde) = it->second;
  return found;
}

/// If the first definition read has no stack frame but isn't the one in force,
/// then of all replaced definitions without one the rules stay, and an advance
/// to the end. Their places are Mercury offsets, and stay if an instruction of
/// the code in force begins there or it is this code's end (nvlink; 90
/// generated links, and ten with code that isn't optimized)
/// [debug-frame-remnants].
FrameRows FrameRebuilder::findRemnants(const Frame &first,
                                       const Frame &source) {
  FrameRows result;
  if (source.group == first.group || readPlainFrame(first.fde).empty())
    return result;
  const uint64_t alignment = getCodeAlignment(source.cie);
  const MercuryOffsets offsets = getMercuryOffsets(*first.function);
  if (!alignment || !offsets.isKnown())
    return result;
  for (size_t i : framesOf.lookup(first.function)) {
    if (frames[i].group == source.group)
      continue;
    const Frame mercury = findMercuryFrame(frames[i]);
    const uint64_t unit = getCodeAlignment(mercury.cie);
    for (const FrameRow &r : readPlainFrame(mercury.fde))
      if (auto place = offsets.toNative(r.place * unit))
        result.push_back({r.place ? *place / alignment : 0, r.rule});
  }
  sortByPlace(result);
  return result;
}

/// Whether a frame is as writeBareFrame() writes it: a Mercury CIE and no
/// instructions.
static bool isBare(const Frame &native) {
  return native.fde.size() == EmptyFdeSize &&
         native.cie.size() > CodeAlignmentOffset &&
         native.cie[CieVersionOffset] == 3 && !native.cie[AugmentationOffset] &&
         native.cie[CodeAlignmentOffset] == 1 && readFrame(native.fde).empty();
}

/// The Mercury frame's rows at their native places, in units of
/// NativeAlignment. A rule that would hold only from the end of the function on
/// is removed. nvlink writes all native frames so (323 of the corpus' inputs;
/// not 27 of kernels with a fence before EXIT, but what has an alias is no
/// kernel).
static FrameRows restoreRows(const Frame &mercury) {
  FrameRows result;
  const uint64_t unit = getCodeAlignment(mercury.cie);
  const MercuryOffsets offsets = getMercuryOffsets(*mercury.function);
  const FrameRows rows = readFrame(mercury.fde);
  for (const FrameRow &row : rows) {
    if (!row.rule.empty() && rows.back().rule.empty() &&
        row.place == rows.back().place)
      continue;
    const uint64_t place = row.place * unit;
    const MercuryOffsets::Pair *at = offsets.find(place);
    if (const auto address = at ? at->run : offsets.toNative(place))
      result.push_back({*address / NativeAlignment, row.rule});
  }
  sortByPlace(result);
  return result;
}

/// Returns the native frame in place of a bare one, made from its Mercury
/// frame; or the bare one if that has no rules.
Frame FrameRebuilder::restoreFrame(const Frame &bare) {
  const FrameRows rows = restoreRows(findMercuryFrame(bare));
  if (rows.empty())
    return bare;
  SmallVector<char, 0> cie(bare.cie), fde(bare.fde);
  cie[CodeAlignmentOffset] = NativeAlignment;
  addRows(rows, 0, fde);
  support::endian::write64le(fde.data() + FrameRangeOffset,
                             bare.function->size);
  Frame result = bare;
  result.cie = inputs.memory.save(cie);
  result.fde = inputs.memory.save(fde);
  return result;
}

/// Adds the rules for moved registers that a newer compiler would write
/// [debug-register-rules].
void FrameRebuilder::addRegisterRules(const Frame &source, uint64_t fdeOffset,
                                      SmallVectorImpl<char> &out) {
  constexpr uint32_t FirstWithRegisterRules = 134;
  const OutputSection *text = source.function->text;
  const uint64_t alignment = getCodeAlignment(source.cie);
  if (!inputs.rules.addsRegisterRules() || !alignment || source.start ||
      !hasCode(*source.function) ||
      source.group->file->compiledFor.toolkit >= FirstWithRegisterRules)
    return;
  Expected<std::vector<RegisterRule>> rules =
      findRegisterRules(text->parts[0].bytes, text->mercury->parts[0].bytes);
  if (!rules) // Who counts the code tells it.
    return consumeError(rules.takeError());
  FrameRows rows;
  for (const RegisterRule &rule : *rules)
    rows.push_back({rule.offset / alignment, rule.instruction});
  if (!rows.empty())
    addRows(rows, fdeOffset, out);
}

/// Writes a frame of native code. The first frame that is written of a function
/// is that of the definition in force, whichever comes first.
FramePlace FrameRebuilder::writeNativeFrame(const Frame &frame,
                                            SmallVectorImpl<char> &out) {
  auto it = inForce.find(frame.function);
  Frame source = it == inForce.end() || frame.start ? frame : it->second;
  if (isBare(source))
    source = restoreFrame(source);
  if (!isBare(frame))
    source.cie = frame.cie;
  const uint64_t cieOffset = out.size();
  out.append(source.cie.begin(), source.cie.end());
  const uint64_t fdeOffset = out.size();
  out.append(source.fde.begin(), source.fde.end());
  if (FrameRows remnants = findRemnants(frame, source); !remnants.empty())
    addRows(remnants, fdeOffset, out);
  addRegisterRules(source, fdeOffset, out);
  char *fde = out.data() + fdeOffset;
  support::endian::write64le(fde + PointerOffset, cieOffset);
  const FramePlace place = {cieOffset, fdeOffset,
                            source.cie.data() == frame.cie.data()};
  moveFrame(frame, source.cie,
            {reinterpret_cast<uint8_t *>(fde), out.size() - fdeOffset});
  return place;
}

static bool hasCollectives(const Function &f) {
  return any_of(f.infoRecords[unsigned(View::Native)], [](const InfoRecord &r) {
    return r.record.code == EIATTR_COOP_GROUP_INSTR_OFFSETS;
  });
}

/// Places in the function's code follow what becomes of that.
void FrameRebuilder::moveFrame(const Frame &frame, ArrayRef<uint8_t> cie,
                               MutableArrayRef<uint8_t> fde) {
  auto check = [&](Error e) {
    if (e)
      inputs.diag.report(
          DiagId::DamagedInput,
          {diag::file(frame.group->file->label), ": ", toString(std::move(e))});
  };
  const OutputSection *text = frame.function->text;
  // Only code of ptxas 13.0 is concerned [collective-places].
  if (inputs.rules.movesIntoCollectives() && text && text->parts.size() == 1 &&
      frame.group->file->compiledFor.toolkit == FirstToolkitOf13 &&
      hasCollectives(*frame.function))
    check(moveFrameIntoCollectives(text->parts.front().bytes, cie, fde,
                                   frame.start));
  const CodeEdit *edit = frame.function->edit;
  if (!edit)
    return;
  if (frame.start)
    support::endian::write64le(fde.data() + PcBeginOffset,
                               edit->newStart(frame.start));
  check(moveCallFrame(*edit, cie, fde, frame.start));
}

/// For each further frame of a function there is no native code, and the
/// finalizer leaves the Mercury CIE and an FDE with the Mercury range and no
/// instructions.
FramePlace FrameRebuilder::writeBareFrame(const Frame &frame,
                                          SmallVectorImpl<char> &out) {
  const Frame source = findMercuryFrame(frame);
  const uint64_t cieOffset = out.size();
  out.append(source.cie.begin(), source.cie.end());
  const uint64_t fdeOffset = out.size();
  out.append(source.fde.begin(), source.fde.begin() + FrameInstructionsOffset);
  out.append(EmptyFdeSize - FrameInstructionsOffset, 0);
  char *fde = out.data() + fdeOffset;
  support::endian::write64le(fde + PointerOffset, cieOffset);
  support::endian::write64le(fde + LengthOffset, EmptyFdeSize - UnitHeaderSize);
  return {cieOffset, fdeOffset, /*hasOwnCie=*/false};
}

/// Appends the CIE and FDE of a frame to `out`, and returns their place.
FramePlace FrameRebuilder::writeFrame(const Frame &frame,
                                      SmallVectorImpl<char> &out) {
  Function *f = frame.function;
  const bool hasCode = frame.start ? f->definedIn == frame.group->file->ordinal
                                   : written.insert(f).second;
  return hasCode && !knownByAlias.contains(f) ? writeNativeFrame(frame, out)
                                              : writeBareFrame(frame, out);
}

/// The CIE of a function inside another one's section says where the section
/// begins: return addresses count from there.
void FrameRebuilder::keepEntry(const Elf_Rela &entry, const Frame &frame,
                               const FramePlace &place) {
  uint64_t offset = place.fde + PcBeginOffset, start = frame.start;
  if (entry.r_offset != frame.pcBegin) {
    if (!place.hasOwnCie || !frame.start)
      return;
    const bool isLost =
        inputs.rules.losesAddressesOfCies() &&
        (inputs.isRelocatable() ||
         (inputs.config.debug && !inputs.config.suppressDebugInfo));
    offset = isLost ? 0 : place.cie + (entry.r_offset - frame.cieBegin);
    start = 0;
  }
  sec.rela->kept.push_back(inputs.memory.shared,
                           {offset, R_CUDA_64, frame.function, int64_t(start)});
}

/// The output lists the entries in reverse reading order.
void FrameRebuilder::keepEntries(ArrayRef<FramePlace> places) {
  size_t end = frames.size();
  for (size_t start : reverse(starts)) {
    if (start != end) {
      const RelocationGroup &g = *frames[start].group;
      const auto first = frames.begin() + start, last = frames.begin() + end;
      for (const Elf_Rela &r : reverse(g.file->file.relas(g.inputSection))) {
        if (r.getType(false) != R_CUDA_64)
          continue;
        // The entry belongs to the frame's CIE, or to its pc_begin.
        auto it = std::lower_bound(first, last, r.r_offset,
                                   [](const Frame &frame, uint64_t offset) {
                                     return frame.pcBegin < offset;
                                   });
        if (it != last && (r.r_offset == it->pcBegin ||
                           r.r_offset - it->cieBegin < it->cie.size()))
          keepEntry(r, *it, places[it - frames.begin()]);
      }
    }
    end = start;
  }
}

void FrameRebuilder::writeFrames() {
  SmallVector<char, 0> out;
  std::vector<FramePlace> places;
  places.reserve(frames.size());
  for (const Frame &frame : frames)
    places.push_back(writeFrame(frame, out));
  if (sec.rela)
    keepEntries(places);
  sec.setContents(inputs.memory.save(out));
}

bool FrameRebuilder::run() {
  for (const RelocationGroup &g : sec.relocations) {
    starts.push_back(frames.size());
    if (!readGroup(g))
      return false;
  }
  writeFrames();
  sec.relocations.clear();
  return true;
}

void rebuildDebugFrame(const Inputs &inputs, const Program &program) {
  OutputSection *sec = findNamedSection(program, SectionKind::DebugFrame);
  if (sec && sec->reachable && inputs.isMercury())
    FrameRebuilder(inputs, program, *sec).run();
}

} // namespace lld::cuda
