//===- Fatbinary.cpp - lld-cuda in fatbinary's place ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The program lld-cuda under the name fatbinary: packs cubins and PTX into a
/// fatbin, as NVIDIA's fatbinary does. nvcc and clang call it for what they
/// have compiled or linked for each architecture [fatbinary]; main() calls
/// runAsFatbinary() if that is the program's name, and RunReplaced.cpp in a
/// build under `lld-cuda --run --fatbinary`. FatbinWriter.h writes the fatbin,
/// FatbinarySource.cpp the source file for --embedded-fatbin. A command line
/// that asks for something unknown is handed over to NVIDIA's fatbinary, if it
/// is installed beside. Messages begin like fatbinary's.
///
//===----------------------------------------------------------------------===//

#include "Fatbinary.h"
#include "Driver/ResponseFiles.h"
#include "FatbinarySource.h"
#include "Input/InputFiles.h"
#include "Input/OpenFile.h"
#include "Input/ToolkitMark.h"
#include "Parallel.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/FatbinWriter.h"
#include "lld-cuda/Object/PtxText.h"
#include "lld-cuda/Support/FileIdentity.h"
#include "lld-cuda/Support/JobTokens.h"
#include "lld-cuda/Support/Limits.h"
#include "lld-cuda/Support/OutputFile.h"
#include "lld-cuda/Support/Printable.h"
#include "lld-cuda/Support/Program.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/VersionTuple.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <deque>
#include <string>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace lld::cuda;

namespace {

enum class OptionAction {
  Ignore,
  Unsupported,
  Create,
  Embedded,
  OptionsFile,
  Help,
  Version,
  Image,
  ProfileImage,
  Identifier,
  PtxOptions,
  LtoOptions,
  Debug,
  Compress,
  CompressAll,
  CompressMode,
  DeviceC,
  Link,
  NoAsm,
  MemoryLimit,
  TimeLimit,
};

struct FatbinaryOption {
  StringLiteral name, shortName;
  bool hasValue;
  OptionAction action;
};

constexpr FatbinaryOption Options[] = {
#define FATBINARY_OPTION(NAME, SHORT, HAS_VALUE, ACTION)                       \
  {NAME, SHORT, HAS_VALUE, OptionAction::ACTION},
#include "FatbinaryOptions.def"
};

/// An image as the command line describes it.
struct ImageSpec {
  StringRef option; ///< The whole word or value, for messages.
  StringRef kind, arch, file;
};

/// The reason why the program can't do what it is asked.
struct Problem {
  std::string text;
  bool isUnsupported = false; ///< NVIDIA's may do it.
};

class Fatbinary {
public:
  explicit Fatbinary(StringRef toolkitRelease) {
    VersionTuple release;
    source.undefines =
        !release.tryParse(toolkitRelease) && release >= VersionTuple(13, 3);
  }

  bool read(ArrayRef<const char *> words);
  bool run();

  bool isDone = false; ///< Help or the version was asked for.
  Problem problem;

private:
  bool fail(const Twine &text) {
    problem.text = text.str();
    return false;
  }
  bool failUnsupported(const Twine &text) {
    problem.isUnsupported = true;
    return fail(text);
  }
  bool readOption(const FatbinaryOption &option, StringRef value);
  bool readOptionsFile(StringRef path);
  bool readImage(StringRef spec, bool isProfile);
  bool setValue(std::optional<StringRef> &place, StringRef option,
                StringRef value);
  bool setLimit(Error e);
  bool loadImage(const ImageSpec &spec);
  bool checkCubin(const ImageSpec &spec, const FatbinImage &image);
  bool makePayloads(FatbinCompression compression,
                    MutableArrayRef<FatbinPayload> payloads);
  bool write(StringRef fatbin);

  BumpPtrAllocator allocator;
  StringSaver saver{allocator};
  ResponseFileReader reader;
  unsigned depth = 0; ///< Of files of options.

  std::vector<ImageSpec> specs;
  std::vector<std::shared_ptr<InputBuffer>> buffers;
  std::deque<std::string> texts;
  std::vector<FatbinImage> images;

