//===- UnitContents.cpp - Device code of one input ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Takes the cubins to link out of a cubin, a fatbin or a host object, and the
/// names that the host code refers to (spec: inputs, sections 2.3 to 7.1).
/// Runs for many units at once, so it touches its unit only.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Explain.h"
#include "InputFiles.h"
#include "lld-cuda/Object/Compat.h"
#include "lld-cuda/Object/Note.h"
#include "lld-cuda/Object/OffloadBinary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace lld::cuda;

namespace {

/// The toolkit whose objects we can read: 13.0.
constexpr unsigned ToolkitVersion = 130;

class Unpacker {
public:
  Unpacker(const Ctx &ctx, InputUnit &unit) : ctx(ctx), unit(unit) {}

  void addHostObject(MemoryBufferRef data);
  void addFatbin(StringRef data);
  void addCubin(StringRef data);
  void addPTXFile(StringRef text);
  void addLtoFile(StringRef data);
  void addBitcode(StringRef data);

  /// What became of a fatbin.
  enum class Outcome { Linked, Executable, NotFound, Failed };
  Outcome addOffloadSection(StringRef data);
  Outcome addImage(StringRef data, size_t position);

private:
  int chooseEntry(ArrayRef<FatbinEntry> entries) const;
  Outcome addFatbinEntry(StringRef data);
  Outcome unpackEntry(const FatbinEntry &entry);
  void warnMissingArch(const Twine &has);
  Outcome addLtoEntry(const FatbinReader &reader, unsigned index,
                      StringRef fatbin);
  void addPTX(StringRef text, StringRef options);
  bool checkHeader(StringRef data);
  bool checkCubin(const CubinFile &file);
  bool checkArchitecture(const CubinFile &file);
  void setRegistration(const HostObject &object, bool isLinked, bool lacksArch);
  bool takeFromBudget(uint64_t size);
  Outcome damaged(Error error, const Twine &text);
  Outcome damagedInput(const Twine &why);
  bool fatal(const Twine &text);
  void error(const Twine &text);
  void warning(const Twine &text);
  void explain(const Twine &text);
  std::string quoted() const { return "'" + unit.label + "'"; }

  const Ctx &ctx;
  InputUnit &unit;
};

} // namespace

/// Always false, for `return fatal(...)`.
bool Unpacker::fatal(const Twine &text) {
  unit.messages.push_back({Severity::Fatal, text.str()});
  return false;
}

void Unpacker::warning(const Twine &text) {
  unit.messages.push_back({Severity::Warning, text.str()});
}

void Unpacker::explain(const Twine &text) {
  unit.messages.push_back({Severity::Explanation, text.str()});
}

void Unpacker::error(const Twine &text) {
  unit.messages.push_back({Severity::Error, text.str()});
}

/// Whether there is room for another payload.
bool Unpacker::takeFromBudget(uint64_t size) {
  uint64_t left = ctx.decompressBudget;
  while (left >= size)
    if (ctx.decompressBudget.compare_exchange_weak(left, left - size))
      return true;
  return false;
}

/// Damage for which nvlink has its own words, which don't tell where it is.
Unpacker::Outcome Unpacker::damaged(Error e, const Twine &text) {
  error(unit.label + ": " + toString(std::move(e)));
  error(text);
  fatal("elfLink fatbinary error");
  return Outcome::Failed;
}

/// Damage on which nvlink crashes or which it takes for something else.
Unpacker::Outcome Unpacker::damagedInput(const Twine &why) {
  fatal("Input file " + quoted() + " is damaged: " + why);
  return Outcome::Failed;
}

