//===- InputFiles.cpp - Opening and identifying input files ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Inputs are opened, split into units and unpacked. Opening and unpacking run
/// in parallel in large links; between them, in order, it is decided what each
/// file is and which archives have been read before [input-suffix].
///
/// A file's treatment depends on its suffix first and its contents second.
/// Files that don't fit are passed over, because compiler drivers hand us host
/// libraries and the like, too.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Ctx.h"
#include "Input/InputStore.h"
#include "Input/ObjectFile.h"
#include "Input/OpenFile.h"
#include "Parallel.h"
#include "Report/Stats.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/OffloadBinary.h"
#include "lld-cuda/Support/Heap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <set>
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
  std::string thinPath;    ///< Of a thin archive's member: where the bytes are.
  uint64_t thinOffset = 0; ///< If not 0: of the member in the archive thinPath.
  const InputFile *file = nullptr; ///< Of members.
};

class InputLoader {
public:
  explicit InputLoader(Ctx &ctx) : ctx(ctx) {}
  void run();

private:
  void addFile(StringRef path, OpenedFile opened);
  void setLarge();
  void readFiles();
  void checkLoadedParts();
  void identify(InputFile &file, bool isLibrary);
  void identifyByContents(InputFile &file);
  void addUnit(InputFile &file, ContentKind kind);
  bool isLazy(const InputFile &file, StringRef data) const;
  void addArchive(InputFile &file);
  void unpackPending(PendingUnit &p);
  void unpackLazyCubin(InputUnit &unit, MemoryBufferRef data);
  void compilePending();
  void reportMessages();

  Ctx &ctx;
  std::vector<OpenedFile> opened; ///< Beside ctx.inputs.
  std::set<sys::fs::UniqueID> archives;
  std::vector<PendingUnit> pending;
};

} // namespace

static Diagnostic tooSmallError(StringRef path, size_t size) {
  Diagnostic d = openError(OpenedFile(), path);
  d.notes.push_back("its " + utostr(size) + " bytes can't be device code");
  return d;
}

/// The link ends with the first file that can't be opened; that message tells
/// of the others, too.
static void addOtherUnopened(ArrayRef<OpenedFile> opened, Ctx &ctx) {
  constexpr unsigned MaxShown = 20;
  Diagnostic *first = nullptr;
  unsigned shown = 0;
  for (size_t i = 0; i != opened.size(); ++i) {
    if (!opened[i].error)
      continue;
    if (!first)
      first = &ctx.inputs[i].messages.back();
    else if (++shown <= MaxShown)
      first->notes.push_back("'" + ctx.inputs[i].path +
                             "': " + opened[i].error.message());
  }
  if (shown > MaxShown)
    first->notes.push_back("and " + utostr(shown - MaxShown) + " more");
}

void lld::cuda::addIgnoredWarning(const Ctx &ctx,
                                  std::vector<Diagnostic> &messages,
                                  MessageParts parts, bool isLoss) {
  if (ctx.config.extraWarnings || ctx.config.isLld())
    messages.push_back(Diagnostic(DiagId::InputIgnored, parts));
  else if (isLoss)
    messages.push_back(
        Diagnostic(DiagId::InputIgnored, Severity::Remark, parts));
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
  pending.push_back({&unit, file.buffer->getMemBufferRef(), {}});
  unit.source = file.buffer.get();
}

/// Whether a member with these contents is taken only if it is needed.
bool InputLoader::isLazy(const InputFile &file, StringRef data) const {
  return ctx.config.isLld() && !file.takeWhole &&
         (isCubin(data) || isBitcode(data));
}

