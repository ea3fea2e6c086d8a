//===- InputFiles.cpp - Opening and identifying input files ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Inputs are opened, split into units and unpacked. Opening and unpacking run
/// in parallel in large links; between them, in order, it is decided what each
/// file is and which archives have been read before (spec: inputs, section 2).
///
/// A file's treatment depends on its suffix first and its contents second.
/// Files that don't fit are passed over, because compiler drivers hand us host
/// libraries and the like, too.
///
//===----------------------------------------------------------------------===//

#include "InputFiles.h"
#include "Ctx.h"
#include "Heap.h"
#include "Parallel.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/OffloadBinary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <set>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

namespace {

/// No file that means anything is shorter than this (observed: an empty fatbin
/// of 16 bytes "can't be opened", empty files are passed over).
constexpr size_t MinFileSize = 56;

/// One unit's bytes, until it is unpacked.
struct PendingUnit {
  InputUnit *unit;
  MemoryBufferRef data;
  bool isMapped = false;   ///< The bytes are pages of a file.
  std::string thinPath;    ///< Of a thin archive's member: where the bytes are.
  uint64_t thinOffset = 0; ///< If not 0: of the member in the archive thinPath.
};

class InputLoader {
public:
  explicit InputLoader(Ctx &ctx) : ctx(ctx) {}
  void run();

private:
  void addFile(StringRef path, OpenedFile opened);
  void identify(InputFile &file, sys::fs::UniqueID id, bool isLibrary);
  void identifyByContents(InputFile &file, sys::fs::UniqueID id);
  void addUnit(InputFile &file, ContentKind kind);
  void addArchive(InputFile &file, sys::fs::UniqueID id);
  void unpackPending(PendingUnit &p);
  void unpackLazyCubin(InputUnit &unit, MemoryBufferRef data);
  void compilePending();
  void reportMessages();

  Ctx &ctx;
  std::vector<OpenedFile> opened; ///< Beside ctx.inputs.
  std::set<sys::fs::UniqueID> archives;
  std::vector<PendingUnit> pending;
};

/// A file that is mapped, not read.
class MappedFile final : public MemoryBuffer {
public:
  MappedFile(int fd, const std::string &path, uint64_t size,
             std::error_code &error)
      : path(path), region(sys::fs::convertFDToNativeFile(fd),
                           sys::fs::mapped_file_region::readonly, size,
                           /*offset=*/0, error) {
    if (!error)
      init(region.const_data(), region.const_data() + size,
           /*RequiresNullTerminator=*/false);
  }
  StringRef getBufferIdentifier() const override { return path; }
  BufferKind getBufferKind() const override { return MemoryBuffer_MMap; }

private:
  std::string path;
  sys::fs::mapped_file_region region;
};

/// Smaller files are faster read.
constexpr uint64_t MinMappedSize = 8192;

} // namespace

/// Of devices only /dev/null is an input; others may never end.
static bool isAtEnd(int fd) {
  char byte;
  return ::read(fd, &byte, 1) == 0;
}

OpenedFile lld::cuda::openFile(const Ctx &ctx, const std::string &path) {
  OpenedFile result;
  int fd;
  if (sys::fs::openFileForRead(path, fd, sys::fs::OF_None))
    return result;
  sys::fs::file_status status;
  using sys::fs::file_type;
  if (!sys::fs::status(fd, status) &&
      status.type() != file_type::directory_file &&
      (status.type() != file_type::character_file || isAtEnd(fd))) {
    result.id = status.getUniqueID();
    // Other than regular files have no size beforehand.
    bool regular = status.type() == file_type::regular_file;
    if (regular && !ctx.copyInputs && status.getSize() >= MinMappedSize) {
      std::error_code error;
      auto file =
          std::make_unique<MappedFile>(fd, path, status.getSize(), error);
      if (!error) {
        result.buffer = std::move(file);
        ::close(fd);
        return result;
      }
    }
    auto buffer = MemoryBuffer::getOpenFile(
        fd, path, regular ? status.getSize() : uint64_t(-1),
        // Together these two keep LLVM from mapping it.
        /*RequiresNullTerminator=*/ctx.copyInputs,
        /*IsVolatile=*/ctx.copyInputs);
    if (buffer)
      result.buffer = std::move(*buffer);
  }
  // LLVM's function blocks and unblocks signals around it.
  ::close(fd);
  return result;
}