/// Objects without device code can say what an earlier device link has
/// registered; so can, by the look of their ids, objects with it.
void Unpacker::setRegistration(const HostObject &object, bool isLinked,
                               bool lacksArch) {
  using Registration = InputUnit::Registration;
  if (object.moduleIds && StringRef(*object.moduleIds).starts_with("def ")) {
    unit.registration = Registration::Definitions;
    unit.moduleIds = *object.moduleIds;
    auto isDefinition = [](StringRef id) { return id.starts_with("def "); };
    if (ctx.config.registerFile && !unit.systemLibrary &&
        !all_of(splitNames(unit.moduleIds), isDefinition))
      fatal("unexpected data in module_ids");
  } else if (object.moduleIds && !object.moduleIds->empty()) {
    // Also without code for the target: the runtime may find some elsewhere.
    if (isLinked || lacksArch) {
      unit.registration = Registration::ModuleIds;
      unit.moduleIds = *object.moduleIds;
    }
  } else if (isLinked) {
    unit.registration = Registration::Path;
  }
}

void Unpacker::addHostObject(MemoryBufferRef data) {
  Expected<HostObject> object = HostObject::create(data);
  if (!object) {
    handleAllErrors(
        object.takeError(),
        [&](const FatbinNotFound &e) {
          addIgnoredWarning(ctx, unit.messages, unit.label + ": " + e.message(),
                            /*isLoss=*/false);
          fatal("Could not find fatbin in " + quoted());
          fatal("elfLink internal error");
        },
        [&](const ErrorInfoBase &e) { damagedInput(e.message()); });
    return;
  }
  // Executables and shared objects are linked already.
  if (object->fileType != ELF::ET_REL) {
    unit.countsForHostInfo = unit.isMember;
    return;
  }
  if (object->hasFatbinSegment && !object->hasRelocatableFatbin &&
      !object->hasWholeProgramFatbin) {
    fatal("Could not find fatbin in " + quoted());
    fatal("elfLink internal error");
    return;
  }

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
      unit.countsForHostInfo = true;
  }
  setRegistration(*object, isLinked, lacksArch);
  // What an earlier device link has registered would be there twice.
  if (ctx.config.registerFile && !object->fatbins.empty() &&
      unit.registration == InputUnit::Registration::Definitions) {
    unit.cubins.clear();
    unit.ptx.clear();
    unit.ltoIR.clear();
    unit.holdsDeviceCode = false;
    return;
  }
  // An executable cubin counts for nothing, a missing one does.
  if (isExecutable && !isLinked && !lacksArch)
    return;
  unit.countsForHostInfo = true;
  unit.kernelsExternal = object->kernelsExternal.value_or("");
  unit.kernelsInternal = object->kernelsInternal.value_or("");
  unit.variablesExternal = object->variablesExternal.value_or("");
  unit.constantsExternal = object->constantsExternal.value_or("");
  unit.hasHostLists = !unit.kernelsExternal.empty();
  unit.variablesInternal = object->variablesInternal.value_or("");
  unit.constantsInternal = object->constantsInternal.value_or("");
}

/// Device code without host code: nobody says what the host refers to. A fatbin
/// without code for the target isn't registered, and then doesn't count at all.
void Unpacker::addFatbin(StringRef data) {
  Outcome outcome = addFatbinEntry(data);
  unit.countsForHostInfo =
      outcome == Outcome::Linked ||
      (outcome == Outcome::NotFound && !ctx.config.registerFile);
  if (outcome == Outcome::Linked)
    unit.registration = InputUnit::Registration::Path;
}

/// For a virtual target only PTX will do.
int Unpacker::chooseEntry(ArrayRef<FatbinEntry> entries) const {
  bool wantLTO = ctx.config.lto && !unit.ignoresLto;
  int chosen = chooseFatbinEntry(entries, ctx.config.arch, wantLTO);
  if (!ctx.config.virtualArch ||
      (wantLTO && chosen >= 0 && entries[chosen].kind == FatbinKind::LTOIR))
    return chosen;
  std::vector<FatbinEntry> ptx = entries.vec();
  for (FatbinEntry &entry : ptx)
    if (entry.kind != FatbinKind::PTX)
      entry.kind = FatbinKind(0); // Nobody takes it.
  return chooseFatbinEntry(ptx, ctx.config.arch);
}

