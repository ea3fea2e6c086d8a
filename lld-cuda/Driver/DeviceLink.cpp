//===- DeviceLink.cpp - A device link from inputs to host object ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each architecture's link is an ordinary one, in memory, on a thread of its
/// own; files are opened once for all.
///
//===----------------------------------------------------------------------===//

#include "Driver/DeviceLink.h"
#include "Driver/DeviceLinkMessages.h"
#include "Driver/Driver.h"
#include "Driver/ResponseFiles.h"
#include "Driver/WordReader.h"
#include "Output/OutputFile.h"
#include "Report/Progress.h"
#include "Report/ResourceModel.h"
#include "lld-cuda/Linker.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/FatbinWriter.h"
#include "lld-cuda/Object/HostObject.h"
#include "lld-cuda/Object/HostObjectWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include <thread>

using namespace llvm;

namespace lld::cuda {

namespace {

struct DeviceLinkOptions {
  std::string program;
  std::vector<std::string> targets; ///< "sm_90", "sm_100a", in order.
  /// "compute_90" or "lto_90", the first. Without another target there is no
  /// image: the driver compiles what the inputs have.
  std::string virtualTarget;
  std::vector<std::string> words; ///< For each link.
  std::string hostObject, fatbin, cubin, host, registerFile;
  std::vector<std::string> optionsFiles; ///< Where options were.
  std::vector<std::string> reports;      ///< --resource-report
  std::string reproducer;                ///< --reproduce
  FatbinCompression compression = FatbinCompression::Default;
  ProgressMode progress = ProgressMode::Auto;
  bool isDebug = false;
  bool isRelocatable = false; ///< -r: the host object is a layer.
  bool color = false;         ///< Messages unless `words` have it otherwise.
};

Error invalid(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

/// Of a virtual architecture nothing is linked [nvcc-virtual-targets].
void addTarget(DeviceLinkOptions &options, StringRef name) {
  if (!name.starts_with("compute_") && !name.starts_with("lto_")) {
    if (!is_contained(options.targets, name.str()))
      options.targets.push_back(name.str());
  } else if (options.virtualTarget.empty()) {
    options.virtualTarget = name.str();
  }
}

/// As nvcc takes them.
Error readGenerateCode(StringRef value, DeviceLinkOptions &options) {
  constexpr StringLiteral Code = "code=";
  const size_t at = value.find(Code);
  if (!value.starts_with("arch=") || at == StringRef::npos)
    return invalid("-gencode " + value + ": expected arch=..,code=..");
  StringRef list = value.drop_front(at + Code.size()).trim("[]\"'");
  SmallVector<StringRef> names;
  list.split(names, ',');
  for (StringRef name : names) {
    if (!name.starts_with("sm_") && !name.starts_with("compute_") &&
        !name.starts_with("lto_"))
      return invalid("-gencode " + value + ": '" + name + "' can't be linked");
    addTarget(options, name);
  }
  return Error::success();
}

Expected<DeviceLinkOptions> readOptions(ArrayRef<const char *> args) {
  DeviceLinkOptions options;
  options.program = args.front();
  WordReader reader(args.drop_front());
  while (!reader.atEnd()) {
    StringRef value;
    if (reader.takeValue("host-object", value)) {
      options.hostObject = value.str();
    } else if (reader.takeValue("fatbin", value)) {
      options.fatbin = value.str();
    } else if (reader.takeValue("register-link-binaries", value)) {
      options.registerFile = value.str();
    } else if (reader.takeValue("resource-report", value)) {
      options.reports.push_back(value.str());
    } else if (reader.takeValue("reproduce", value)) {
      options.reproducer = value.str();
    } else if (reader.takeValue("host-target", value)) {
      options.host = value.str();
    } else if (reader.takeValue("o", value) ||
               reader.takeValue("output", value)) {
      options.cubin = value.str();
    } else if (reader.takeValue("compress-mode", value)) {
      std::optional<FatbinCompression> mode = parseFatbinCompression(value);
      if (!mode)
        return invalid("--compress-mode=" + value +
                       ": expected default, size, speed, balance or none");
      options.compression = *mode;
    } else if (reader.takeValue("progress", value)) {
      const std::optional<ProgressMode> mode = parseProgressMode(value);
      if (!mode)
        return invalid("unknown --progress value: " + value);
      options.progress = *mode;
    } else if (reader.takeValue("arch", value) ||
               reader.takeValue("march", value) ||
               reader.takeValue("mcpu", value)) {
      const bool isNumber = !value.empty() && isDigit(value.front());
      addTarget(options, isNumber ? ("sm_" + value).str() : value.str());
    } else if (reader.takeValue("gencode", value) ||
               reader.takeValue("generate-code", value)) {
      if (Error e = readGenerateCode(value, options))
        return std::move(e);
    } else {
      const StringRef word = reader.take();
      if (word.starts_with("-o") && !word.starts_with("-op")) {
        options.cubin = word.drop_front(2).str();
        continue;
      }
      options.words.push_back(word.str());
      options.isDebug |= word == "-g";
      options.isRelocatable |= word == "-r" || word.ltrim('-') == "relocatable";
    }
  }
  if (options.targets.empty() && options.virtualTarget.empty())
    return invalid("no architecture to link for: -arch or -gencode is missing");
  if (options.isRelocatable && options.targets.empty())
    return invalid("-r: nothing can be linked for " + options.virtualTarget);
  if (!options.cubin.empty() && options.targets.empty())
    return invalid("-o: no image is made for " + options.virtualTarget);
  if (!options.cubin.empty() && options.targets.size() != 1)
    return invalid("-o takes the image of one architecture; --fatbin and "
                   "--host-object take several");
  return options;
}

/// What of a device link is done when its links are, and when the images are
/// compressed.
constexpr unsigned LinksPercent = 60, ImagesPercent = 90;

constexpr StringLiteral ImageName = "image", ListName = "registered-objects";

/// A link for one architecture, and what it says.
struct TargetLink {
  std::string target, text, errors;
  LinkProgress *progress = nullptr;
  LinkResult result;
  std::unique_ptr<report::Report> report; ///< Null: nobody wants it.
};

/// Each link has a tar file of its own, named by its architecture. Empty:
/// none is asked for.
std::string reproducerOf(const DeviceLinkOptions &options, StringRef target) {
  StringRef path = options.reproducer;
  if (path.empty() || path.contains("%a") || options.targets.size() < 2)
    return path.str();
  return (path + "." + target).str();
}

using Files = std::vector<std::unique_ptr<MemoryBuffer>>;

Files openInputs(ArrayRef<std::string> words) {
  Files files;
  StringSet<> seen;
  for (const std::string &word : words) {
    // A shared library can be large, and only its header is looked at.
    if (StringRef(word).starts_with("-") || StringRef(word).ends_with(".so") ||
        !seen.insert(word).second)
      continue;
    // What isn't there each link will tell. Others may write to the file while
    // it is linked, so it isn't mapped.
    if (ErrorOr<std::unique_ptr<MemoryBuffer>> file =
            MemoryBuffer::getFile(word, /*IsText=*/false,
                                  /*RequiresNullTerminator=*/false,
                                  /*IsVolatile=*/true))
      files.push_back(std::move(*file));
  }
  return files;
}

void linkTarget(const DeviceLinkOptions &options, const Files &files,
                bool disableOutput, TargetLink &link) {
  LinkRequest request;
  request.args = {options.program};
  if (options.color)
    request.args.push_back("--color-diagnostics");
  append_range(request.args, options.words);
  append_range(request.args, ArrayRef<std::string>{
                                 "-arch=" + link.target, "-o", ImageName.str(),
                                 "--register-link-binaries=" + ListName.str()});
  const bool reproduces = !options.reproducer.empty() && !disableOutput;
  if (reproduces)
    request.args.push_back("--reproduce=" + reproducerOf(options, link.target));
  if (!options.reports.empty())
    link.report = std::make_unique<report::Report>();
  for (const std::unique_ptr<MemoryBuffer> &file : files)
    request.files.push_back(file->getMemBufferRef());
  raw_string_ostream out(link.text), err(link.errors);
  request.out = &out;
  request.err = &err;
  link.result =
      lld::cuda::link(request, link.progress, link.report.get(), reproduces);
}

/// With --no-explain there is nothing but nvlink's messages unless asked for.
void startProgress(const DeviceLinkOptions &options, ProgressLine &line) {
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

std::vector<TargetLink> linkTargets(const DeviceLinkOptions &options,
                                    const Files &files, bool disableOutput,
                                    ProgressLine &line) {
  // One for a virtual target alone says which inputs are registered.
  std::vector<TargetLink> links(std::max<size_t>(options.targets.size(), 1));
  links.front().target = options.virtualTarget;
  for (size_t i = 0; i != options.targets.size(); ++i)
    links[i].target = options.targets[i];
  for (size_t i = 0; i != links.size(); ++i)
    links[i].progress = &line.link(i);
  std::vector<std::thread> threads;
  for (TargetLink &link : drop_begin(links))
    threads.emplace_back(
        [&] { linkTarget(options, files, disableOutput, link); });
  linkTarget(options, files, disableOutput, links.front());
  for (std::thread &thread : threads)
    thread.join();
  return links;
}

/// What the links would register, without repetition.
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

/// Whether some input has no code for an architecture: then the program could
/// not start on it. Links for one architecture only warn.
bool lacksCode(ArrayRef<TargetLink> links, DeviceLinkMessages &messages) {
  bool lacks = false;
  for (const TargetLink &link : links) {
    std::string files;
    for (const Diagnostic &d : link.result.diagnostics)
      if (d.id == DiagId::ArchNotFound)
        files += (files.empty() ? "'" : ", '") + d.getFile().str() + "'";
    if (files.empty())
      continue;
    messages.report(DiagId::ArchNotFound,
                    "no code for " + link.target + " in " + files);
    lacks = true;
  }
  return lacks;
}

/// Of the first host object in a file or an archive.
std::optional<Triple> findHost(MemoryBufferRef file) {
  if (!isArchive(file.getBuffer()))
    return getHost(file.getBuffer());
  Expected<std::vector<ArchiveMember>> members = readArchiveMembers(file);
  if (!members) {
    consumeError(members.takeError()); // The links have told.
    return std::nullopt;
  }
  for (const ArchiveMember &member : *members)
    if (std::optional<Triple> host = getHost(member.data))
      return host;
  return std::nullopt;
}

/// That of --host-target, or of the first object for a host, or this one.
Triple chooseHost(const DeviceLinkOptions &options, const Files &files) {
  if (!options.host.empty())
    return Triple(Triple::normalize(options.host));
  for (const std::unique_ptr<MemoryBuffer> &file : files)
    if (std::optional<Triple> host = findHost(file->getMemBufferRef()))
      return *host;
  return Triple(sys::getDefaultTargetTriple());
}

Expected<std::vector<FatbinImage>>
collectImages(const DeviceLinkOptions &options, ArrayRef<TargetLink> links) {
  std::vector<FatbinImage> images;
  for (const TargetLink &link : links) {
    StringRef number = link.target;
    if (!number.consume_front("sm_"))
      continue;
    const MemoryBuffer *output = link.result.getOutput(ImageName);
    const auto arch = elf::parseArchitecture(number);
    if (!output || !arch)
      return invalid(link.target + ": no image was made");
    FatbinImage image;
    image.arch = *arch;
    image.bytes = output->getBuffer();
    image.isDebug = options.isDebug;
    images.push_back(image);
  }
  return images;
}

Error addReport(OutputSet &outputs, StringRef path, std::string text) {
  const uint64_t size = text.size();
  if (Error e = outputs.add(path, size, {}, std::move(text)))
    return invalid("'" + path + "': " + toString(std::move(e)));
  return Error::success();
}

/// One report of all links' images; with %a in its name, one of each.
Error addReports(const DeviceLinkOptions &options,
                 MutableArrayRef<TargetLink> links, OutputSet &outputs) {
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
      if (Error e =
              addReport(outputs, own, report::render(*link.report, own).str()))
        return e;
    }
  }
  report::Report joined;
  for (TargetLink &link : links)
    for (report::Image &image : link.report->images)
      joined.images.push_back(std::move(image));
  for (StringRef path : joinedPaths)
    if (Error e = addReport(outputs, path, report::render(joined, path).str()))
      return e;
  return Error::success();
}

Error writeOutputs(const DeviceLinkOptions &options,
                   MutableArrayRef<TargetLink> links, const Files &files,
                   bool disableOutput, ProgressLine &line) {
  line.enter("compress images", LinksPercent);
  Expected<std::vector<FatbinImage>> images = collectImages(options, links);
  if (!images)
    return images.takeError();
  Expected<SmallVector<char, 0>> fatbin =
      writeFatbin(*images, options.compression);
  if (!fatbin)
    return fatbin.takeError();
  const StringRef bytes(fatbin->data(), fatbin->size());
  SmallVector<char, 0> object;
  if (!options.hostObject.empty()) {
    const Triple host = chooseHost(options, files);
    const HostFacts &facts = links.front().result.facts.host;
    Expected<SmallVector<char, 0>> written =
        options.isRelocatable
            ? writeLayerObject(host, bytes, facts.moduleIds, facts.lists)
            : writeHostObject(host, bytes, listIdentifiers(links));
    if (!written)
      return written.takeError();
    object = std::move(*written);
  }
  line.enter("write", ImagesPercent);
  if (disableOutput)
    return Error::success();
  OutputSet outputs;
  auto add = [&](StringRef path, StringRef contents) -> Error {
    if (path.empty())
      return Error::success();
    if (Error e =
            outputs.add(path, contents.size(),
                        {{0,
                          {reinterpret_cast<const uint8_t *>(contents.data()),
                           contents.size()}}}))
      return invalid("'" + path + "': " + toString(std::move(e)));
    return Error::success();
  };
  if (!images->empty())
    if (Error e = add(options.cubin, images->front().bytes))
      return e;
  if (Error e = add(options.fatbin, bytes))
    return e;
  const std::vector<std::string> names = listIdentifiers(links);
  std::string registered =
      "#define NUM_PRELINKED_OBJECTS " + utostr(names.size()) + "\n";
  for (const std::string &name : names)
    registered += "DEFINE_REGISTER_FUNC(" + name + ")\n";
  if (Error e = add(options.registerFile, registered))
    return e;
  if (Error e =
          add(options.hostObject, StringRef(object.data(), object.size())))
    return e;
  if (Error e = addReports(options, links, outputs))
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

/// With the words of the files of options in their place.
static Error expandWords(ArrayRef<const char *> args, StringSaver &saver,
                         SmallVectorImpl<const char *> &expanded,
                         std::vector<std::string> &files) {
  const std::string problem = expandResponseFiles(args, saver, expanded, files);
  return problem.empty() ? Error::success() : invalid(problem);
}

/// No two outputs are one file, and none is an input.
static Error checkOutputNames(const DeviceLinkOptions &options) {
  std::vector<std::pair<StringRef, FileIdentity>> outputs;
  SmallVector<const std::string *> paths = {&options.cubin, &options.fatbin,
                                            &options.hostObject,
                                            &options.registerFile};
  append_range(paths, make_pointer_range(options.reports));
  std::vector<std::string> reproducers;
  for (const std::string &target : options.targets)
    reproducers.push_back(reproducerOf(options, target));
  // With %a the links fill in the name.
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
        return invalid("output files '" + other + "' and '" + *path +
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
          return invalid("output file '" + path + "' is the input '" + word +
                         "'");
    }
  return Error::success();
}

bool isDeviceLink(ArrayRef<const char *> args) {
  if (args.empty() || sys::path::filename(args.front()).starts_with("nvlink"))
    return false;
  const ArrayRef<const char *> words = args.drop_front();
  if (hasDeviceLinkOptions(words))
    return true;
  bool hasFile = false;
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    if (word == "--options-file" && i + 1 != words.size())
      word = words[++i];
    else if (!word.consume_front("@") && !word.consume_front("--options-file="))
      continue;
    hasFile = true;
    // What is in a pipe can be read only once.
    if (!sys::fs::is_regular_file(word))
      return false;
  }
  if (!hasFile)
    return false;
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *, 64> expanded;
  std::vector<std::string> files;
  if (Error e = expandWords(words, saver, expanded, files)) {
    consumeError(std::move(e)); // The link will tell.
    return false;
  }
  return hasDeviceLinkOptions(expanded);
}

bool hasDeviceLinkOptions(ArrayRef<const char *> words) {
  WordReader reader(words);
  while (!reader.atEnd()) {
    StringRef value;
    if (reader.takeValue("host-object", value) ||
        reader.takeValue("fatbin", value) ||
        reader.takeValue("gencode", value) ||
        reader.takeValue("generate-code", value))
      return true;
    if (reader.take() == "-flavor" && !reader.atEnd() &&
        reader.take() == "nvlink")
      return false;
  }
  return false;
}

int linkDevice(ArrayRef<const char *> args, raw_ostream &out, raw_ostream &err,
               bool disableOutput, ProgressLine &line) {
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
  Expected<DeviceLinkOptions> options = readOptions(expanded);
  if (!options)
    return fail(options.takeError());
  options->optionsFiles = std::move(optionsFiles);
  options->color = messages.hasColor();
  if (Error e = checkOutputNames(*options))
    return fail(std::move(e), DiagId::OutputOverwrites);
  startProgress(*options, line);
  const Files files = openInputs(options->words);
  std::vector<TargetLink> links =
      linkTargets(*options, files, disableOutput, line);
  bool failed = false;
  for (const TargetLink &link : links) {
    out << link.text;
    messages.add(link.errors);
    failed |= !link.result.succeeded();
  }
  if (failed || lacksCode(links, messages) ||
      (!options->hostObject.empty() &&
       messages.reportUnregistered(
           links.front().result.facts.host.unregistered)))
    return 1;
  if (Error e = writeOutputs(*options, links, files, disableOutput, line))
    return fail(std::move(e), DiagId::CannotWriteOutput);
  return 0;
}

} // namespace lld::cuda
