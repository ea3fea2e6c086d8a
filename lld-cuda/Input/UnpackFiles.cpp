//===- UnpackFiles.cpp - Device code of one input -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// unpackUnit() takes the device code to link out of an input (a cubin, a
/// fatbin, a host object or PTX), and the names of kernels and variables that
/// its host code refers to [input-suffix], [fatbin-choice], [host-references].
/// From a fatbin it takes the image that fits the target best.
/// loadInputs() in InputFiles.cpp calls it for each file and archive member, in
/// parallel in large links, so it changes only its own unit and keeps messages
/// there. UnpackCubins.cpp then checks each cubin.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Input/InputStore.h"
#include "Input/ObjectFile.h"
#include "Input/OtherImages.h"
#include "Input/Unpacker.h"
#include "Inputs.h"
#include "lld-cuda/Object/Compat.h"
#include "lld-cuda/Object/Note.h"
#include "lld-cuda/Object/OffloadBinary.h"
#include "lld-cuda/Support/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda;

/// Always false, for `return report(...)`.
bool Unpacker::report(DiagId id, MessageParts parts) {
  unit.told.messages.push_back(Diagnostic(id, parts));
  return false;
}

/// Adds a line to the last message of the unit.
void Unpacker::explain(const Twine &line) {
  unit.told.messages.back().notes.push_back(line.str());
}

/// Each payload may be within the limit, and all of them together fill the
/// memory. What isn't much doesn't ask how much there is.
Error Unpacker::takeMemory(uint64_t size) {
  std::atomic<uint64_t> &decompressed =
      unit.store ? unit.store->decompressed : inputs.counts.decompressed;
  uint64_t before = decompressed, sum;
  do {
    sum = SaturatingAdd(before, size);
    uint64_t limit =
        inputs.config.decompressLimit ? *inputs.config.decompressLimit
        : sum <= SmallPayload && !getMemoryLimit() ? sum
                                                   : decompressLimit();
    if (sum > limit)
      return createStringError("the inputs decompress to more than " +
                               Twine(limit >> 20) + " MiB; --" +
                               (inputs.config.limits.memory || getMemoryLimit()
                                    ? "memory"
                                    : "decompress") +
                               "-limit=MiB raises the limit");
  } while (!decompressed.compare_exchange_weak(before, sum));
  return Error::success();
}

/// Returns the contents of an entry, decompressed into the buffer that
/// `getBuffer` returns unless links share them.
Expected<StringRef>
Unpacker::decode(const FatbinEntry &entry,
                 function_ref<SmallVectorImpl<uint8_t> &()> getBuffer) {
  if (!entry.isCompressed())
    return entry.payload;
  auto allow = [&](uint64_t size) { return takeMemory(size); };
  if (unit.store)
    if (std::optional<StringRef> shared = unit.store->getPayload(entry, allow))
      return *shared;
  SmallVectorImpl<uint8_t> &buffer = getBuffer();
  if (Error e = decompress(entry, allow, buffer))
    return e;
  isOwnData = true;
  return toStringRef(buffer);
}

/// Damage for which nvlink has its own words, which don't tell where it is, and
/// add nothing for others.
Unpacker::Outcome Unpacker::damaged(Error e, MessageParts parts) {
  report(DiagId::DamagedFatbin,
         {diag::file(unit.label).bare(), ": ", toString(std::move(e))});
  if (!inputs.config.isLld())
    report(DiagId::DamagedFatbin, parts);
  report(DiagId::FatbinaryError, {"elfLink fatbinary error"});
  return Outcome::Failed;
}

/// Damage on which nvlink crashes or which it takes for something else.
Unpacker::Outcome Unpacker::damagedInput(const Twine &why) {
  report(DiagId::DamagedInput,
         {"Input file ", diag::file(unit.label), " is damaged: ", why.str()});
  return Outcome::Failed;
}

/// Objects without device code can say what an earlier device link has
/// registered; so can, by the look of their ids, objects with it.
void Unpacker::setRegistration(const HostObject &object, bool isLinked,
                               bool lacksArch) {
  if (object.moduleIds && StringRef(*object.moduleIds).starts_with("def ")) {
    unit.host.registration = Registration::Definitions;
    unit.host.moduleIds = *object.moduleIds;
    auto isDefinition = [](StringRef id) { return id.starts_with("def "); };
    if (inputs.config.registerFile && !unit.systemLibrary &&
        !all_of(splitNames(unit.host.moduleIds), isDefinition))
      report(DiagId::ModuleIds, {"unexpected data in module_ids"});
  } else if (object.moduleIds && !object.moduleIds->empty()) {
    // Registered even without code for the target: the runtime may find some
    // elsewhere.
    if (isLinked || lacksArch) {
      unit.host.registration = Registration::ModuleIds;
      unit.host.moduleIds = *object.moduleIds;
    }
  } else if (isLinked && !object.isLayer) {
    // A layer without ids has nothing to register, as its inputs had none.
    unit.host.registration = Registration::Path;
  }
}

