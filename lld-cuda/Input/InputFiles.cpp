//===- InputFiles.cpp - Opening, identifying and unpacking inputs ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// loadInputs() opens all inputs of a link, splits archives into members
/// (units), and takes the device code out of each. readInputs() in Link.cpp
/// calls it first of all, before the release's rules are settled and anything
/// is merged; LinkSession.cpp calls loadNextInput() for inputs that come one by
/// one.
///
/// In large links files are opened and units unpacked in parallel. Between
/// these two steps it is decided in order what each file is (Identify.h), since
/// an archive that was read before is skipped. Messages are collected by unit
/// and reported in order at the end.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Input/Identify.h"
#include "Input/InputStore.h"
#include "Input/LoadNext.h"
#include "Input/ObjectFile.h"
#include "Input/OpenFile.h"
#include "Input/PreparedInput.h"
#include "Input/SymbolControl.h"
#include "Inputs.h"
#include "Messages/Stages.h"
#include "Parallel.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/OffloadBinary.h"
#include "lld-cuda/Support/Heap.h"
#include "lld-cuda/Support/JobTokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <set>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

namespace {

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
  InputLoader(Inputs &inputs, std::set<sys::fs::UniqueID> &archives)
      : inputs(inputs), archives(archives) {}
  void run();
  InputFile &runNext(const LinkInput &input);

private:
  InputFile &addFile(std::string path);
  InputFile &addInput(const LinkInput &input);
  void setSize(uint64_t bytes, size_t items);
  void readFiles();
  void checkLoadedParts();
  void split(InputFile &file, Identified found);
  void addUnit(InputFile &file, ContentKind kind);
  bool isLazy(const InputFile &file, StringRef data) const;
  /// Archives are linked whole, in member order [archive-whole].
  void addArchive(InputFile &file);
  void unpackPending(PendingUnit &p);
  void unpackLazyCubin(InputUnit &unit, MemoryBufferRef data);
  void compilePending();
  void reportMessages();

  Inputs &inputs;
  std::vector<OpenedFile> opened;        ///< Beside inputs.files.
  std::set<sys::fs::UniqueID> &archives; ///< Those that have been split.
  SmallVector<PendingUnit, 1> pending;
};

} // namespace

/// The link ends with the first file that can't be opened; that message tells
/// of the others, too.
static void addOtherUnopened(ArrayRef<OpenedFile> opened, Inputs &inputs) {
  constexpr unsigned MaxShown = 20;
  Diagnostic *first = nullptr;
  unsigned shown = 0;
  for (size_t i = 0; i != opened.size(); ++i) {
    if (!opened[i].error)
      continue;
    if (!first)
      first = &inputs.files[i].messages.back();
    else if (++shown <= MaxShown)
      first->notes.push_back("'" + inputs.files[i].path +
                             "': " + opened[i].error.message());
  }
  if (shown > MaxShown)
    first->notes.push_back("and " + utostr(shown - MaxShown) + " more");
}

void lld::cuda::addIgnoredWarning(const Config &config,
                                  std::vector<Diagnostic> &messages,
                                  MessageParts parts, bool isLoss) {
  if (config.extraWarnings || config.isLld())
    messages.push_back(Diagnostic(DiagId::InputIgnored, parts));
  else if (isLoss)
    messages.push_back(
        Diagnostic(DiagId::InputIgnored, Severity::Remark, parts));
}

void InputLoader::addUnit(InputFile &file, ContentKind kind) {
  file.units.emplace_back();
  InputUnit &unit = file.units.back();
  unit.label = inputs.memory.strings.save(StringRef(file.path));
  unit.kind = kind;
  unit.systemLibrary = file.systemLibrary;
  unit.lazy = kind == ContentKind::Bitcode && file.isDeviceLibrary;
  pending.push_back({&unit, file.buffer->getMemBufferRef(), {}});
  unit.source = file.buffer.get();
  unit.store = file.store;
}

/// Whether a member with these contents is taken only if it is needed.
bool InputLoader::isLazy(const InputFile &file, StringRef data) const {
  return inputs.config.isLld() && !file.takeWhole &&
         (isCubin(data) || isBitcode(data));
}