void Unpacker::warnMissingArch(const Twine &has) {
  if (ctx.config.suppressArchWarning || unit.isMember || unit.systemLibrary)
    return;
  warning("SM Arch ('" + ctx.config.archName + "') not found in " + quoted());
  explain("it has " + has);
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
  unit.holdsDeviceCode = true;
  const int chosen = chooseEntry(entries);
  if (chosen < 0) {
    warnMissingArch(describeImages(entries));
    return Outcome::NotFound;
  }
  const FatbinEntry model = entries[chosen];
  if (model.kind == FatbinKind::LTOIR && !ctx.config.isLld()) {
    fatal("'" + unit.label +
          "' holds LLVM bitcode; ld.cuda takes it, nvlink doesn't");
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
    else if (addImage(entry.payload, unit.cubins.size()) == Outcome::Failed)
      return Outcome::Failed;
  }
  return Outcome::Linked;
}

Unpacker::Outcome Unpacker::addFatbinEntry(StringRef data) {
  unit.holdsDeviceCode = true;
  Expected<FatbinReader> reader = FatbinReader::create(data);
  if (!reader)
    return damaged(reader.takeError(),
                   "Binary format for key='0', ident='' is not recognized");

  int chosen = chooseEntry(reader->entries());
  if (chosen < 0) {
    warnMissingArch(describeImages(reader->entries()));
    return Outcome::NotFound;
  }

  const FatbinEntry &entry = reader->entries()[chosen];
  if (entry.kind == FatbinKind::LTOIR)
    return addLtoEntry(*reader, chosen, data);
  // Nothing is linked for a virtual target, so nothing is compiled either.
  if (ctx.config.virtualArch)
    return Outcome::Linked;
  Outcome outcome = unpackEntry(entry);
  if (outcome == Outcome::Failed && reader->entries().size() > 1)
    explain("in entry " + Twine(chosen + 1) + " of the fatbin, " +
            describeImages(entry) + ", at 0x" + Twine::utohexstr(entry.offset));
  return outcome;
}

Unpacker::Outcome Unpacker::unpackEntry(const FatbinEntry &entry) {
  StringRef payload = entry.payload;
  if (entry.isCompressed()) {
    unit.payloads.emplace_back();
    // Each may be within its limit, and all of them together fill the memory.
    if (!takeFromBudget(entry.uncompressedSize))
      return damaged(
          createStringError("the inputs decompress to more than " +
                            Twine(ctx.config.decompressLimits.maxRatio) +
                            " times their size"),
          "Uncompress failed");
    if (Error e = decompress(entry, ctx.config.decompressLimits,
                             unit.payloads.back()))
      return damaged(std::move(e), "Uncompress failed");
    payload = toStringRef(unit.payloads.back());
  }
  if (entry.kind == FatbinKind::PTX) {
    addPTX(payload, entry.options);
    return Outcome::Linked;
  }
  return addImage(payload, unit.cubins.size());
}

Unpacker::Outcome Unpacker::addLtoEntry(const FatbinReader &reader,
                                        unsigned index, StringRef fatbin) {
  if (!ctx.config.lto) {
    fatal("LTO objects found, use -dlto");
    return Outcome::Failed;
  }
  if (unit.ignoresLto) {
    fatal(quoted() + " has nothing but LTO IR; compile it for sm_" +
          Twine(ctx.config.arch.number) + ", too");
    return Outcome::Failed;
  }
  ArrayRef<FatbinEntry> entries = reader.entries();
  uint64_t end =
      index + 1 == entries.size() ? reader.size() : entries[index + 1].offset;
  unit.ltoIR.push_back(
      {true, fatbin.slice(entries[index].offset, end), entries[index].options});
  return Outcome::Linked;
}

/// A file of LTO IR is taken for whatever architecture it was made.
void Unpacker::addLtoFile(StringRef data) {
  unit.holdsDeviceCode = unit.countsForHostInfo = true;
  unit.registration = InputUnit::Registration::Path;
  if (unit.ignoresLto)
    fatal(quoted() + " has nothing but LTO IR");
  else
    unit.ltoIR.push_back({false, data, ""});
}