static SharedOrOwn<HostObject> readHostObject(const Inputs &inputs,
                                              const InputUnit &unit,
                                              MemoryBufferRef data) {
  InputStore *store = unit.store;
  return {store ? store->getHostObject(data, unit.source) : nullptr, [&] {
            return HostObject::create(data, [&](StringRef part) {
              if (unit.source)
                unit.source->load(part);
            });
          }};
}

void Unpacker::addHostObject(MemoryBufferRef data) {
  SharedOrOwn<HostObject> object = readHostObject(inputs, unit, data);
  if (!object) {
    handleAllErrors(
        object.takeError(),
        [&](const FatbinNotFound &e) {
          addIgnoredWarning(inputs.config, unit.told.messages,
                            {diag::file(unit.label).bare(), ": ", e.message()},
                            /*isLoss=*/false);
          report(DiagId::NoFatbin,
                 {"Could not find fatbin in ", diag::file(unit.label)});
          report(DiagId::InternalLinkError, {"elfLink internal error"});
        },
        [&](const ErrorInfoBase &e) { damagedInput(e.message()); });
    return;
  }
  // Executables and shared objects are linked already.
  if (object->fileType != ELF::ET_REL) {
    unit.host.countsForHostInfo = unit.isMember;
    return;
  }
  if (object->hasFatbinSegment && !object->hasRelocatableFatbin &&
      !object->hasWholeProgramFatbin) {
    report(DiagId::NoFatbin,
           {"Could not find fatbin in ", diag::file(unit.label)});
    report(DiagId::InternalLinkError, {"elfLink internal error"});
    return;
  }

  // That of a device link says what it has registered.
  const bool isDeviceLink =
      object->moduleIds && object->moduleIds->starts_with("def ");
  unit.host.isWholeProgram = object->hasWholeProgramFatbin &&
                             !object->hasRelocatableFatbin && !isDeviceLink;
  bool isLinked = false, isExecutable = false, lacksArch = false;
  for (StringRef fatbin : object->fatbins) {
    Outcome outcome = addFatbinEntry(fatbin);
    if (outcome == Outcome::Failed)
      return;
    isLinked |= outcome == Outcome::Linked;
    isExecutable |= outcome == Outcome::Executable;
    lacksArch |= outcome == Outcome::NotFound;
  }
  for (StringRef section : object->offloadSections) {
    Outcome outcome = addOffloadSection(section);
    if (outcome == Outcome::Failed)
      return;
    if (outcome == Outcome::Linked)
      unit.host.countsForHostInfo = unit.host.hasOffloadCode = true;
  }
  setRegistration(*object, isLinked, lacksArch);
  if (object->isLayer) {
    unit.host.isLayer = true;
    inputs.counts.hasLayers = true;
  }
  // What an earlier device link has registered would be there twice.
  if (inputs.config.registerFile && !object->fatbins.empty() &&
      unit.host.registration == Registration::Definitions) {
    unit.holds.cubins.clear();
    unit.holds.ptx.clear();
    unit.holds.ltoIR.clear();
    unit.holds.anyDeviceCode = false;
    return;
  }
  // An executable cubin counts for nothing, a missing one does.
  if (isExecutable && !isLinked && !lacksArch)
    return;
  unit.host.countsForHostInfo = true;
  unit.host.kernelsExternal = object->kernelsExternal.value_or("");
  unit.host.kernelsInternal = object->kernelsInternal.value_or("");
  unit.host.variablesExternal = object->variablesExternal.value_or("");
  unit.host.constantsExternal = object->constantsExternal.value_or("");
  unit.host.hasHostLists = !unit.host.kernelsExternal.empty();
  unit.host.variablesInternal = object->variablesInternal.value_or("");
  unit.host.constantsInternal = object->constantsInternal.value_or("");
}