  std::optional<StringRef> create, embedded, identifier, ptxOptions, ltoOptions,
      mode;
  bool compresses = true, compressesAll = false, isDebug = false;
  FatbinarySource source;
  Limits limits;
};

constexpr StringLiteral FatbinaryUsage =
    "Usage: fatbinary [options]\n\n"
    "Combines images for several architectures into one fatbin, as NVIDIA's\n"
    "fatbinary does. nvcc and clang run it.\n"
    "\n"
    "  --create=FILE           write the fatbin to FILE\n"
    "  --embedded-fatbin=FILE  write the fatbin as C source for nvcc's\n"
    "                          generated files\n"
    "  --image3=kind=KIND,sm=NUMBER,file=FILE\n"
    "                          add an image; KIND is elf, ptx, or nvvm (LTO "
    "IR)\n"
    "  --image=profile=NAME,file=FILE\n"
    "                          add an image; NAME is sm_NUMBER or\n"
    "                          compute_NUMBER\n"
    "  --compress-mode=default|balance|speed|size|none\n"
    "                          how images are compressed\n"
    "  --compress-all, --compress=true|false\n"
    "                          compress every image; false: compress none\n"
    "  -g, --ident=NAME, --cmdline=OPTIONS, --cicc-cmdline=OPTIONS\n"
    "                          what the fatbin records about each image\n"
    "  --device-c, --link, --no-asm\n"
    "                          what the C source is used for\n"
    "  --options-file=FILE     read more options from FILE\n"
    "  --memory-limit=MiB      stop when the files need more memory than "
    "this,\n"
    "                          besides 64 MiB for the program itself\n"
    "  --time-limit=SECONDS    stop after this many seconds\n"
    "  -64, --help, --version\n";

const FatbinaryOption *findOption(StringRef name) {
  for (const FatbinaryOption &option : Options)
    if (name == option.name || name == option.shortName)
      return &option;
  return nullptr;
}

bool Fatbinary::setValue(std::optional<StringRef> &place, StringRef option,
                         StringRef value) {
  if (place && *place != value)
    errs() << "fatbinary warning : option '" << option
           << "' is given more than once, the last value is used\n";
  place = value;
  return true;
}

bool Fatbinary::setLimit(Error e) {
  if (e)
    return fail(toString(std::move(e)));
  applyLimits(limits);
  return true;
}

bool Fatbinary::readOptionsFile(StringRef path) {
  constexpr unsigned MaxDepth = 16;
  if (depth == MaxDepth)
    return fail("'" + path + "': options files that include each other");
  std::string text;
  const std::error_code error = reader.read(path, /*isText=*/true, text);
  if (error)
    return fail("Could not open input file '" + path + "': " + error.message());
  SmallVector<const char *, 0> words;
  if (!reader.isTooMuch())
    cl::TokenizeGNUCommandLine(text, saver, words);
  if (!reader.addWords(words.size()))
    return fail(ResponseFileReader::limits(path));
  ++depth;
  const bool isRead = read(words);
  --depth;
  return isRead;
}

/// `kind=elf,sm=90a,file=F`, or as CUDA 12 has it `profile=sm_90a,file=F`.
bool Fatbinary::readImage(StringRef text, bool isProfile) {
  const StringRef option = isProfile ? "image" : "image3";
  ImageSpec spec;
  spec.option = text;
  SmallVector<StringRef, 4> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [key, value] = part.split('=');
    if (key == "file")
      spec.file = value;
    else if (!isProfile && key == "kind")
      spec.kind = value;
    else if (!isProfile && key == "sm")
      spec.arch = value;
    else if (isProfile && key == "profile")
      spec.arch = value;
    else
      return fail("Keyword '" + key + "' is not defined for option '" + option +
                  "'");
  }
  if (isProfile) {
    if (spec.arch.consume_front("sm_"))
      spec.kind = "elf";
    else if (spec.arch.consume_front("compute_"))
      spec.kind = "ptx";
    else
      return fail("'--image=" + text +
                  "': the profile is neither sm_NUMBER nor compute_NUMBER");
  }
  if (spec.kind.empty() || spec.arch.empty() || spec.file.empty())
    return fail("'--" + option + "=" + text + "': " +
                (spec.kind.empty()   ? "the kind"
                 : spec.arch.empty() ? "the architecture"
                                     : "the file") +
                " is missing");
  specs.push_back(spec);
  return true;
}