void Unpacker::addBitcode(StringRef data) {
  unit.holdsDeviceCode = unit.countsForHostInfo = true;
  unit.registration = InputUnit::Registration::Path;
  unit.bitcode.push_back({data, {}});
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
  unit.holdsDeviceCode = unit.countsForHostInfo = true;
  unit.registration = InputUnit::Registration::Path;
  if (!isPTX(text)) {
    error("Binary format for key='0', ident='' is not recognized");
    fatal("elfLink fatbinary error");
  } else if (!ctx.config.virtualArch) {
    addPTX(text, "");
  }
}

/// The text ends at the first NUL.
void Unpacker::addPTX(StringRef text, StringRef options) {
  text = text.take_until([](char c) { return c == 0; });
  unit.ptx.push_back({text, options, unit.cubins.size()});
}

void Unpacker::addCubin(StringRef data) {
  unit.holdsDeviceCode = true;
  // Of the types that aren't ET_REL only the suffix .cubin is good enough.
  constexpr size_t typeOffset = 16;
  if (!StringRef(unit.label).ends_with(".cubin") &&
      data.size() >= sizeof(Elf_Ehdr) &&
      support::endian::read16le(data.data() + typeOffset) != ELF::ET_REL)
    return;
  if (addImage(data, unit.cubins.size()) != Outcome::Linked)
    return;
  unit.countsForHostInfo = true;
  unit.registration = InputUnit::Registration::Path;
}

/// A file that ends in front of its section table's end: nvlink passes over it
/// without a word. Here it is an error, but one that lets the link go on, so
/// that what nvlink says of the rest is said as well.
static bool isCutOff(StringRef data) {
  auto &header = *reinterpret_cast<const Elf_Ehdr *>(data.data());
  const uint64_t size = uint64_t(header.e_shnum) * sizeof(Elf_Shdr);
  return header.e_shoff > data.size() || data.size() - header.e_shoff < size;
}

Unpacker::Outcome Unpacker::addImage(StringRef data, size_t position) {
  if (data.size() < sizeof(Elf_Ehdr))
    return damagedInput("ELF header of 64 bytes is cut after " +
                        Twine(data.size()) + " bytes");
  // Linked executables are passed over, whatever is wrong with them.
  auto &header = *reinterpret_cast<const Elf_Ehdr *>(data.data());
  if (isCubin(data) && header.e_type == ELF::ET_EXEC) {
    addIgnoredWarning(ctx, unit.messages,
                      quoted() + " is ignored: it is linked already",
                      /*isLoss=*/true);
    return Outcome::Executable;
  }
  if (header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64) {
    fatal("Input file " + quoted() + " size does not match target '-m64'");
    return Outcome::Failed;
  }
  if (!isCubin(data))
    return damagedInput("it is no ELF file for CUDA");
  if (!checkHeader(data))
    return Outcome::Failed;
  Expected<CubinFile> file =
      CubinFile::create(MemoryBufferRef(data, unit.label));
  if (!file && unit.kind == ContentKind::Cubin && isCutOff(data)) {
    unit.cutOff =
        "Input file " + quoted() + " is damaged: " + toString(file.takeError());
    return Outcome::Executable;
  }
  if (!file)
    return damagedInput(toString(file.takeError()));
  if (!checkCubin(*file))
    return Outcome::Failed;
  if (!unit.lazy)
    populatePages(data);
  unit.cubins.insert(unit.cubins.begin() + position,
                     {std::move(*file), unit.label});
  return Outcome::Linked;
}

bool Unpacker::checkHeader(StringRef data) {
  auto &header = *reinterpret_cast<const Elf_Ehdr *>(data.data());
  if (header.e_ident[ELF::EI_OSABI] != elf::ELFOSABI_CUDA_13) {
    warning("expected 64bit object " + quoted() +
            " to have EF_CUDA_64BIT_ADDRESS set");
    return fatal("Input file " + quoted() + " abi does not match");
  }
  if (header.e_ident[ELF::EI_ABIVERSION] != elf::CUDA_ABI_VERSION)
    return fatal("Input file " + quoted() + " abi does not match");
  return true;
}