/// Every member is a unit, host object or not; there is no selection by symbol.
void InputLoader::addArchive(InputFile &file) {
  if (!archives.insert(file.id).second)
    return;
  InputStore *store = ctx.job.store;
  SharedOrOwn<std::vector<ArchiveMember>> members(
      store ? store->getMembers(*file.buffer) : nullptr, [&] {
        return readArchiveMembers(
            file.buffer->getMemBufferRef(),
            [&](StringRef part) { file.buffer->load(part); });
      });
  if (!members) {
    file.messages.push_back(
        Diagnostic(DiagId::DamagedArchive, {diag::file(file.path).bare(), ": ",
                                            toString(members.takeError())}));
    file.messages.push_back(
        Diagnostic(DiagId::UnknownArchive, {"unexpected archive format"}));
    file.messages.push_back(
        Diagnostic(DiagId::InternalLinkError, {"elfLink internal error"}));
    return;
  }
  file.units.resize(members->size());
  for (auto [unit, member] : zip_equal(file.units, *members)) {
    unit.label = file.path + ":" + member.name;
    unit.isMember = true;
    unit.lazy = isLazy(file, member.data);
    unit.systemLibrary = file.systemLibrary;
    unit.source = file.buffer.get();
    pending.push_back({&unit, MemoryBufferRef(member.data, unit.label),
                       member.thinPath, member.thinOffset, &file});
  }
}

/// Whether the file starts like an ELF file for CUDA; unlike a host object's,
/// its class and byte order are checked later.
static bool isElf(StringRef data) { return data.starts_with(ELF::ElfMagic); }

static bool isFatbin(StringRef data) {
  return data.size() >= 4 &&
         support::endian::read32le(data.data()) == FatbinMagic;
}

/// NVIDIA's LTO IR in a file of its own [input-lto-ir].
static bool isLtoIR(StringRef data) {
  constexpr uint32_t magic = 0x7f4e43ed;
  return data.size() >= 4 && support::endian::read32le(data.data()) == magic;
}

