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
#include "InputFiles.h"
#include "lld-cuda/Object/Compat.h"
#include "lld-cuda/Object/Note.h"
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
  void addCubin(StringRef data, bool fromFatbin);
  void addPTX(StringRef text);

private:
  bool checkHeader(StringRef data, bool fromFatbin);
  bool checkCubin(const CubinFile &file);
  bool checkArchitecture(const CubinFile &file);
  bool fatal(const Twine &text);
  void warning(const Twine &text);
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

void Unpacker::addHostObject(MemoryBufferRef data) {
  Expected<HostObject> object = HostObject::create(data);
  if (!object) {
    handleAllErrors(
        object.takeError(),
        [&](const FatbinNotFound &e) {
          unit.messages.push_back(
              {Severity::Error, unit.label + ": " + e.message()});
          fatal("Could not find fatbin in " + quoted());
          fatal("elfLink internal error");
        },
        [&](const ErrorInfoBase &e) {
          fatal("Input file " + quoted() + " is damaged: " + e.message());
        });
    return;
  }
  // Executables and shared objects are linked already.
  if (object->fileType != ELF::ET_REL)
    return;

  unit.countsForHostInfo = true;
  unit.hasHostLists = object->kernelsExternal.has_value();
  unit.kernelsExternal = object->kernelsExternal.value_or("");
  unit.kernelsInternal = object->kernelsInternal.value_or("");
  unit.moduleIds = object->moduleIds.value_or("");
  bool hasIds = unit.moduleIds.find_first_not_of('\0') != StringRef::npos;

  if (object->hasFatbinSegment && !object->hasRelocatableFatbin &&
      !object->hasWholeProgramFatbin) {
    fatal("Could not find fatbin in " + quoted());
    fatal("elfLink internal error");
    return;
  }
  if (object->fatbins.empty()) {
    if (hasIds)
      unit.registration = InputUnit::Registration::Definitions;
    return;
  }
  if (hasIds && unit.moduleIds.starts_with("def ")) {
    fatal("unexpected data in module_ids");
    return;
  }
  unit.registration = hasIds ? InputUnit::Registration::ModuleIds
                             : InputUnit::Registration::Path;
  for (StringRef fatbin : object->fatbins)
    addFatbin(fatbin);
}

void Unpacker::addFatbin(StringRef data) {
  auto damaged = [&](Error error, const Twine &text) {
    unit.messages.push_back(
        {Severity::Error, unit.label + ": " + toString(std::move(error))});
    unit.messages.push_back({Severity::Error, text.str()});
    fatal("elfLink fatbinary error");
  };
  Expected<FatbinReader> reader = FatbinReader::create(data);
  if (!reader)
    return damaged(reader.takeError(),
                   "Binary format for key='0', ident='' is not recognized");

  int chosen = chooseFatbinEntry(reader->entries(), ctx.config.arch);
  if (chosen < 0) {
    if (ctx.config.suppressArchWarning)
      return;
    warning("SM Arch ('" + ctx.config.archName + "') not found in " + quoted());
    if (ctx.config.warningsAsErrors && !ctx.diag.hidesWarnings())
      fatal("elfLink internal error");
    return;
  }

  const FatbinEntry &entry = reader->entries()[chosen];
  StringRef payload = entry.payload;
  if (entry.kind == FatbinKind::LTOIR) {
    fatal("LTO objects found, use -dlto");
    return;
  }
  if (entry.isCompressed()) {
    unit.payloads.emplace_back();
    if (Error error = decompress(entry, ctx.config.decompressLimits,
                                 unit.payloads.back()))
      return damaged(std::move(error), "Uncompress failed");
    payload = toStringRef(unit.payloads.back());
  }
  if (entry.kind == FatbinKind::PTX)
    return addPTX(payload);
  addCubin(payload, /*fromFatbin=*/true);
}

void Unpacker::addPTX(StringRef text) {
  fatal("PTX in " + quoted() + " is not supported yet: compile it with ptxas");
}