/// Device code without host code: nobody says what the host refers to. A fatbin
/// without code for the target isn't registered, and then doesn't count at all.
/// One whose LTO IR is wanted isn't registered, either (observed).
void Unpacker::addFatbin(StringRef data) {
  Outcome outcome = addFatbinEntry(data);
  unit.host.countsForHostInfo =
      outcome == Outcome::Linked ||
      (outcome == Outcome::NotFound && !inputs.config.registerFile);
  if (outcome == Outcome::Linked && unit.holds.ltoIR.empty() &&
      !unit.holds.ignoresLto)
    unit.host.registration = Registration::Path;
}

/// For a virtual target only PTX will do, without link-time optimization.
int Unpacker::chooseEntry(ArrayRef<FatbinEntry> entries,
                          unsigned toolkit) const {
  bool wantLTO = inputs.config.lto && !unit.holds.ignoresLto;
  const bool isForPtx = inputs.config.virtualArch && !wantLTO;
  // Inputs may yet choose a later release.
  const bool skipsConcatenated =
      choice.isFixed && rules.passesOverConcatenated();
  if (!isForPtx && !skipsConcatenated)
    return chooseFatbinEntry(entries, inputs.config.arch, toolkit, wantLTO);
  std::vector<FatbinEntry> some = entries.vec();
  for (FatbinEntry &entry : some)
    if ((isForPtx && entry.kind != FatbinKind::PTX) ||
        (skipsConcatenated && entry.isConcatenated))
      entry.kind = FatbinKind(0); // Nobody takes it.
  return chooseFatbinEntry(some, inputs.config.arch, toolkit, wantLTO);
}

void Unpacker::warnMissingArch(const Twine &has) {
  if (inputs.config.suppressArchWarning || unit.isMember || unit.systemLibrary)
    return;
  report(DiagId::ArchNotFound,
         {"SM Arch (", diag::quoted(inputs.config.archName), ") not found in ",
          diag::file(unit.label)});
  explain("it has only " + has +
          ", so nothing of it is in the image; compile it for " +
          inputs.config.archName + ", too");
}

/// nvlink doesn't know clang's offloading. An object has an image for each
/// architecture; after `ld -r` there are several for the one that is chosen, by
/// the rules of fatbins.
Unpacker::Outcome Unpacker::addOffloadSection(StringRef data) {
  Expected<std::vector<OffloadImage>> images = readOffloadImages(data);
  if (!images)
    return damagedInput("section '.llvm.offloading': " +
                        toString(images.takeError()));
  std::vector<FatbinEntry> entries;
  for (const OffloadImage &image : *images) {
    auto arch = elf::parseArchitecture(image.arch.split('_').second);
    if (!image.isForNvidia() || !arch)
      continue;
    FatbinEntry entry{};
    entry.kind = image.kind == OffloadKind::PTX ? FatbinKind::PTX
                 : isBitcode(image.data)        ? FatbinKind::LTOIR
                                                : FatbinKind::ELF;
    entry.arch = *arch;
    entry.flags = FATBIN_64BIT;
    entry.payload = image.data;
    entries.push_back(entry);
  }
  if (entries.empty())
    return Outcome::Executable; // Nothing for us.
  unit.holds.anyDeviceCode = true;
  const int chosen = chooseImage(entries);
  if (chosen < 0) {
    warnMissingArch(describeImages(entries));
    return Outcome::NotFound;
  }
  const FatbinEntry model = entries[chosen];
  if (model.kind == FatbinKind::LTOIR && !inputs.config.isLld()) {
    report(DiagId::BitcodeInput,
           {diag::file(unit.label),
            " holds LLVM bitcode, which ld.cuda links, but nvlink doesn't"});
    return Outcome::Failed;
  }
  for (const FatbinEntry &entry : entries) {
    if (entry.kind != model.kind || entry.arch.number != model.arch.number ||
        entry.arch.suffix != model.arch.suffix)
      continue;
    if (entry.kind == FatbinKind::LTOIR)
      addBitcode(entry.payload);
    else if (entry.kind == FatbinKind::PTX)
      addPTX(entry.payload, "");
    else if (addImage(entry.payload, unit.holds.cubins.size()) ==
             Outcome::Failed)
      return Outcome::Failed;
  }
  return Outcome::Linked;
}

/// The toolkit that compiled an image; nothing if it isn't a cubin that can be
/// read, which is found out when it is linked.
std::optional<unsigned> Unpacker::readToolkit(const FatbinEntry &entry) {
  if (entry.kind != FatbinKind::ELF)
    return std::nullopt;
  SmallVector<uint8_t, 0> decoded;
  Expected<StringRef> image =
      decode(entry, [&]() -> auto & { return decoded; });
  if (!image) {
    consumeError(image.takeError());
    return std::nullopt;
  }
  Expected<CubinFile> file =
      CubinFile::create(MemoryBufferRef(*image, unit.label));
  if (!file) {
    consumeError(file.takeError());
    return std::nullopt;
  }
  Expected<CompiledFor> compiledFor = readCompiledFor(*file);
  if (!compiledFor) {
    consumeError(compiledFor.takeError());
    return std::nullopt;
  }
  return compiledFor->toolkit;
}