static bool isMapped(const MemoryBuffer &buffer) {
  return buffer.getBufferKind() == MemoryBuffer::MemoryBuffer_MMap;
}

/// Gives up the pages of a mapped file that hold `data`. Whoever reads the data
/// again gets them back from the kernel.
static void releasePages(StringRef data) {
#ifdef MADV_DONTNEED
  const uintptr_t page = sys::Process::getPageSizeEstimate();
  const auto begin = alignTo(reinterpret_cast<uintptr_t>(data.begin()), page);
  const auto end = alignDown(reinterpret_cast<uintptr_t>(data.end()), page);
  if (begin < end)
    ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
#endif
}

/// Page faults come 64 KB apart. Each costs more than copying that to the
/// output does where the machine is a virtual one: 32 inputs of 4 MB are linked
/// in less than half of the time. Of smaller cubins little but names and
/// numbers may be read, and nothing is gained.
void lld::cuda::populatePages(StringRef data) {
#ifdef MADV_POPULATE_READ
  constexpr size_t MinSize = 128 << 10;
  if (data.size() < MinSize)
    return;
  const uintptr_t page = sys::Process::getPageSizeEstimate();
  const auto begin = alignDown(reinterpret_cast<uintptr_t>(data.begin()), page);
  const auto end = reinterpret_cast<uintptr_t>(data.end());
  // Where it fails, pages come when they are used.
  ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_POPULATE_READ);
#endif
}

static Diagnostic openError(StringRef path) {
  return {Severity::Fatal, ("Could not open input file '" + path + "'").str()};
}

void lld::cuda::addIgnoredWarning(const Ctx &ctx,
                                  std::vector<Diagnostic> &messages,
                                  const Twine &text, bool isLoss) {
  if (ctx.config.extraWarnings || ctx.config.isLld())
    messages.push_back({Severity::Warning, text.str()});
  else if (isLoss)
    messages.push_back({Severity::Remark, text.str()});
}

/// What follows the last dot, wherever in the path it is.
static StringRef suffixOf(StringRef path) {
  size_t dot = path.rfind('.');
  return dot == StringRef::npos ? "" : path.drop_front(dot + 1);
}

void InputLoader::addUnit(InputFile &file, ContentKind kind) {
  file.units.emplace_back();
  InputUnit &unit = file.units.back();
  unit.label = file.path;
  unit.kind = kind;
  unit.systemLibrary = file.systemLibrary;
  pending.push_back(
      {&unit, file.buffer->getMemBufferRef(), isMapped(*file.buffer), {}});
}

/// Every member is a unit, host object or not; there is no selection by symbol.
void InputLoader::addArchive(InputFile &file, sys::fs::UniqueID id) {
  if (!archives.insert(id).second)
    return;
  Expected<std::vector<ArchiveMember>> members =
      readArchiveMembers(file.buffer->getMemBufferRef());
  if (!members) {
    file.messages.push_back(
        {Severity::Error, file.path + ": " + toString(members.takeError())});
    file.messages.push_back({Severity::Fatal, "unexpected archive format"});
    file.messages.push_back({Severity::Fatal, "elfLink internal error"});
    return;
  }
  file.units.resize(members->size());
  for (auto [unit, member] : zip_equal(file.units, *members)) {
    unit.label = file.path + ":" + member.name;
    unit.isMember = true;
    unit.lazy = ctx.config.isLld() && !file.takeWhole &&
                (isCubin(member.data) || isBitcode(member.data));
    unit.systemLibrary = file.systemLibrary;
    pending.push_back({&unit, MemoryBufferRef(member.data, unit.label),
                       isMapped(*file.buffer), std::move(member.thinPath),
                       member.thinOffset});
  }
}

/// Whether the file starts like an ELF file for CUDA; unlike a host object's,
/// its class and byte order are checked later.
static bool isElf(StringRef data) { return data.starts_with(ELF::ElfMagic); }

static bool isFatbin(StringRef data) {
  return data.size() >= 4 &&
         support::endian::read32le(data.data()) == FatbinMagic;
}