/// Whether .nv.compat says that the code is for an "a" architecture; a damaged
/// section is told of when it is merged.
static bool isAccelerated(const CubinFile &file) {
  unsigned index = file.findSection(".nv.compat");
  if (!index)
    return false;
  bool result = false;
  consumeError(forEachNvInfoRecord(
      file.contents(index), [&](size_t, const NvInfoRecord &record) {
        if (record.code == COMPAT_CUDA_ACCELERATOR_TARGET)
          result = record.value & 1;
        return Error::success();
      }));
  return result;
}

bool Unpacker::checkArchitecture(const CubinFile &file) {
  elf::Architecture object;
  object.number = file.smNumber();
  if (object.number == 0)
    return fatal("Unknown arch name 'sm_0'");
  if (isAccelerated(file))
    object.suffix = elf::Architecture::Accelerated;
  elf::Architecture target = ctx.config.arch;
  if (elf::isLinkCompatible(object, target))
    return true;
  if (!object.isMercury() && target.isMercury())
    warning("Output is limited to run on SM Arch '" + Twine(target.number) +
            "' only due to limitations in input file " + unit.label);
  fatal("Input file " + quoted() + " arch does not match target '" +
        ctx.config.archName + "'");
  explain("it is for sm_" + Twine(object.number) +
          (object.suffix == elf::Architecture::Accelerated ? "a" : ""));
  return false;
}

/// In nvlink's order, which decides which of several mistakes is told.
bool Unpacker::checkCubin(const CubinFile &file) {
  if (!checkArchitecture(file))
    return false;
  uint32_t flags = file.header().e_flags;
  unsigned cuinfo = file.findSection(".note.nv.cuinfo");
  unsigned cuinfoFlag = flags >> 24;
  // Only sm_90 objects are held to it (spec: addendum, section 1.1, item 2).
  if (file.smNumber() == 90 && cuinfoFlag != cuinfo && cuinfoFlag != 0xff)
    return fatal("Input file " + quoted() +
                 " must be recompiled with toolkit >= Cuda 12.0");
  if (cuinfo) {
    Expected<CuInfoNote> note = readCuInfoNote(file.contents(cuinfo));
    if (!note) {
      damagedInput(toString(note.takeError()));
      return false;
    }
    if (note->toolkit > ToolkitVersion)
      return fatal("Input file " + quoted() + " newer than toolkit (" +
                   Twine(note->toolkit) + " vs " + Twine(ToolkitVersion) + ")");
  }
  bool isMercury = file.hasMercuryFlag(), isNative = flags & elf::EF_CUDA_SASS;
  if (isMercury && (isNative || file.smNumber() < elf::FirstMercurySM)) {
    damagedInput("e_flags 0x" + Twine::utohexstr(flags) +
                 " contradict each other");
    return false;
  }
  if (!isMercury && file.smNumber() >= elf::FirstMercurySM)
    warning("Output is limited to run on SM Arch '" +
            Twine(ctx.config.arch.number) +
            "' only due to limitations in input file " + unit.label);
  return true;
}

void lld::cuda::unpackUnit(const Ctx &ctx, InputUnit &unit,
                           MemoryBufferRef data) {
  Unpacker unpacker(ctx, unit);
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

void lld::cuda::noteCodeWithoutLto(const Ctx &ctx, InputUnit &unit) {
  if (ctx.config.lto && !unit.ignoresLto && unit.ltoIR.empty() &&
      !(unit.cubins.empty() && unit.ptx.empty()) &&
      !StringRef(unit.label).contains("cudadevrt"))
    unit.messages.push_back(
        {Severity::Info, "requested LTO but '" + unit.label +
                             "' not built for LTO so doing partial LTO"});
}

void lld::cuda::unpackWithoutLto(const Ctx &ctx, InputUnit &unit) {
  unit.ignoresLto = true;
  unit.ltoIR.clear();
  unit.cubins.clear();
  unit.ptx.clear();
  unpackUnit(ctx, unit, MemoryBufferRef(unit.data, unit.label));
  compilePtx(ctx, unit);
}

bool lld::cuda::addCompiledImage(const Ctx &ctx, InputUnit &unit,
                                 StringRef data, size_t position) {
  return Unpacker(ctx, unit).addImage(data, position) ==
         Unpacker::Outcome::Linked;
}