/// Every member is a unit, host object or not; there is no selection by symbol.
void InputLoader::addArchive(InputFile &file) {
  if (!archives.insert(file.id).second)
    return;
  SharedOrOwn<std::vector<ArchiveMember>> members(
      file.store ? file.store->getMembers(*file.buffer) : nullptr, [&] {
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
    unit.label =
        inputs.memory.strings.save(file.path + ":" + Twine(member.name));
    unit.isMember = true;
    unit.lazy = isLazy(file, member.data);
    unit.systemLibrary = file.systemLibrary;
    unit.source = file.buffer.get();
    unit.store = file.store;
    pending.push_back({&unit, MemoryBufferRef(member.data, unit.label),
                       member.thinPath, member.thinOffset, &file});
  }
}

void InputLoader::split(InputFile &file, Identified found) {
  if (found.isArchive)
    addArchive(file);
  else if (found.kind)
    addUnit(file, *found.kind);
}

void InputLoader::unpackPending(PendingUnit &p) {
  if (!p.thinPath.empty()) {
    // One member of an archive, perhaps.
    OpenedFile file = openFound(inputs, p.thinPath, /*lazy=*/p.thinOffset != 0);
    p.unit->buffer = std::move(file.buffer);
    p.unit->source = p.unit->buffer.get();
    if (!p.unit->buffer) {
      p.unit->told.messages.push_back(openError(file, p.thinPath));
      p.unit->told.messages.push_back(
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
        p.unit->told.messages.push_back(Diagnostic(
            DiagId::DamagedArchive, {diag::file(p.thinPath).bare(), ": ",
                                     toString(contents.takeError())}));
        p.unit->told.messages.push_back(
            Diagnostic(DiagId::UnknownArchive, {"unexpected archive format"}));
        p.unit->told.messages.push_back(
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
  if (p.unit->isMember && inputs.config.isLld() && isCubin(data)) {
    unpackLazyCubin(*p.unit, p.data);
    return;
  }
  if (p.unit->isMember && inputs.config.isLld() && isBitcode(data)) {
    p.unit->kind = ContentKind::Bitcode;
    p.unit->data = data;
    unpackUnit(inputs, *p.unit, p.data);
    return;
  }
  const bool isHost =
      isHostObject(data) || (inputs.config.isLld() && isCoffObject(data));
  if (p.unit->isMember && !isHost) {
    // A cubin isn't linked here, but it isn't a host object without kernels.
    p.unit->host.countsForHostInfo = isElf(data);
    const bool isDeviceCode = isCubin(data) || isFatbin(data);
    p.unit->data = data;
    p.unit->told.isIgnoredCubin = isCubin(data);
    return addIgnoredWarning(
        inputs.config, p.unit->told.messages,
        {diag::file(p.unit->label), " is ignored: ",
         isDeviceCode ? "nvlink links only host objects from archives"
                      : "it is not a host object"},
        isDeviceCode);
  }
  p.unit->data = data;
  unpackUnit(inputs, *p.unit, p.data);
}

/// Files that aren't read at once, whose parts that matter are in memory now.
void InputLoader::checkLoadedParts() {
  if (!inputs.counts.openInputs)
    return;
  auto check = [](InputBuffer *buffer, StringRef path,
                  std::vector<Diagnostic> &messages) {
    if (buffer && !buffer->isMapped() && !buffer->isUnchanged())
      messages.insert(messages.begin(), changedError(path));
  };
  for (InputFile &file : inputs.files) {
    check(file.buffer.get(), file.path, file.messages);
    for (InputUnit &unit : file.units)
      if (unit.buffer)
        check(unit.buffer.get(), unit.buffer->getBufferIdentifier(),
              unit.told.messages);
  }
}

/// Device libraries hold cubins for other architectures, too.
void InputLoader::unpackLazyCubin(InputUnit &unit, MemoryBufferRef data) {
  unit.kind = ContentKind::Cubin;
  unit.data = data.getBuffer();
  unpackUnit(inputs, unit, data);
  if (unit.holds.cubins.empty() && unit.lazy) {
    unit.told.messages.clear();
    unit.told.isIgnoredCubin = true;
    addIgnoredWarning(inputs.config, unit.told.messages,
                      {diag::file(unit.label),
                       " is ignored: it can't be linked for ",
                       inputs.config.archName},
                      /*isLoss=*/false);
    unit.lazy = false;
  }
}

void InputLoader::compilePending() {
  std::vector<InputUnit *> units;
  for (PendingUnit &p : pending)
    if (!p.unit->holds.ptx.empty() &&
        (!inputs.job.onlyChecks || p.unit->kind == ContentKind::PTX))
      units.push_back(p.unit);
  if (units.empty())
    return;
  inputs.clock.begin("compile PTX");
  if (inputs.job.onProgramStart)
    inputs.job.onProgramStart();
  compilePtx(inputs, units);
}

InputFile &InputLoader::addFile(std::string path) {
  InputFile &input = inputs.files.emplace_back();
  input.path = std::move(path);
  input.store = inputs.job.store;
  input.systemLibrary = !inputs.config.keepSystemLibraries &&
                        StringRef(input.path).contains("cudadevrt");
  return input;
}

InputFile &InputLoader::addInput(const LinkInput &input) {
  std::string name = input.name.empty() ? input.path : input.name;
  if (name.empty())
    name = "<input " + utostr(inputs.files.size() + 1) + ">";
  InputFile &file = addFile(std::move(name));
  if (!inputs.config.isCommandLine)
    file.systemLibrary = input.isTakenIfNeeded;
  if (input.prepared)
    file.store = input.prepared->store.get();
  return file;
}

/// In the order of the inputs, up to the first fatal one. An earlier error (it
/// can only be a warning under -Werror) ends the link at the next input that
/// holds fatbins; this is how nvlink's parts look at each other's state
/// [messages-werror-forgotten].
void InputLoader::reportMessages() {
  auto report = [&](std::vector<Diagnostic> &messages) {
    for (const Diagnostic &d : std::exchange(messages, {}))
      inputs.diag.report(d);
  };
  for (InputFile &file : inputs.files) {
    report(file.messages);
    for (InputUnit &unit : file.units) {
      if (inputs.diag.errorCount() && unit.kind == ContentKind::HostObject)
        inputs.diag.report(DiagId::InternalLinkError,
                           {"elfLink internal error"});
      else if (inputs.diag.errorCount() && unit.kind != ContentKind::Cubin)
        inputs.diag.report(DiagId::FatbinaryError, {"elfLink fatbinary error"});
      else
        reportUnit(inputs, unit);
      if (!unit.holds.ptx.empty())
        inputs.diag.forgetWarningsAsErrors();
      if (inputs.diag.stopped())
        return;
    }
    if (inputs.diag.stopped())
      return;
  }
}

/// Whether the merge of a large link takes several objects at once. On two
/// processors that is slower than one object after the other, and some options
/// ask for what only mergeObject() does.
static bool mergesBatches(const Inputs &inputs) {
  constexpr unsigned Least = 4;
  const Config &config = inputs.config;
  const unsigned threads = config.threads ? config.threads
                           : hasJobServer(config.environment.makeFlags)
                               ? 1
                               : availableProcessors();
  return threads >= Least && !inputs.isMercury() && !inputs.symbolControl &&
         !config.preserveRelocs && !config.dumpCallGraph &&
         !config.dumpCallGraphNoDemangle && !config.hasKernelFilter();
}

/// Notes how large the link is, as far as that is known by now.
void InputLoader::setSize(uint64_t bytes, size_t items) {
  const std::optional<uint64_t> least = inputs.config.minParallel;
  if (least ? bytes < *least
            : bytes <= LargeLinkBytes && items <= LargeLinkFiles)
    return;
  if (inputs.worthThreads == 1 && inputs.job.ownsProcess) {
    prepareHeap();
    // Under make's job server, other processors are for others.
    if (inputs.config.threads != 1 && availableProcessors() > 1 &&
        !hasJobServer(inputs.config.environment.makeFlags))
      provideHeapPages();
  }
  inputs.worthThreads =
      std::max(inputs.worthThreads, worthThreads(bytes, items));
  inputs.mergesBatches = mergesBatches(inputs);
}

/// Opens and reads the inputs; libraries of -l are open already.
void InputLoader::readFiles() {
  const std::vector<LinkInput> &given = inputs.config.inputs;
  const size_t count = given.size();
  if (opened.size() > LargeLinkFiles) {
    setSize(0, opened.size());
    return parallelForEach(inputs, count, [&](size_t i) {
      opened[i] = openInput(inputs, given[i]);
    });
  }
  uint64_t bytes = 0;
  if (inputs.job.store) {
    for (size_t i = 0; i != count; ++i) {
      opened[i] = openInput(inputs, given[i]);
      bytes += opened[i].buffer ? opened[i].buffer->getBufferSize() : 0;
    }
    return setSize(bytes, count);
  }
  std::vector<FileToRead> files(count);
  for (size_t i = 0; i != count; ++i) {
    files[i] = openToRead(inputs, given[i]);
    if (files[i].fd >= 0 || files[i].memory || given[i].prepared)
      bytes += files[i].status.st_size;
  }
  setSize(bytes, count);
  parallelForEach(inputs, count, [&](size_t i) {
    opened[i] = given[i].prepared
                    ? given[i].prepared->file
                    : readOpenFile(inputs, given[i].path, files[i],
                                   /*lazy=*/false);
  });
}

void InputLoader::run() {
  const LldConfig &lld = inputs.config.lld;
  auto takesWhole = [](const std::vector<bool> &flags, size_t i) {
    return i < flags.size() && flags[i];
  };
  for (const LinkInput &input : inputs.config.inputs) {
    InputFile &file = addInput(input);
    file.takeWhole = takesWhole(lld.wholeInputs, inputs.files.size() - 1);
  }
  opened.resize(inputs.files.size());
  for (size_t i = 0; i != inputs.config.libraries.size(); ++i) {
    const std::string &name = inputs.config.libraries[i];
    if (std::optional<FoundLibrary> library = findLibrary(inputs, name)) {
      opened.push_back(std::move(library->file));
      addFile(std::move(library->path)).takeWhole =
          takesWhole(lld.wholeLibraries, i);
    }
  }

  if (!lld.lto.deviceLibrary.empty()) {
    opened.push_back(openFile(inputs, lld.lto.deviceLibrary));
    addFile(lld.lto.deviceLibrary).isDeviceLibrary = true;
  }

  readFiles();
  uint64_t bytes = 0;
  for (size_t i = 0; i != opened.size(); ++i) {
    if (opened[i].buffer)
      bytes += opened[i].buffer->getBufferSize();
    else
      inputs.files[i].messages.push_back(
          openError(opened[i], inputs.files[i].path));
    inputs.files[i].buffer = std::move(opened[i].buffer);
    inputs.files[i].id = opened[i].id;
    const bool isLibrary = i >= inputs.config.inputs.size();
    split(inputs.files[i],
          identify(inputs.config, inputs.files[i],
                   isLibrary ? nullptr : &inputs.config.inputs[i]));
  }
  addOtherUnopened(opened, inputs);

  setSize(bytes, pending.size());
  parallelForEach(inputs, pending.size(),
                  [&](size_t i) { unpackPending(pending[i]); });
  checkLoadedParts();
  if (!inputs.job.onlyChecks || inputs.job.checksByCompiling)
    compilePending();
  for (PendingUnit &p : pending)
    noteCodeWithoutLto(inputs, *p.unit);
  if (inputs.config.isLld()) {
    readBitcodeSymbols(inputs);
    if (inputs.diag.stopped())
      return;
    if (inputs.symbolControl) {
      inputs.symbolControl->rename();
      inputs.symbolControl->separateNamed();
    }
    selectLazyMembers(inputs);
    if (inputs.symbolControl)
      inputs.symbolControl->refuseBitcode();
  }
  reportMessages();
}

static void reportCutOff(Inputs &inputs, InputFile &file) {
  for (InputUnit &unit : file.units)
    if (unit.told.cutOff)
      inputs.diag.report(*std::exchange(unit.told.cutOff, std::nullopt));
}

InputFile &InputLoader::runNext(const LinkInput &input) {
  InputFile &file = addInput(input);
  file.buffer = input.prepared->file.buffer;
  file.id = input.prepared->file.id;
  split(file, identify(inputs.config, file, &input));
  setSize(file.buffer->getBufferSize(),
          std::max(pending.size(), inputs.files.size()));
  parallelForEach(inputs, pending.size(),
                  [&](size_t i) { unpackPending(pending[i]); });
  for (const Diagnostic &d : std::exchange(file.messages, {}))
    inputs.diag.report(d);
  for (InputUnit &unit : file.units)
    if (!inputs.diag.stopped())
      reportUnit(inputs, unit);
  reportCutOff(inputs, file);
  return file;
}

void lld::cuda::loadInputs(Inputs &inputs) {
  std::set<sys::fs::UniqueID> archives;
  InputLoader(inputs, archives).run();
}

InputFile &lld::cuda::loadNextInput(Inputs &inputs, const LinkInput &input,
                                    std::set<sys::fs::UniqueID> &archives) {
  return InputLoader(inputs, archives).runNext(input);
}

void lld::cuda::reportChangedInputs(const Inputs &inputs) {
  if (!inputs.counts.openInputs)
    return;
  for (const InputFile &file : inputs.files) {
    if (file.buffer && !file.buffer->isUnchanged())
      inputs.diag.report(changedError(file.path));
    for (const InputUnit &unit : file.units)
      if (unit.buffer && !unit.buffer->isUnchanged())
        inputs.diag.report(changedError(unit.buffer->getBufferIdentifier()));
  }
}

void lld::cuda::reportCutOffInputs(Inputs &inputs) {
  for (InputFile &file : inputs.files)
    reportCutOff(inputs, file);
}