/// NVIDIA's LTO IR in a file of its own (spec: LTO, section 1.2).
static bool isLtoIR(StringRef data) {
  constexpr uint32_t magic = 0x7f4e43ed;
  return data.size() >= 4 && support::endian::read32le(data.data()) == magic;
}

/// What can't be read. Host objects of other systems hold device code, too.
static StringRef describeUnknown(StringRef data) {
  switch (identify_magic(data)) {
  case file_magic::coff_object:
  case file_magic::coff_import_library:
  case file_magic::pecoff_executable:
    return "it is a COFF file for Windows, whose device code can't be read";
  case file_magic::macho_object:
  case file_magic::macho_executable:
  case file_magic::macho_universal_binary:
    return "it is a Mach-O file, whose device code can't be read";
  case file_magic::bitcode:
    return "it is LLVM bitcode, which ld.cuda takes and nvlink doesn't";
  default:
    return "it is neither an object nor an archive";
  }
}

void InputLoader::identify(InputFile &file, sys::fs::UniqueID id,
                           bool isLibrary) {
  auto fatal = [&](const Twine &text) {
    file.messages.push_back({Severity::Fatal, text.str()});
  };
  auto ignore = [&](const Twine &why, bool isLoss = false) {
    addIgnoredWarning(ctx, file.messages,
                      "'" + file.path + "' is ignored: " + why, isLoss);
  };
  if (!file.buffer) {
    file.messages.push_back(openError(file.path));
    return;
  }
  StringRef data = file.buffer->getBuffer();
  if (data.empty())
    return ignore("the file is empty");
  if (isLibrary && !file.isDeviceLibrary)
    return isArchive(data) ? addArchive(file, id)
                           : ignore("it is not an archive");
  if (ctx.config.isLld())
    return identifyByContents(file, id);
  if (data.size() < MinFileSize && !isArchive(data)) {
    file.messages.push_back(openError(file.path));
    return;
  }

  enum Suffix {
    Cubin,
    PTX,
    Fatbin,
    LTOIR,
    Bitcode,
    SharedObject,
    Object,
    Other
  };
  Suffix suffix = StringSwitch<Suffix>(suffixOf(file.path))
                      .Case("cubin", Cubin)
                      .Case("ptx", PTX)
                      .Case("fatbin", Fatbin)
                      .Cases("nvvm", "ltoir", LTOIR)
                      .Case("bc", Bitcode)
                      .Case("so", SharedObject)
                      .Case("o", Object)
                      .Default(Other);
  switch (suffix) {
  case Cubin:
    if (!isElf(data))
      return fatal("cubin not an elf?");
    if (!isCubin(data))
      return fatal("cubin not a device elf?");
    return addUnit(file, ContentKind::Cubin);
  case PTX:
    return addUnit(file, isCubin(data) ? ContentKind::Cubin : ContentKind::PTX);
  case Fatbin:
    if (support::endian::read32le(data.data()) != FatbinMagic)
      return fatal("fatbin wrong format?");
    return addUnit(file, ContentKind::Fatbin);
  case LTOIR:
    if (ctx.config.lto)
      return addUnit(file, ContentKind::LTOIR);
    return fatal("should only see nvvm files when -lto");
  case Bitcode:
    return fatal("should never see bc files");
  case SharedObject:
  case Object:
  case Other:
    break;
  }
  if (isArchive(data))
    return addArchive(file, id);
  if (suffix == SharedObject)
    return;
  if (suffix == Object && isCubin(data))
    return addUnit(file, ContentKind::Cubin);
  if (isHostObject(data))
    return addUnit(file, ContentKind::HostObject);
  ignore(isCubin(data)    ? "a cubin needs the suffix .cubin or .o"
         : isFatbin(data) ? "a fatbin needs the suffix .fatbin"
         : isPTX(data)    ? "PTX needs the suffix .ptx"
                          : describeUnknown(data),
         /*isLoss=*/true);
}