bool Fatbinary::readOption(const FatbinaryOption &option, StringRef value) {
  switch (option.action) {
  case OptionAction::Ignore:
    return true;
  case OptionAction::Unsupported:
    return failUnsupported("option '--" + option.name + "' is not supported");
  case OptionAction::Create:
    return setValue(create, option.name, value);
  case OptionAction::Embedded:
    return setValue(embedded, option.name, value);
  case OptionAction::OptionsFile:
    return readOptionsFile(value);
  case OptionAction::Help:
    outs() << FatbinaryUsage;
    return isDone = true;
  case OptionAction::Version:
    outs() << "fatbinary of lld-cuda " LLDCUDA_VERSION "\n";
    return isDone = true;
  case OptionAction::Image:
  case OptionAction::ProfileImage:
    return readImage(value, option.action == OptionAction::ProfileImage);
  case OptionAction::Identifier:
    return setValue(identifier, option.name, value);
  case OptionAction::PtxOptions:
    return setValue(ptxOptions, option.name, value);
  case OptionAction::LtoOptions:
    return setValue(ltoOptions, option.name, value);
  case OptionAction::Debug:
    return isDebug = true;
  case OptionAction::Compress:
    if (value != "true" && value != "false")
      return fail("'--compress=" + value + "': expected true or false");
    compresses = value == "true";
    return true;
  case OptionAction::CompressAll:
    return compressesAll = true;
  case OptionAction::CompressMode:
    if (!parseFatbinCompression(value))
      return fail("'--compress-mode=" + value +
                  "': expected default, balance, speed, size or none");
    return setValue(mode, option.name, value);
  case OptionAction::DeviceC:
    return source.isRelocatable = true;
  case OptionAction::Link:
    return source.isLinked = true;
  case OptionAction::NoAsm:
    source.usesAsm = false;
    return true;
  case OptionAction::MemoryLimit:
    return setLimit(readMemoryLimit(value, limits));
  case OptionAction::TimeLimit:
    return setLimit(readTimeLimit(value, limits));
  }
  llvm_unreachable("unknown action");
}

bool Fatbinary::read(ArrayRef<const char *> words) {
  for (size_t i = 0; i != words.size() && !isDone; ++i) {
    StringRef word = words[i];
    if (!word.consume_front("-"))
      return fail("'" + word + "' is not an option; see --help");
    word.consume_front("-");
    auto [name, value] = word.split('=');
    const bool hasValue = name.size() != word.size();
    const FatbinaryOption *option = findOption(name);
    if (!option)
      return failUnsupported("unknown option '" + Twine(words[i]) +
                             "'; see --help");
    if (hasValue && !option->hasValue)
      return fail("no argument expected after '--" + option->name + "'");
    if (option->hasValue && !hasValue) {
      if (++i == words.size())
        return fail("argument expected after '--" + option->name + "'");
      value = words[i];
    }
    if (!readOption(*option, value))
      return false;
  }
  return true;
}

bool Fatbinary::checkCubin(const ImageSpec &spec, const FatbinImage &image) {
  Expected<CubinFile> cubin =
      CubinFile::create(MemoryBufferRef(image.bytes, spec.file));
  if (!cubin)
    return fail("'" + spec.file +
                "' is not a cubin: " + toString(cubin.takeError()));
  if (cubin->smNumber() != image.arch.number)
    return fail("'" + spec.file + "' was compiled for sm_" +
                Twine(cubin->smNumber()) + ", not for sm_" + spec.arch);
  return true;
}

/// The version of LTO IR follows its magic.
bool readLtoVersion(FatbinImage &image) {
  constexpr uint32_t LtoMagic = 0x7f4e43ed;
  if (image.bytes.size() < 8 ||
      support::endian::read32le(image.bytes.data()) != LtoMagic)
    return false;
  image.versionMajor = uint8_t(image.bytes[4]);
  image.versionMinor = uint8_t(image.bytes[5]);
  return true;
}

bool Fatbinary::loadImage(const ImageSpec &spec) {
  FatbinImage image;
  std::optional<elf::Architecture> arch = elf::parseArchitecture(spec.arch);
  if (!arch)
    return failUnsupported("'" + spec.option + "': unknown architecture '" +
                           spec.arch + "'");
  InputBuffer::Options options;
  options.whole = true;
  const std::string path = spec.file.str();
  OpenedFile file =
      readOpenFile(path, openToRead(path, FileKinds::Regular), options);
  if (!file.buffer)
    return fail("Could not open input file '" + path + "': " +
                (file.changed ? "it was written to while it was read"
                              : file.error.message()));
  buffers.push_back(std::move(file.buffer));
  image.bytes = buffers.back()->getBuffer();
  image.arch = *arch;
  image.isDebug = isDebug;
  image.isPacked = compressesAll || source.isRelocatable;
  image.identifier = identifier.value_or("");
  if (spec.kind == "elf") {
    if (!checkCubin(spec, image))
      return false;
  } else if (spec.kind == "ptx") {
    image.kind = FatbinKind::PTX;
    const auto version = readPtxVersion(image.bytes);
    if (!version)
      return fail("'" + spec.file + "' is not PTX: it has no .version");
    std::tie(image.versionMajor, image.versionMinor) = *version;
    image.bytes = texts.emplace_back(shortenPtx(image.bytes));
    image.options = ptxOptions.value_or("");
  } else if (spec.kind == "nvvm") {
    image.kind = FatbinKind::LTOIR;
    if (!readLtoVersion(image))
      return fail("'" + spec.file + "' is not LTO IR");
    image.options = ltoOptions.value_or("");
  } else {
    return failUnsupported("'" + spec.option + "': images of kind '" +
                           spec.kind + "' are not supported");
  }
  images.push_back(image);
  return true;
}