/// As long as the inputs may choose a later release, with which other images
/// link, the toolkit of the image tells: the release won't be an older one
/// [fatbin-choice].
int Unpacker::chooseImage(ArrayRef<FatbinEntry> entries) {
  const unsigned toolkit = rules.release().toolkit;
  const int chosen = chooseEntry(entries, pairsToolkit(toolkit));
  if (choice.isFixed)
    return chosen;
  const int newest =
      chooseEntry(entries, pairsToolkit(newestRelease().toolkit));
  if (newest == chosen)
    return chosen;
  for (int index : {newest, chosen})
    if (index >= 0)
      if (std::optional<unsigned> compiledBy = readToolkit(entries[index]))
        return chooseEntry(entries,
                           pairsToolkit(std::max(toolkit, *compiledBy)));
  return chosen;
}

Unpacker::Outcome Unpacker::addFatbinEntry(StringRef data) {
  unit.holds.anyDeviceCode = true;
  InputStore *store = unit.store;
  SharedOrOwn<FatbinReader> reader(store ? store->getFatbin(data) : nullptr,
                                   [&] { return FatbinReader::create(data); });
  if (!reader)
    return damaged(reader.takeError(),
                   {"Binary format for key='0', ident='' is not recognized"});

  const int chosen = chooseImage(reader->entries());
  if (chosen < 0) {
    warnMissingArch(describeImages(reader->entries()));
    return Outcome::NotFound;
  }

  const FatbinEntry &entry = reader->entries()[chosen];
  if (entry.kind == FatbinKind::LTOIR)
    return addLtoEntry(*reader, chosen, data);
  // Nothing is linked for a virtual target, so nothing is compiled either.
  if (inputs.config.virtualArch) {
    unit.holds.isLeftUncompiled = true;
    return Outcome::Linked;
  }
  Outcome outcome = unpackEntry(entry);
  if (outcome == Outcome::Failed && reader->entries().size() > 1 &&
      !unit.told.messages.empty())
    explain("in entry " + Twine(chosen + 1) + " of the fatbin, " +
            describeImages(entry) + ", at 0x" + Twine::utohexstr(entry.offset));
  return outcome;
}

Unpacker::Outcome Unpacker::unpackEntry(const FatbinEntry &entry) {
  Expected<StringRef> payload = decode(
      entry, [&]() -> auto & { return unit.holds.payloads.emplace_back(); });
  if (!payload)
    return damaged(payload.takeError(), {"Uncompress failed"});
  if (entry.kind == FatbinKind::PTX) {
    addPTX(*payload, entry.options);
    return Outcome::Linked;
  }
  return addImage(*payload, unit.holds.cubins.size());
}

Unpacker::Outcome Unpacker::addLtoEntry(const FatbinReader &reader,
                                        unsigned index, StringRef fatbin) {
  if (!inputs.config.lto) {
    report(DiagId::LtoNotEnabled, {"LTO objects found, use -dlto"});
    explain("'" + unit.label +
            "' was compiled with -dlto; link it with nvcc -dlto, or with "
            "nvlink -lto -nvvmpath=DIR");
    return Outcome::Failed;
  }
  if (unit.holds.ignoresLto) {
    report(DiagId::OnlyLtoIR,
           {diag::file(unit.label), " has only LTO IR; compile it for sm_",
            inputs.config.arch.number, ", too"});
    return Outcome::Failed;
  }
  ArrayRef<FatbinEntry> entries = reader.entries();
  uint64_t end =
      index + 1 == entries.size() ? reader.size() : entries[index + 1].offset;
  unit.holds.ltoIR.push_back({true, fatbin.slice(entries[index].offset, end),
                              entries[index].options,
                              entries[index].versionMinor});
  return Outcome::Linked;
}

/// A bare file has it after its magic number [lto-major].
static unsigned readLtoVersion(StringRef data) {
  constexpr size_t Major = 4, Minor = 5;
  return data.size() > Minor && data[Major] == 1 ? uint8_t(data[Minor]) : 0;
}