/// The lld flavour doesn't look at suffixes.
void InputLoader::identifyByContents(InputFile &file, sys::fs::UniqueID id) {
  StringRef data = file.buffer->getBuffer();
  if (isArchive(data))
    return addArchive(file, id);
  if (isCubin(data))
    return addUnit(file, ContentKind::Cubin);
  if (isHostObject(data))
    return addUnit(file, ContentKind::HostObject);
  if (isFatbin(data))
    return addUnit(file, ContentKind::Fatbin);
  if (isPTX(data))
    return addUnit(file, ContentKind::PTX);
  if (isBitcode(data)) {
    addUnit(file, ContentKind::Bitcode);
    file.units.back().lazy = file.isDeviceLibrary;
    return;
  }
  if (isOffloadBinary(data))
    return addUnit(file, ContentKind::OffloadBinary);
  if (isLtoIR(data) && ctx.config.lto)
    return addUnit(file, ContentKind::LTOIR);
  file.messages.push_back(
      {Severity::Error, "'" + file.path + "': " + describeUnknown(data).str()});
}

void InputLoader::unpackPending(PendingUnit &p) {
  if (!p.thinPath.empty()) {
    p.unit->buffer = openFile(ctx, p.thinPath).buffer;
    if (!p.unit->buffer) {
      p.unit->messages.push_back(openError(p.thinPath));
      p.unit->messages.push_back({Severity::Fatal, "elfLink internal error"});
      return;
    }
    p.data = MemoryBufferRef(p.unit->buffer->getBuffer(), p.unit->label);
    p.isMapped = isMapped(*p.unit->buffer);
    if (p.thinOffset) {
      Expected<StringRef> contents = readArchiveMemberAt(p.data, p.thinOffset);
      if (!contents) {
        p.unit->messages.push_back(
            {Severity::Error,
             p.thinPath + ": " + toString(contents.takeError())});
        p.unit->messages.push_back(
            {Severity::Fatal, "unexpected archive format"});
        p.unit->messages.push_back({Severity::Fatal, "elfLink internal error"});
        return;
      }
      p.data = MemoryBufferRef(*contents, p.unit->label);
    }
  }
  StringRef data = p.data.getBuffer();
  if (p.unit->isMember && ctx.config.isLld() && isCubin(data)) {
    unpackLazyCubin(*p.unit, p.data);
    return;
  }
  if (p.unit->isMember && ctx.config.isLld() && isBitcode(data)) {
    p.unit->kind = ContentKind::Bitcode;
    p.unit->data = data;
    unpackUnit(ctx, *p.unit, p.data);
    return;
  }
  if (p.unit->isMember && !isHostObject(data)) {
    // A cubin isn't linked here, but it isn't a host object without kernels.
    p.unit->countsForHostInfo = isElf(data);
    const bool isDeviceCode = isCubin(data) || isFatbin(data);
    p.unit->data = data;
    p.unit->isIgnoredCubin = isCubin(data);
    return addIgnoredWarning(
        ctx, p.unit->messages,
        "'" + p.unit->label + "' is ignored: " +
            (isDeviceCode ? "nvlink takes only host objects from archives"
                          : "it is not a host object"),
        isDeviceCode);
  }
  p.unit->data = data;
  unpackUnit(ctx, *p.unit, p.data);
  // All that the link takes was decompressed.
  if (p.isMapped && !p.unit->payloads.empty() && p.unit->ptx.empty() &&
      p.unit->payloads.size() == p.unit->cubins.size())
    releasePages(data);
}

/// Device libraries hold cubins for other architectures, too.
void InputLoader::unpackLazyCubin(InputUnit &unit, MemoryBufferRef data) {
  unit.kind = ContentKind::Cubin;
  unit.data = data.getBuffer();
  unpackUnit(ctx, unit, data);
  if (unit.cubins.empty() && unit.lazy) {
    unit.messages.clear();
    unit.isIgnoredCubin = true;
    addIgnoredWarning(ctx, unit.messages,
                      "'" + unit.label +
                          "' is ignored: it doesn't fit the target " +
                          ctx.config.archName,
                      /*isLoss=*/false);
    unit.lazy = false;
  }
}

/// Starting ptxas takes longer than starting a thread.
void InputLoader::compilePending() {
  std::vector<InputUnit *> units;
  for (PendingUnit &p : pending)
    if (!p.unit->ptx.empty())
      units.push_back(p.unit);
  ctx.largeLink |= units.size() > 1;
  parallelForEach(ctx, units.size(),
                  [&](size_t i) { compilePtx(ctx, *units[i]); });
}