/// What the ELF header says, in nvlink's order and words.
bool Unpacker::checkHeader(StringRef data, bool fromFatbin) {
  auto damaged = [&](const Twine &why) {
    return fatal("Input file " + quoted() + " is damaged: " + why);
  };
  if (data.size() < sizeof(Elf_Ehdr))
    return damaged("ELF header of 64 bytes is cut after " + Twine(data.size()) +
                   " bytes");
  auto &header = *reinterpret_cast<const Elf_Ehdr *>(data.data());
  if (!isCubin(data))
    return damaged("it is no ELF file for CUDA");
  if (header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64)
    return fatal("Input file " + quoted() +
                 " size does not match target '-m64'");
  if (header.e_ident[ELF::EI_OSABI] != elf::ELFOSABI_CUDA_13) {
    warning("expected 64bit object " + quoted() +
            " to have EF_CUDA_64BIT_ADDRESS set");
    return fatal("Input file " + quoted() + " abi does not match");
  }
  if (header.e_ident[ELF::EI_ABIVERSION] != elf::CUDA_ABI_VERSION)
    return fatal("Input file " + quoted() + " abi does not match");
  return true;
}

/// Whether .nv.compat says that the code is for an "a" architecture.
static bool isAccelerated(const CubinFile &file) {
  // A record: format, code, u16 value (spec: inputs, section 2.3).
  constexpr uint8_t IsaClass = 9;
  unsigned index = file.findSection(".nv.compat");
  if (!index)
    return false;
  bool result = false;
  ArrayRef<uint8_t> bytes = file.contents(index);
  for (; bytes.size() >= 4; bytes = bytes.drop_front(4))
    if (bytes[1] == IsaClass)
      result = bytes[2] & 1;
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
  return fatal("Input file " + quoted() + " arch does not match target '" +
               ctx.config.archName + "'");
}

bool Unpacker::checkCubin(const CubinFile &file) {
  uint32_t flags = file.header().e_flags;
  unsigned cuinfo = file.findSection(".note.nv.cuinfo");
  unsigned cuinfoFlag = flags >> 24;
  // Only sm_90 objects are held to it (spec: addendum, section 1.1, item 2).
  if (file.smNumber() == 90 && cuinfoFlag != cuinfo && cuinfoFlag != 0xff)
    return fatal("Input file " + quoted() +
                 " must be recompiled with toolkit >= Cuda 12.0");
  if (!checkArchitecture(file))
    return false;
  bool isMercury = file.hasMercuryFlag(), isNative = flags & elf::EF_CUDA_SASS;
  if (isMercury && (isNative || file.smNumber() < elf::FirstMercurySM))
    return fatal("Input file " + quoted() + " is damaged: e_flags 0x" +
                 utohexstr(flags, /*LowerCase=*/true) +
                 " contradict each other");
  if (!isMercury && file.smNumber() >= elf::FirstMercurySM)
    warning("Output is limited to run on SM Arch '" +
            Twine(ctx.config.arch.number) +
            "' only due to limitations in input file " + unit.label);
  if (cuinfo) {
    Expected<CuInfoNote> note = readCuInfoNote(file.contents(cuinfo));
    if (!note)
      return fatal("Input file " + quoted() +
                   " is damaged: " + toString(note.takeError()));
    if (note->toolkit > ToolkitVersion)
      return fatal("Input file " + quoted() + " newer than toolkit (" +
                   Twine(note->toolkit) + " vs " + Twine(ToolkitVersion) + ")");
  }
  return true;
}

void Unpacker::addCubin(StringRef data, bool fromFatbin) {
  if (!checkHeader(data, fromFatbin))
    return;
  // Linked executables are passed over.
  if (reinterpret_cast<const Elf_Ehdr *>(data.data())->e_type == ELF::ET_EXEC)
    return;
  Expected<CubinFile> file =
      CubinFile::create(MemoryBufferRef(data, unit.label));
  if (!file) {
    fatal("Input file " + quoted() +
          " is damaged: " + toString(file.takeError()));
    return;
  }
  if (checkCubin(*file))
    unit.cubins.push_back({std::move(*file), unit.label});
}

void lld::cuda::unpackUnit(const Ctx &ctx, InputUnit &unit,
                           MemoryBufferRef data, ContentKind kind) {
  Unpacker unpacker(ctx, unit);
  if (kind == ContentKind::HostObject)
    return unpacker.addHostObject(data);

  // Device code without host code: nobody says what the host refers to.
  unit.countsForHostInfo = true;
  unit.registration = InputUnit::Registration::Path;
  switch (kind) {
  case ContentKind::Cubin:
    return unpacker.addCubin(data.getBuffer(), /*fromFatbin=*/false);
  case ContentKind::PTX:
    return unpacker.addPTX(data.getBuffer());
  case ContentKind::Fatbin:
    return unpacker.addFatbin(data.getBuffer());
  case ContentKind::HostObject:
    break;
  }
  llvm_unreachable("handled above");
}