bool Fatbinary::makePayloads(FatbinCompression compression,
                             MutableArrayRef<FatbinPayload> payloads) {
  constexpr uint64_t WorthThreadsBytes = 1 << 20;
  uint64_t bytes = 0;
  for (const FatbinImage &image : images)
    if (isCompressed(image, compression))
      bytes += image.bytes.size();
  std::vector<std::string> problems(images.size());
  auto make = [&](size_t i) {
    auto payload = makePayload(images[i], compression);
    if (payload)
      payloads[i] = std::move(*payload);
    else
      problems[i] = toString(payload.takeError());
  };
  const char *makeFlags = std::getenv("MAKEFLAGS");
  const JobTokens tokens(makeFlags ? makeFlags : "",
                         bytes < WorthThreadsBytes ? 1 : availableProcessors());
  parallelForEach(tokens.threads(), images.size(), make);
  for (auto [spec, problem] : zip_equal(specs, problems))
    if (!problem.empty())
      return fail("'" + spec.file + "': " + problem);
  return true;
}

bool Fatbinary::write(StringRef fatbin) {
  OutputSet outputs;
  auto add = [&](OutputRequest request) {
    const std::string path = request.path;
    if (Error e = outputs.add(std::move(request)))
      return fail("Could not write output file '" + path +
                  "': " + toString(std::move(e)));
    return true;
  };
  if (create &&
      !add({*create, fatbin.size(), {{0, arrayRefFromStringRef(fatbin)}}}))
    return false;
  if (embedded && !add({*embedded, writeFatbinarySource(fatbin, source)}))
    return false;
  if (Error e = outputs.commit())
    return fail("Could not write output file: " + toString(std::move(e)));
  return true;
}

bool Fatbinary::run() {
  if (!create && !embedded)
    return fail("no output: --create or --embedded-fatbin is missing");
  // identifyFile() knows nothing of a device, nor of a file in a folder that
  // isn't there.
  const auto file = create && embedded ? identifyFile(*create) : std::nullopt;
  if (file && file == identifyFile(*embedded))
    return fail("'" + *create +
                "' is given as --create and as --embedded-fatbin");
  for (const ImageSpec &spec : specs)
    if (!loadImage(spec))
      return false;
  FatbinCompression compression = *parseFatbinCompression(
      compresses ? mode.value_or("default") : StringRef("none"));
  std::vector<FatbinPayload> payloads(images.size());
  if (!makePayloads(compression, payloads))
    return false;
  auto fatbin = writeFatbin(images, payloads, compression);
  if (!fatbin)
    return fail(toString(fatbin.takeError()));
  return write(StringRef(fatbin->data(), fatbin->size()));
}

/// Doesn't come back if there is such a program.
void handOver(const std::string &path, ArrayRef<const char *> words) {
  std::vector<char *> command{const_cast<char *>(path.c_str())};
  for (const char *word : words)
    command.push_back(const_cast<char *>(word));
  command.push_back(nullptr);
  ::execv(path.c_str(), command.data());
}

} // namespace

int runAsFatbinary(ArrayRef<const char *> words,
                   const InstalledFatbinary &place) {
  words = words.drop_front();
  Fatbinary fatbinary(place.release);
  if (fatbinary.read(words) && (fatbinary.isDone || fatbinary.run()))
    return 0;
  if (fatbinary.problem.isUnsupported)
    handOver(place.installed, words);
  errs() << "fatbinary fatal   : " << asPrintable(fatbinary.problem.text)
         << '\n';
  return 1;
}

int runAsFatbinary(ArrayRef<const char *> words) {
  const StringRef program = pathOfProgram(words.front());
  SmallString<128> installed = sys::path::parent_path(program);
  sys::path::append(installed, "fatbinary-installed");
  return runAsFatbinary(words,
                        {installed.str().str(), releaseOfToolkit(program)});
}
