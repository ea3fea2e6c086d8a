//===- DeviceLink.cpp - A device link from inputs to host object ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// linkDevice() carries out a device link: a link for each architecture, whose
/// images it packs into a fatbin and, if asked, into a host object
/// [device-link]. runCommandLine() in Driver.cpp calls it in place of a single
/// link when the command line has --host-object, --fatbin or -gencode.
///
/// Each architecture's link is an ordinary one, made in memory by the library's
/// link(). Small links run one after the other, since starting a thread takes
/// as long as one of them; large ones run in parallel, and images are
/// compressed while other links still run. Files that all links read are in one
/// InputStore. Either all outputs are written or none.
///
//===----------------------------------------------------------------------===//

#include "Driver/DeviceLink.h"
#include "Driver/DeviceLinkMessages.h"
#include "Driver/DeviceLinkOptions.h"
#include "Driver/Driver.h"
#include "Input/InputStore.h"
#include "Messages/Progress.h"
#include "Parallel.h"
#include "lld-cuda/Linker.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/FatbinWriter.h"
#include "lld-cuda/Object/HostObject.h"
#include "lld-cuda/Object/HostObjectWriter.h"
#include "lld-cuda/Resources/Report.h"
#include "lld-cuda/Support/FileIdentity.h"
#include "lld-cuda/Support/Heap.h"
#include "lld-cuda/Support/JobTokens.h"
#include "lld-cuda/Support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include <condition_variable>
#include <mutex>

using namespace llvm;