/// What can't be read. Host objects of other systems hold device code, too.
static StringRef describeUnknown(StringRef data) {
  if (isCoffObject(data))
    return "it is a COFF object for Windows, which ld.cuda takes and nvlink "
           "doesn't";
  switch (identify_magic(data)) {
  case file_magic::coff_cl_gl_object:
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

namespace {
/// The suffixes that nvlink tells apart.
enum class Suffix {
  Cubin,
  PTX,
  Fatbin,
  LTOIR,
  Bitcode,
  SharedObject,
  Object,
  Other
};
} // namespace

static Suffix findSuffix(StringRef path) {
  return StringSwitch<Suffix>(suffixOf(path))
      .Case("cubin", Suffix::Cubin)
      .Case("ptx", Suffix::PTX)
      .Case("fatbin", Suffix::Fatbin)
      .Cases("nvvm", "ltoir", Suffix::LTOIR)
      .Case("bc", Suffix::Bitcode)
      .Case("so", Suffix::SharedObject)
      .Case("o", Suffix::Object)
      .Default(Suffix::Other);
}

void InputLoader::identify(InputFile &file, bool isLibrary) {
  auto fatal = [&](StringRef text, StringRef why) {
    file.messages.push_back(Diagnostic(DiagId::WrongSuffix, {text}));
    file.messages.back().notes.push_back(("'" + file.path + "': " + why).str());
  };
  auto ignore = [&](const Twine &why, bool isLoss = false) {
    addIgnoredWarning(ctx, file.messages,
                      {diag::file(file.path), " is ignored: ", why.str()},
                      isLoss);
  };
  if (!file.buffer)
    return; // There is a message.
  StringRef data = file.buffer->getBuffer();
  if (data.empty())
    return ignore("the file is empty", /*isLoss=*/true);
  if (isLibrary && !file.isDeviceLibrary)
    return isArchive(data) ? addArchive(file) : ignore("it is not an archive");
  if (ctx.config.isLld())
    return identifyByContents(file);
  if (data.size() < MinFileSize && !isArchive(data)) {
    file.messages.push_back(tooSmallError(file.path, data.size()));
    return;
  }

  const Suffix suffix = findSuffix(file.path);
  switch (suffix) {
  case Suffix::Cubin:
    if (!isElf(data))
      return fatal("cubin not an elf?", describeUnknown(data));
    if (!isCubin(data))
      return fatal("cubin not a device elf?",
                   "it is an object for the host; name it .o");
    return addUnit(file, ContentKind::Cubin);
  case Suffix::PTX:
    return addUnit(file, isCubin(data) ? ContentKind::Cubin : ContentKind::PTX);
  case Suffix::Fatbin:
    if (support::endian::read32le(data.data()) != FatbinMagic)
      return fatal("fatbin wrong format?", "it is no fatbin");
    return addUnit(file, ContentKind::Fatbin);
  case Suffix::LTOIR:
    if (ctx.config.lto)
      return addUnit(file, ContentKind::LTOIR);
    return fatal("should only see nvvm files when -lto",
                 "its LTO IR is for links with -lto and -nvvmpath=DIR");
  case Suffix::Bitcode:
    return fatal("should never see bc files", describeUnknown(data));
  case Suffix::SharedObject:
  case Suffix::Object:
  case Suffix::Other:
    break;
  }
  if (isArchive(data))
    return addArchive(file);
  if (suffix == Suffix::SharedObject)
    return;
  if (suffix == Suffix::Object && isCubin(data))
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
void InputLoader::identifyByContents(InputFile &file) {
  StringRef data = file.buffer->getBuffer();
  if (isArchive(data))
    return addArchive(file);
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
  if (isCoffObject(data)) // Last: it is known by few bits.
    return addUnit(file, ContentKind::HostObject);
  file.messages.push_back(
      Diagnostic(DiagId::UnknownFormat,
                 {diag::file(file.path), ": ", describeUnknown(data).str()}));
}

void InputLoader::unpackPending(PendingUnit &p) {
  if (!p.thinPath.empty()) {
    // One member of an archive, perhaps.
    OpenedFile file = openMember(ctx, p.thinPath, /*lazy=*/p.thinOffset != 0);
    p.unit->buffer = std::move(file.buffer);
    p.unit->source = p.unit->buffer.get();
    if (!p.unit->buffer) {
      p.unit->messages.push_back(openError(file, p.thinPath));
      p.unit->messages.push_back(
          Diagnostic(DiagId::InternalLinkError, {"elfLink internal error"}));
      return;
    }
    p.data = MemoryBufferRef(p.unit->buffer->getBuffer(), p.unit->label);
    if (p.thinOffset) {
      Expected<StringRef> contents =
          readArchiveMemberAt(p.data, p.thinOffset, [&](StringRef part) {
            p.unit->source->load(part);
          });
      if (!contents) {
        p.unit->messages.push_back(Diagnostic(
            DiagId::DamagedArchive, {diag::file(p.thinPath).bare(), ": ",
                                     toString(contents.takeError())}));
        p.unit->messages.push_back(
            Diagnostic(DiagId::UnknownArchive, {"unexpected archive format"}));
        p.unit->messages.push_back(
            Diagnostic(DiagId::InternalLinkError, {"elfLink internal error"}));
        return;
      }
      p.data = MemoryBufferRef(*contents, p.unit->label);
    }
    p.unit->lazy = isLazy(*p.file, p.data.getBuffer());
  }
  StringRef data = p.data.getBuffer();
  // The reader of host objects asks for what it needs.
  if (p.unit->kind != ContentKind::HostObject || !isHostObject(data))
    p.unit->source->load(data);
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
  const bool isHost =
      isHostObject(data) || (ctx.config.isLld() && isCoffObject(data));
  if (p.unit->isMember && !isHost) {
    // A cubin isn't linked here, but it isn't a host object without kernels.
    p.unit->countsForHostInfo = isElf(data);
    const bool isDeviceCode = isCubin(data) || isFatbin(data);
    p.unit->data = data;
    p.unit->isIgnoredCubin = isCubin(data);
    return addIgnoredWarning(
        ctx, p.unit->messages,
        {diag::file(p.unit->label), " is ignored: ",
         isDeviceCode ? "nvlink takes only host objects from archives"
                      : "it is not a host object"},
        isDeviceCode);
  }
  p.unit->data = data;
  unpackUnit(ctx, *p.unit, p.data);
}

/// Files that aren't read at once, whose parts that matter are in memory now.
void InputLoader::checkLoadedParts() {
  if (!ctx.openInputs)
    return;
  auto check = [](InputBuffer *buffer, StringRef path,
                  std::vector<Diagnostic> &messages) {
    if (buffer && !buffer->isMapped() && !buffer->isUnchanged())
      messages.insert(messages.begin(), changedError(path));
  };
  for (InputFile &file : ctx.inputs) {
    check(file.buffer.get(), file.path, file.messages);
    for (InputUnit &unit : file.units)
      if (unit.buffer)
        check(unit.buffer.get(), unit.buffer->getBufferIdentifier(),
              unit.messages);
  }
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
                      {diag::file(unit.label),
                       " is ignored: it doesn't fit the target ",
                       ctx.config.archName},
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
  if (!units.empty()) {
    ctx.stages->begin("compile PTX");
    if (ctx.job.onProgramStart)
      ctx.job.onProgramStart();
  }
  parallelForEach(ctx, units.size(), [&](size_t i) {
    compilePtx(ctx, *units[i]);
    ctx.stages->advance(units.size());
  });
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
        ctx.diag.report(DiagId::InternalLinkError, {"elfLink internal error"});
      else if (ctx.diag.errorCount() && unit.kind != ContentKind::Cubin)
        ctx.diag.report(DiagId::FatbinaryError, {"elfLink fatbinary error"});
      else
        reportUnit(ctx, unit);
      if (!unit.ptx.empty())
        ctx.diag.forgetWarningsAsErrors();
      if (ctx.diag.stopped())
        return;
    }
    if (ctx.diag.stopped())
      return;
  }
}

void InputLoader::setLarge() {
  if (!ctx.largeLink && ctx.job.ownsProcess)
    prepareHeap();
  ctx.largeLink = true;
}

/// Those of the command line.
void InputLoader::readFiles() {
  const size_t count = ctx.config.inputs.size();
  auto path = [&](size_t i) -> const std::string & {
    return ctx.inputs[i].path;
  };
  if (opened.size() > LargeLinkFiles) {
    setLarge();
    return parallelForEach(
        ctx, count, [&](size_t i) { opened[i] = openInput(ctx, path(i)); });
  }
  uint64_t bytes = 0;
  if (ctx.job.store) {
    for (size_t i = 0; i != count; ++i) {
      opened[i] = openInput(ctx, path(i));
      bytes += opened[i].buffer ? opened[i].buffer->getBufferSize() : 0;
    }
    if (bytes > LargeLinkBytes)
      setLarge();
    return;
  }
  std::vector<FileToRead> files(count);
  for (size_t i = 0; i != count; ++i) {
    files[i] = openToRead(ctx, path(i));
    if (files[i].fd >= 0 || files[i].memory)
      bytes += files[i].status.st_size;
  }
  if (bytes > LargeLinkBytes)
    setLarge();
  parallelForEach(ctx, count, [&](size_t i) {
    opened[i] = readOpenFile(ctx, path(i), files[i], /*lazy=*/false);
  });
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
    }
  }

  if (!lld.lto.deviceLibrary.empty()) {
    addFile(lld.lto.deviceLibrary, openFile(ctx, lld.lto.deviceLibrary));
    ctx.inputs.back().isDeviceLibrary = true;
  }

  readFiles();
  uint64_t bytes = 0;
  for (size_t i = 0; i != opened.size(); ++i) {
    if (opened[i].buffer)
      bytes += opened[i].buffer->getBufferSize();
    else
      ctx.inputs[i].messages.push_back(
          openError(opened[i], ctx.inputs[i].path));
    ctx.inputs[i].buffer = std::move(opened[i].buffer);
    ctx.inputs[i].id = opened[i].id;
    identify(ctx.inputs[i],
             /*isLibrary=*/i >= ctx.config.inputs.size());
  }
  addOtherUnopened(opened, ctx);

  if (bytes > LargeLinkBytes || pending.size() > LargeLinkFiles)
    setLarge();
  parallelForEach(ctx, pending.size(),
                  [&](size_t i) { unpackPending(pending[i]); });
  checkLoadedParts();
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

void lld::cuda::reportChangedInputs(Ctx &ctx) {
  if (!ctx.openInputs)
    return;
  for (InputFile &file : ctx.inputs) {
    if (file.buffer && !file.buffer->isUnchanged())
      ctx.diag.report(changedError(file.path));
    for (InputUnit &unit : file.units)
      if (unit.buffer && !unit.buffer->isUnchanged())
        ctx.diag.report(changedError(unit.buffer->getBufferIdentifier()));
  }
}

void lld::cuda::reportCutOffInputs(Ctx &ctx) {
  for (InputFile &file : ctx.inputs)
    for (InputUnit &unit : file.units)
      if (unit.cutOff)
        ctx.diag.report(*std::exchange(unit.cutOff, std::nullopt));
}