void InputLoader::addFile(StringRef path, OpenedFile file) {
  InputFile &input = ctx.inputs.emplace_back();
  input.path = path.str();
  input.systemLibrary =
      !ctx.config.keepSystemLibraries && path.contains("cudadevrt");
  opened.push_back(std::move(file));
}

/// In the order of the inputs, up to the first fatal one. An earlier error (it
/// can only be a warning under -Werror) ends the link at the next input that
/// holds fatbins; this is how nvlink's parts look at each other's state.
void InputLoader::reportMessages() {
  auto report = [&](std::vector<Diagnostic> &messages) {
    for (const Diagnostic &d : std::exchange(messages, {}))
      ctx.diag.report(d);
  };
  for (InputFile &file : ctx.inputs) {
    report(file.messages);
    for (InputUnit &unit : file.units) {
      if (ctx.diag.errorCount() && unit.kind == ContentKind::HostObject)
        ctx.diag.fatal("elfLink internal error");
      else if (ctx.diag.errorCount() && unit.kind != ContentKind::Cubin)
        ctx.diag.fatal("elfLink fatbinary error");
      else
        report(unit.messages);
      if (ctx.diag.stopped())
        return;
    }
    if (ctx.diag.stopped())
      return;
  }
}

void InputLoader::run() {
  const LldConfig &lld = ctx.config.lld;
  auto takesWhole = [](const std::vector<bool> &flags, size_t i) {
    return i < flags.size() && flags[i];
  };
  for (const std::string &path : ctx.config.inputs) {
    addFile(path, {});
    ctx.inputs.back().takeWhole =
        takesWhole(lld.wholeInputs, ctx.inputs.size() - 1);
  }
  for (size_t i = 0; i != ctx.config.libraries.size(); ++i) {
    const std::string &name = ctx.config.libraries[i];
    if (std::optional<Library> library = findLibrary(ctx, name)) {
      addFile(library->path, std::move(library->file));
      ctx.inputs.back().takeWhole = takesWhole(lld.wholeLibraries, i);
    } else if (ctx.config.isLld())
      ctx.diag.error("unable to find library -l" + name);
  }

  if (!lld.lto.deviceLibrary.empty()) {
    addFile(lld.lto.deviceLibrary, openFile(ctx, lld.lto.deviceLibrary));
    ctx.inputs.back().isDeviceLibrary = true;
  }

  const bool manyFiles = opened.size() > LargeLinkFiles;
  ctx.largeLink = manyFiles;
  if (manyFiles && ctx.ownsProcess)
    prepareHeap();
  parallelForEach(ctx, ctx.config.inputs.size(), [&](size_t i) {
    opened[i] = openFile(ctx, ctx.inputs[i].path);
  });

  uint64_t bytes = 0;
  for (size_t i = 0; i != opened.size(); ++i) {
    if (opened[i].buffer)
      bytes += opened[i].buffer->getBufferSize();
    ctx.inputs[i].buffer = std::move(opened[i].buffer);
    identify(ctx.inputs[i], opened[i].id,
             /*isLibrary=*/i >= ctx.config.inputs.size());
  }

  const DecompressLimits &limits = ctx.config.decompressLimits;
  ctx.decompressBudget = std::max(
      limits.maxSize, SaturatingMultiply<uint64_t>(limits.maxRatio, bytes));
  ctx.largeLink |= bytes > LargeLinkBytes || pending.size() > LargeLinkFiles;
  if (ctx.largeLink && !manyFiles && ctx.ownsProcess)
    prepareHeap();
  parallelForEach(ctx, pending.size(),
                  [&](size_t i) { unpackPending(pending[i]); });
  compilePending();
  for (PendingUnit &p : pending)
    noteCodeWithoutLto(ctx, *p.unit);
  if (ctx.config.isLld()) {
    readBitcodeSymbols(ctx);
    if (ctx.diag.stopped())
      return;
    selectLazyMembers(ctx);
  }
  reportMessages();
}

void lld::cuda::loadInputs(Ctx &ctx) { InputLoader(ctx).run(); }

void lld::cuda::reportCutOffInputs(Ctx &ctx) {
  for (InputFile &file : ctx.inputs)
    for (InputUnit &unit : file.units)
      if (!unit.cutOff.empty())
        ctx.diag.error(std::exchange(unit.cutOff, {}));
}