namespace lld::cuda {

namespace {

Error deviceLinkError(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

/// The share of a device link that is done when all links are, and when the
/// images are compressed, for progress reports.
constexpr unsigned LinksPercent = 60, ImagesPercent = 90;

constexpr StringLiteral ImageName = "image", ListName = "registered-objects";

/// A link for one architecture, and what it says.
struct TargetLink {
  std::string target, text, errors;
  LinkProgress *progress = nullptr;
  LinkResult result;
  std::unique_ptr<report::Report> report; ///< Null: nobody wants it.
  std::optional<FatbinImage> image;       ///< If the link has made one.
  FatbinPayload payload;
  std::string problem; ///< Why there is no payload.
};

/// Links in the order in which they end.
class EndedLinks {
public:
  explicit EndedLinks(size_t all) : all(all) {}
  void add(TargetLink &link) {
    std::lock_guard<std::mutex> lock(mutex);
    links.push_back(&link);
    hasNext.notify_one();
  }
  /// The next one, once there is one, and whether all have ended.
  std::pair<TargetLink *, bool> take() {
    std::unique_lock<std::mutex> lock(mutex);
    hasNext.wait(lock, [&] { return taken != links.size(); });
    return {links[taken++], links.size() == all};
  }

private:
  const size_t all;
  size_t taken = 0;
  std::vector<TargetLink *> links;
  std::mutex mutex;
  std::condition_variable hasNext;
};

/// Each link has a tar file of its own, named by its architecture. Empty:
/// none is asked for.
std::string reproducerOf(const DeviceLinkOptions &options, StringRef target) {
  StringRef path = options.reproducer;
  if (path.empty() || path.contains("%a") || options.targets.size() < 2)
    return path.str();
  return (path + "." + target).str();
}

/// The state of a device link. It isn't destroyed if the process ends with it.
struct DeviceLink {
  explicit DeviceLink(DeviceLinkOptions options)
      : options(std::move(options)),
        store(/*takesStandardInput=*/this->options.flavor == Flavor::LLD) {}
  const DeviceLinkOptions options;
  std::vector<std::string> paths; ///< Words that may be inputs, each once.
  InputStore store;
  std::vector<TargetLink> links;
  bool ownsProcess = false;
  bool disableOutput = false;
  bool isOnStandardError = false; ///< Messages go there.
  raw_ostream *out = nullptr;     ///< What is printed that is no message.

  /// How many threads all links have together; 0: each asks for itself.
  std::atomic<unsigned> threads{options.threads};
};

/// Threads share the processors, so that the links don't get into each other's
/// way.
void linkTarget(DeviceLink &device, TargetLink &link,
                function_ref<void()> onProgramStart) {
  const DeviceLinkOptions &options = device.options;
  LinkRequest request;
  request.args = {options.program};
  append_range(request.args, options.words);
  append_range(request.args, ArrayRef<std::string>{
                                 "-arch=" + link.target, "-o", ImageName.str(),
                                 "--register-link-binaries=" + ListName.str()});
  const bool reproduces = !options.reproducer.empty() && !device.disableOutput;
  if (reproduces)
    request.args.push_back("--reproduce=" + reproducerOf(options, link.target));
  if (!options.reports.empty())
    link.report = std::make_unique<report::Report>();
  raw_string_ostream out(link.text), err(link.errors);
  request.out = &out;
  request.err = &err;
  LinkSurroundings surroundings;
  surroundings.progress = link.progress;
  surroundings.resources = link.report.get();
  surroundings.store = &device.store;
  surroundings.reproduces = reproduces;
  surroundings.makesHostObject =
      !options.hostObject.empty() && !options.isRelocatable;
  surroundings.wantsKernelFacts = false;
  surroundings.isDefaultTarget = options.isDefaultTarget;
  surroundings.isOnStandardError = device.isOnStandardError;
  surroundings.onProgramStart = onProgramStart;
  surroundings.threads =
      divideCeil(device.threads.load(), unsigned(device.links.size()));
  // Only the last links needn't free their memory: later ones use that again.
  surroundings.isLast =
      device.ownsProcess && size_t(&link - device.links.data()) +
                                    std::max(device.threads.load(), 1u) >=
                                device.links.size();
  link.result = lld::cuda::link(request, surroundings);
}

/// --no-explain allows nvlink's messages only: then progress isn't shown unless
/// an option asks for it.
void startDeviceLinkProgress(const DeviceLinkOptions &options,
                             ProgressLine &line) {
  for (const std::string &target : options.targets)
    line.addLink(target);
  if (options.targets.empty())
    line.addLink(options.virtualTarget);
  bool explains = true;
  for (StringRef word : options.words)
    if (word.ltrim('-') == "explain" || word.ltrim('-') == "no-explain")
      explains = word.ltrim('-') == "explain";
  if (options.progress == ProgressMode::Auto && !explains)
    return;
  line.setPartOfLinks(LinksPercent);
  line.start(options.progress, sys::path::filename(options.program),
             readEnvironment());
}

/// Starting threads for less takes longer than it saves.
constexpr uint64_t WorthThreadsBytes = 64 << 10;

/// Finds the image among the link's outputs, and describes it for the fatbin.
void collectImage(const DeviceLinkOptions &options, TargetLink &link) {
  StringRef number = link.target;
  const MemoryBuffer *output = link.result.getOutput(ImageName);
  if (!number.consume_front("sm_") || !output)
    return;
  if (const auto arch = elf::parseArchitecture(number)) {
    link.image.emplace();
    link.image->arch = *arch;
    link.image->bytes = output->getBuffer();
    link.image->isDebug = options.isDebug;
    link.image->isPacked = options.compressesAll;
    link.image->identifier = options.identifier;
  }
}

/// `grow` is called if it's worth threads.
void packImage(const DeviceLinkOptions &options, TargetLink &link,
               function_ref<void()> grow) {
  if (!link.image)
    return;
  if (link.image->bytes.size() >= WorthThreadsBytes &&
      isCompressed(*link.image, options.compression))
    grow();
  Expected<FatbinPayload> payload =
      makePayload(*link.image, options.compression);
  if (payload)
    link.payload = std::move(*payload);
  else
    link.problem = toString(payload.takeError());
}

/// Small links are done in turn: starting a thread takes as long as one does.
/// Large links' images are compressed while the last ones are linked.
void linkTargets(DeviceLink &device, ProgressLine &line) {
  const DeviceLinkOptions &options = device.options;
  // One for a virtual target alone says which inputs are registered.
  std::vector<TargetLink> &links = device.links;
  links.resize(std::max<size_t>(options.targets.size(), 1));
  links.front().target = options.virtualTarget;
  for (size_t i = 0; i != options.targets.size(); ++i)
    links[i].target = options.targets[i];
  for (size_t i = 0; i != links.size(); ++i)
    links[i].progress = &line.link(i);
  GrowingLoop *own = nullptr;
  std::optional<JobTokens> tokens; // Back when all links are done.
  std::once_flag isAskedFor;
  auto takeThreads = [&] {
    std::call_once(isAskedFor, [&] {
      if (device.threads)
        return;
      tokens.emplace(readEnvironment().makeFlags, availableProcessors());
      device.threads = tokens->threads();
    });
  };
  auto grow = [&] {
    takeThreads();
    own->grow(std::min<size_t>(device.threads, links.size()));
  };
  EndedLinks ended(links.size());
  // All links are begun before the first one waits for an image.
  auto linkOrPack = [&](size_t i) {
    if (i < links.size()) {
      linkTarget(device, links[i], grow);
      collectImage(options, links[i]);
      return ended.add(links[i]);
    }
    const auto [link, isAfterLinks] = ended.take();
    if (isAfterLinks)
      line.enter("compress images", LinksPercent);
    packImage(options, *link, grow);
  };
  GrowingLoop loop(2 * links.size(), linkOrPack);
  own = &loop;
  bool isLarge = false;
  device.store.read(device.paths, [&]() -> unsigned {
    isLarge = true;
    // No thread must have taken memory before.
    if (device.ownsProcess)
      prepareHeap();
    takeThreads();
    return device.threads;
  });
  if (isLarge)
    grow();
  loop.run();
}

/// Lists the objects that the links would register, each once.
std::vector<std::string> listIdentifiers(ArrayRef<TargetLink> links) {
  std::vector<std::string> names;
  StringSet<> seen;
  for (const TargetLink &link : links) {
    const MemoryBuffer *list = link.result.getOutput(ListName);
    SmallVector<StringRef> lines;
    if (list)
      list->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines)
      if (line.consume_front("DEFINE_REGISTER_FUNC(") &&
          line.consume_back(")") && seen.insert(line).second)
        names.push_back(line.str());
  }
  return names;
}

/// Returns the target of the first host object in a file or an archive.
std::optional<Triple> findHost(InputStore &store, const InputBuffer &file) {
  if (!isArchive(file.getBuffer()))
    return getHost(file.getBuffer());
  // If the archive can't be read, the links have reported that.
  if (const std::vector<ArchiveMember> *members = store.getMembers(file))
    for (const ArchiveMember &member : *members)
      if (std::optional<Triple> host = getHost(member.data))
        return host;
  return std::nullopt;
}

/// Returns the target of the host object: that of --host-target, or of the
/// first host object among the inputs, or this machine's.
Triple chooseHost(DeviceLink &device) {
  if (!device.options.host.empty())
    return Triple(Triple::normalize(device.options.host));
  for (const std::string &path : device.paths)
    if (const OpenedFile file = device.store.open(path, /*lazy=*/false);
        file.buffer)
      if (std::optional<Triple> host = findHost(device.store, *file.buffer))
        return *host;
  // Not LLVM's default target: an LLVM that compiles for GPUs only has none.
  return Triple(sys::getProcessTriple());
}

/// Makes the fatbin of all links' images.
Expected<SmallVector<char, 0>> joinImages(const DeviceLinkOptions &options,
                                          MutableArrayRef<TargetLink> links) {
  std::vector<FatbinImage> images;
  std::vector<FatbinPayload> payloads;
  for (TargetLink &link : links) {
    if (!StringRef(link.target).starts_with("sm_"))
      continue;
    if (!link.image)
      return deviceLinkError(link.target + ": no image was made");
    if (!link.problem.empty())
      return deviceLinkError(link.problem);
    images.push_back(*link.image);
    payloads.push_back(std::move(link.payload));
  }
  return writeFatbin(images, payloads, options.compression);
}

/// Where a link of one architecture prints its report, so does this one.
Error addReport(DeviceLink &device, OutputSet &outputs, StringRef path,
                std::string text) {
  if (path == "-") {
    *device.out << text;
    return Error::success();
  }
  if (Error e = outputs.add({path, std::move(text)}))
    return deviceLinkError("'" + path + "': " + toString(std::move(e)));
  return Error::success();
}

/// One report of all links' images; with %a in its name, one of each.
Error addReports(DeviceLink &device, OutputSet &outputs) {
  const DeviceLinkOptions &options = device.options;
  const MutableArrayRef<TargetLink> links = device.links;
  if (options.reports.empty())
    return Error::success();
  for (TargetLink &link : links)
    for (report::Image &image : link.report->images)
      image.output = !options.hostObject.empty() ? options.hostObject
                     : !options.fatbin.empty()   ? options.fatbin
                                                 : options.cubin;
  std::vector<StringRef> joinedPaths;
  for (const std::string &path : options.reports) {
    if (!StringRef(path).contains("%a")) {
      joinedPaths.push_back(path);
      continue;
    }
    for (const TargetLink &link : links) {
      const std::string own = fillInArchitecture(path, link.target);
      if (Error e = addReport(device, outputs, own,
                              report::render(*link.report, own).str()))
        return e;
    }
  }
  report::Report joined;
  for (TargetLink &link : links)
    joined.demangles &= link.report->demangles;
  for (TargetLink &link : links)
    for (report::Image &image : link.report->images)
      joined.images.push_back(std::move(image));
  for (StringRef path : joinedPaths)
    if (Error e = addReport(device, outputs, path,
                            report::render(joined, path).str()))
      return e;
  return Error::success();
}

Error writeOutputs(DeviceLink &device, ProgressLine &line) {
  const DeviceLinkOptions &options = device.options;
  const MutableArrayRef<TargetLink> links = device.links;
  Expected<SmallVector<char, 0>> fatbin = joinImages(options, links);
  if (!fatbin)
    return fatbin.takeError();
  const StringRef bytes(fatbin->data(), fatbin->size());
  SmallVector<char, 0> object;
  if (!options.hostObject.empty()) {
    const Triple host = chooseHost(device);
    const HostFacts &facts = device.links.front().result.facts.host;
    Expected<SmallVector<char, 0>> written =
        options.isRelocatable
            ? writeLayerObject(host, bytes, facts.moduleIds, facts.lists)
            : writeHostObject(host, bytes, listIdentifiers(links));
    if (!written)
      return written.takeError();
    object = std::move(*written);
  }
  line.enter("write", ImagesPercent);
  if (device.disableOutput)
    return Error::success();
  OutputSet outputs;
  auto add = [&](StringRef path, StringRef contents,
                 bool mayBeStream = false) -> Error {
    if (path.empty())
      return Error::success();
    OutputRequest request(path, contents.size(),
                          {{0, arrayRefFromStringRef(contents)}});
    request.toStandardOutput = mayBeStream && options.isStandardOutput(path);
    if (Error e = outputs.add(std::move(request)))
      return deviceLinkError("'" + path + "': " + toString(std::move(e)));
    return Error::success();
  };
  if (links.front().image)
    if (Error e = add(options.cubin, links.front().image->bytes, true))
      return e;
  if (Error e = add(options.fatbin, bytes, true))
    return e;
  const std::vector<std::string> names = listIdentifiers(links);
  std::string registered =
      "#define NUM_PRELINKED_OBJECTS " + utostr(names.size()) + "\n";
  for (const std::string &name : names)
    registered += "DEFINE_REGISTER_FUNC(" + name + ")\n";
  if (Error e = add(options.registerFile, registered))
    return e;
  if (Error e = add(options.hostObject, StringRef(object.data(), object.size()),
                    true))
    return e;
  if (Error e = addReports(device, outputs))
    return e;
  // Maps and other reports have the architecture in their name, by %a or here.
  StringMap<unsigned> sameName;
  for (const TargetLink &link : links)
    for (const std::unique_ptr<MemoryBuffer> &other : link.result.outputs)
      ++sameName[other->getBufferIdentifier()];
  for (const TargetLink &link : links)
    for (const std::unique_ptr<MemoryBuffer> &other : link.result.outputs) {
      const StringRef path = other->getBufferIdentifier();
      if (path == ImageName || path == ListName)
        continue;
      const std::string own =
          sameName[path] == 1 ? path.str() : (path + "." + link.target).str();
      if (Error e = add(own, other->getBuffer()))
        return e;
    }
  return outputs.commit();
}

} // namespace

/// No two outputs are one file, and none is an input.
static Error checkOutputNames(const DeviceLinkOptions &options) {
  std::vector<std::pair<StringRef, FileIdentity>> outputs;
  SmallVector<const std::string *> paths = {&options.cubin, &options.fatbin,
                                            &options.hostObject,
                                            &options.registerFile};
  for (const std::string &path : options.reports)
    if (path != "-") // It is printed.
      paths.push_back(&path);
  std::vector<std::string> reproducers;
  reproducers.reserve(options.targets.size());
  for (const std::string &target : options.targets)
    reproducers.push_back(reproducerOf(options, target));
  // %a stands for the architecture; the links replace and check it themselves.
  if (!StringRef(options.reproducer).contains("%a"))
    append_range(paths, make_pointer_range(reproducers));
  for (const std::string *path : paths) {
    if (path->empty())
      continue;
    std::optional<FileIdentity> file = identifyFile(*path);
    if (!file)
      continue;
    for (const auto &[other, identity] : outputs)
      if (identity == *file)
        return deviceLinkError("output files '" + other + "' and '" + *path +
                               "' are the same file");
    outputs.emplace_back(*path, *file);
  }
  for (const std::vector<std::string> *list :
       {&options.words, &options.optionsFiles})
    for (const std::string &word : *list) {
      if (StringRef(word).starts_with("-"))
        continue;
      const std::optional<FileIdentity> input = identifyFile(word);
      if (!input || !input->name.empty())
        continue;
      for (const auto &[path, identity] : outputs)
        if (identity == *input)
          return deviceLinkError("output file '" + path + "' is the input '" +
                                 word + "'");
    }
  return Error::success();
}

/// Links, and says what there is to say.
static int carryOut(DeviceLink &device, DeviceLinkMessages &messages,
                    ProgressLine &line) {
  linkTargets(device, line);
  const std::vector<std::string> changed = device.store.findChanged();
  for (const std::string &path : changed)
    messages.report(changedError(path));
  if (!changed.empty())
    return 1; // What the links say is about something else.
  int status = 0;
  for (const TargetLink &link : device.links) {
    // nvcc doesn't start nvlink again after one nvlink has failed.
    if (status && device.options.flavor == Flavor::Nvlink)
      break;
    *device.out << link.text;
    messages.add(link.errors);
    if (!status)
      status = link.result.exitStatus;
  }
  if (status)
    return status;
  if (!device.options.hostObject.empty() &&
      messages.reportUnregistered(
          device.links.front().result.facts.host.unregistered))
    return 1;
  if (Error e = writeOutputs(device, line)) {
    messages.report(DiagId::CannotWriteOutput, toString(std::move(e)));
    return 1;
  }
  return 0;
}

/// The whole program's, or in somebody else's process each link's.
static void takeLimits(DeviceLinkOptions &options, bool ownsProcess) {
  const Limits &limits = options.limits;
  if (ownsProcess)
    return applyLimits(limits);
  if (limits.memory)
    options.words.push_back("--memory-limit=" + utostr(limits.memory));
  if (limits.seconds)
    options.words.push_back("--time-limit=" + utostr(limits.seconds));
}

int linkDevice(ArrayRef<const char *> args, raw_ostream &out, raw_ostream &err,
               bool disableOutput, bool ownsProcess, ProgressLine &line) {
  DeviceLinkMessages messages(err, line.isOnStandardError(), args);
  auto fail = [&](Error e, DiagId id = DiagId::InvalidValue) {
    messages.report(id, toString(std::move(e)));
    return 1;
  };
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *, 64> expanded;
  std::vector<std::string> optionsFiles;
  if (Error e = expandWords(args, saver, expanded, optionsFiles))
    return fail(std::move(e), DiagId::OptionsFile);
  messages.readFormat(expanded);
  Expected<DeviceLinkOptions> options = readDeviceLinkOptions(expanded);
  if (!options)
    return fail(options.takeError());
  options->optionsFiles = std::move(optionsFiles);
  if (Error e = checkOutputNames(*options))
    return fail(std::move(e), DiagId::OutputOverwrites);
  const bool writesThere = options->writesToStandardOutput();
  if (writesThere && out.is_displayed())
    return fail(deviceLinkError("-: standard output is a terminal"));
  startDeviceLinkProgress(*options, line);
  takeLimits(*options, ownsProcess);
  auto device = std::make_unique<DeviceLink>(std::move(*options));
  device->ownsProcess = ownsProcess;
  device->disableOutput = disableOutput;
  device->out = writesThere ? &err : &out;
  device->isOnStandardError = line.isOnStandardError();
  StringSet<> seen;
  // A shared library can be large, and only its header is looked at.
  for (const std::string &word : device->options.words)
    if ((word == "-" || !StringRef(word).starts_with("-")) &&
        !StringRef(word).ends_with(".so") && seen.insert(word).second)
      device->paths.push_back(word);
  const int status = carryOut(*device, messages, line);
  if (ownsProcess)
    (void)device.release();
  return status;
}

} // namespace lld::cuda