/// A file of LTO IR is taken for whatever architecture it was made.
void Unpacker::addLtoFile(StringRef data) {
  unit.holds.anyDeviceCode = unit.host.countsForHostInfo = true;
  if (unit.holds.ignoresLto)
    report(DiagId::OnlyLtoIR, {diag::file(unit.label), " has only LTO IR"});
  else
    unit.holds.ltoIR.push_back({false, data, "", readLtoVersion(data)});
}

void Unpacker::addBitcode(StringRef data) {
  unit.holds.anyDeviceCode = unit.host.countsForHostInfo = true;
  unit.host.registration = Registration::Path;
  unit.holds.bitcode.push_back({data, {}});
}

/// PTX begins with ".version", after blanks and comments.
bool lld::cuda::isPTX(StringRef text) {
  while (true) {
    text = text.ltrim(" \t\n\v\f\r");
    if (text.consume_front("//"))
      text = text.drop_until([](char c) { return c == '\n'; });
    else if (text.consume_front("/*"))
      text = text.split("*/").second;
    else
      return text.starts_with(".version");
  }
}

void Unpacker::addPTXFile(StringRef text) {
  unit.holds.anyDeviceCode = unit.host.countsForHostInfo = true;
  unit.host.registration = Registration::Path;
  if (!isPTX(text)) {
    if (inputs.config.isLld())
      report(DiagId::UnknownFormat,
             {diag::file(unit.label).bare(), ": not PTX: it has no .version"});
    else
      report(DiagId::UnknownFormat,
             {"Binary format for key='0', ident='' is not recognized"});
    report(DiagId::FatbinaryError, {"elfLink fatbinary error"});
  } else if (inputs.config.virtualArch) {
    unit.holds.isLeftUncompiled = true;
  } else {
    addPTX(text, "");
  }
}

/// The text ends at the first NUL.
void Unpacker::addPTX(StringRef text, StringRef options) {
  text = text.take_until([](char c) { return c == 0; });
  unit.holds.ptx.push_back({text, options, unit.holds.cubins.size()});
}

void lld::cuda::recheckArchitectures(const Inputs &inputs, InputUnit &unit) {
  for (const LoadedCubin &cubin : unit.holds.cubins)
    if (!Unpacker(inputs, unit, inputs.settled).checkArchitecture(cubin.file))
      return;
}

void lld::cuda::unpackUnit(const Inputs &inputs, InputUnit &unit,
                           MemoryBufferRef data) {
  Unpacker unpacker(inputs, unit);
  switch (unit.kind) {
  case ContentKind::Cubin:
    return unpacker.addCubin(data.getBuffer());
  case ContentKind::PTX:
    return unpacker.addPTXFile(data.getBuffer());
  case ContentKind::Fatbin:
    return unpacker.addFatbin(data.getBuffer());
  case ContentKind::HostObject:
    return unpacker.addHostObject(data);
  case ContentKind::LTOIR:
    return unpacker.addLtoFile(data.getBuffer());
  case ContentKind::Bitcode:
    return unpacker.addBitcode(data.getBuffer());
  case ContentKind::OffloadBinary:
    unpacker.addOffloadSection(data.getBuffer());
    return;
  }
  llvm_unreachable("unknown kind");
}

void lld::cuda::noteCodeWithoutLto(const Inputs &inputs, InputUnit &unit) {
  if (inputs.config.lto && !unit.holds.ignoresLto && unit.holds.ltoIR.empty() &&
      (!unit.holds.cubins.empty() || !unit.holds.ptx.empty() ||
       unit.holds.isLeftUncompiled) &&
      !(inputs.config.isCommandLine
            ? StringRef(unit.label).contains("cudadevrt")
            : unit.systemLibrary))
    unit.told.messages.push_back(Diagnostic(
        DiagId::PartialLto, {"requested LTO but ", diag::file(unit.label),
                             " not built for LTO so doing partial LTO"}));
}

void lld::cuda::unpackWithoutLto(Inputs &inputs, InputUnit &unit) {
  unit.holds.ignoresLto = true;
  unit.holds.ltoIR.clear();
  unit.holds.cubins.clear();
  unit.holds.ptx.clear();
  unpackUnit(inputs, unit, MemoryBufferRef(unit.data, unit.label));
  compilePtx(inputs, {&unit});
}

bool lld::cuda::addCompiledImage(const Inputs &inputs, InputUnit &unit,
                                 StringRef data, size_t position) {
  return Unpacker(inputs, unit).addOwnImage(data, position) ==
         Unpacker::Outcome::Linked;
}
