//===- Facts.cpp - What is known of the files that are checked ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads all that cubin-check knows about the files that it checks. main()
/// calls readFiles() for each path of the command line, before the checks,
/// which work on these facts alone: each file that the user names, everything
/// in a folder or wheel, and the libraries that a program loads.
/// FileReader::read() looks at images on several threads, and take() keeps some
/// numbers of each in the order of the file. An image's bytes are freed
/// afterwards, so that a wheel of some gigabytes can be checked. What can't be
/// read becomes a finding at once. For PTX, the entry's architecture and the
/// text's `.target` both count: the driver chooses by the one and compiles by
/// the other.
///
//===----------------------------------------------------------------------===//

#include "Facts.h"
#include "lld-cuda/BinaryFormat/DriverFunctions.h"
#include "lld-cuda/Finished/Bundle.h"
#include "lld-cuda/Finished/Files.h"
#include "lld-cuda/Finished/ImageBatch.h"
#include "lld-cuda/Object/Compat.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/Note.h"
#include "lld-cuda/Object/PtxText.h"
#include "lld-cuda/Resources/Report.h"
#include "lld-cuda/Support/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace lld::cuda {

namespace {

/// "sm_90a" and the like.
elf::Architecture parseTarget(StringRef target) {
  StringRef name = target.substr(target.find('_') + 1);
  elf::Architecture arch;
  if (name.consume_back("a"))
    arch.suffix = elf::Architecture::Accelerated;
  else if (name.consume_back("f"))
    arch.suffix = elf::Architecture::Family;
  if (name.getAsInteger(10, arch.number))
    arch.number = 0;
  return arch;
}

/// An image and what reading it has brought.
struct ReadImage {
  explicit ReadImage(FoundImage image) : found(std::move(image)) {
    facts.form = found.form;
    facts.arch = found.isEntry ? found.entry.arch : parseTarget(found.target);
    facts.isForDeviceLink = found.isForDeviceLink;
    facts.isInLinkedFile = found.isInLinkedFile;
    facts.container = found.container;
    facts.containerOffset = found.containerOffset;
    facts.stored = found.stored;
    if (found.form == ImageForm::LTOIR)
      facts.ltoVersion = {found.entry.versionMajor, found.entry.versionMinor};
  }

  FoundImage found;
  ImageFacts facts;
  std::vector<std::string> kernels;
  std::vector<std::string> variables; ///< Those that have a name outside.
  std::vector<std::string> demanding; ///< Names of ImageFacts::demanding.
  std::string undefined;              ///< The first undefined function.
  std::string error;
};

/// Whether a cubin says that it is for an "a" architecture.
bool isAcceleratedCubin(const CubinFile &file) {
  if (file.header().e_flags &
      (file.hasOldHeader() ? elf::EF_CUDA_12_ACCELERATED
                           : elf::EF_CUDA_13_ACCELERATED))
    return true;
  const unsigned index = file.findSection(".nv.compat");
  bool result = false;
  if (index)
    consumeError(forEachNvInfoRecord(
        file.contents(index), [&](size_t, const NvInfoRecord &record) {
          if (record.code == COMPAT_CUDA_ACCELERATOR_TARGET)
            result = record.value & 1;
          return Error::success();
        }));
  return result;
}

/// Kernels that ask for clusters of so many blocks.
Expected<StringMap<uint32_t>> readClusters(const CubinFile &file) {
  StringMap<uint32_t> clusters;
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    StringRef kernel = file.sectionName(i);
    if (file.sections()[i].sh_type != elf::SHT_CUDA_INFO ||
        !kernel.consume_front(".nv.info."))
      continue;
    if (Error e = forEachNvInfoRecord(
            file.contents(i), [&](size_t, const NvInfoRecord &record) {
              if (record.code == elf::EIATTR_CTA_PER_CLUSTER &&
                  record.hasPayload() && record.wordCount() >= 3)
                clusters[kernel] = std::min<uint64_t>(
                    uint64_t(record.word(0)) * record.word(1) * record.word(2),
                    UINT32_MAX);
              return Error::success();
            }))
      return e;
  }
  return clusters;
}

/// Whether a kernel is worth to be kept: it may not fit into a multiprocessor,
/// or its caller has to know something.
bool isDemanding(const DemandingKernel &kernel) {
  constexpr uint64_t EverywhereShared = 0xc000, Registers = 65536;
  constexpr uint32_t PortableCluster = 8;
  return kernel.shared > EverywhereShared || kernel.isStackUnbounded ||
         uint64_t(kernel.registers) * kernel.threads > Registers ||
         kernel.cluster > PortableCluster;
}

Error readResources(const CubinFile &file, ReadImage &image) {
  Expected<report::Image> measured = report::measureCubin(file);
  if (!measured)
    return measured.takeError();
  Expected<StringMap<uint32_t>> clusters = readClusters(file);
  if (!clusters)
    return clusters.takeError();
  for (const report::Kernel &kernel : measured->kernels) {
    DemandingKernel own;
    own.shared = kernel.shared;
    own.registers = kernel.registers.total;
    // A kernel that promises no number of threads fits into any multiprocessor.
    own.threads = kernel.occupancy ? kernel.occupancy->threads : 0;
    own.cluster = clusters->lookup(kernel.symbol);
    own.isStackUnbounded = !kernel.depth.stack;
    if (!isDemanding(own))
      continue;
    image.facts.demanding.push_back(own);
    image.demanding.push_back(kernel.symbol.str());
  }
  return Error::success();
}

Error readCubin(StringRef data, ReadImage &image) {
  Expected<CubinFile> file =
      CubinFile::create(MemoryBufferRef(data, image.found.member));
  if (!file)
    return file.takeError();
  ImageFacts &facts = image.facts;
  if (image.found.isEntry && facts.arch.number != file->smNumber())
    return createStringError("the image is for sm_" + Twine(file->smNumber()) +
                             ", but its fatbin entry says sm_" +
                             Twine(facts.arch.number));
  facts.arch.number = file->smNumber();
  if (facts.arch.suffix == elf::Architecture::None && isAcceleratedCubin(*file))
    facts.arch.suffix = elf::Architecture::Accelerated;
  facts.isRelocatable = file->header().e_type == ELF::ET_REL;
  Expected<CompiledFor> compiled = readCompiledFor(*file);
  if (!compiled)
    return compiled.takeError();
  facts.toolkit = compiled->toolkit;
  if (!facts.toolkit && !file->hasOldHeader())
    facts.toolkit = FirstToolkitOf13;
  for (unsigned i = 1; i < file->sections().size(); ++i)
    if (StringRef name = file->sectionName(i);
        (name.starts_with(".debug_") && name != ".debug_frame") ||
        name.starts_with(".nv_debug"))
      facts.debugBytes += file->contents(i).size();
  facts.isEmpty = none_of(file->sections(), [](const Elf_Shdr &section) {
    return section.sh_flags & ELF::SHF_ALLOC;
  });
  facts.hash = xxh3_64bits(data);
  const ArrayRef<Elf_Sym> symbols = file->symtab().symbols;
  for (unsigned i = 1; i < symbols.size(); ++i) {
    StringRef name = file->symtab().name(symbols[i]);
    image.facts.usesDeviceRuntime |=
        name.starts_with("__cudaCDP2") || name.starts_with("cudaLaunchDevice");
    if (!facts.isRelocatable && !symbols[i].st_shndx &&
        symbols[i].getType() == ELF::STT_FUNC &&
        symbols[i].getBinding() == ELF::STB_GLOBAL &&
        !elf::mayStayUndefined(name) && !facts.undefinedCount++)
      image.undefined = name.str();
    if (symbols[i].getType() == ELF::STT_FUNC && file->sectionIndex(i) &&
        symbols[i].st_other & elf::STO_CUDA_ENTRY)
      image.kernels.push_back(name.str());
    if (symbols[i].getType() == ELF::STT_OBJECT && symbols[i].st_shndx &&
        symbols[i].getBinding() != ELF::STB_LOCAL)
      image.variables.push_back(name.str());
  }
  return readResources(*file, image);
}

/// What PTX is for: ".target sm_90a, debug". Number 0 if it doesn't say.
elf::Architecture readPtxTarget(StringRef text) {
  constexpr StringLiteral Word = ".target";
  return parseTarget(
      text.substr(text.find(Word))
          .drop_front(Word.size())
          .ltrim()
          .take_while([](char c) { return isAlnum(c) || c == '_'; }));
}

/// Names behind ".entry", as compilers write it.
void findPtxKernels(StringRef text, std::vector<std::string> &kernels) {
  constexpr StringLiteral Word = ".entry";
  for (size_t at = text.find(Word); at != StringRef::npos;
       at = text.find(Word, at + 1)) {
    StringRef rest = text.substr(at + Word.size());
    StringRef name = rest.ltrim().take_while(
        [](char c) { return isAlnum(c) || c == '_' || c == '$' || c == '%'; });
    if (!rest.empty() && isSpace(rest.front()) && !name.empty())
      kernels.push_back(name.str());
  }
}

/// ".visible .global .align 4 .u32 counter[4];"
void findPtxVariables(StringRef text, std::vector<std::string> &variables) {
  constexpr StringLiteral Word = ".visible ";
  for (size_t at = text.find(Word); at != StringRef::npos;
       at = text.find(Word, at + 1)) {
    StringRef rest = text.substr(at + Word.size()).ltrim();
    if (!rest.starts_with(".global ") && !rest.starts_with(".const "))
      continue;
    StringRef name =
        rest.take_until([](char c) { return c == '[' || c == '=' || c == ';'; })
            .rtrim();
    name = name.substr(name.find_last_of(" \t") + 1);
    if (!name.empty())
      variables.push_back(name.str());
  }
}

Error readPtx(StringRef data, ReadImage &image) {
  StringRef text = data.take_until([](char c) { return !c; });
  auto version = readPtxVersion(text);
  if (!version || !text.contains(".target"))
    return createStringError("it is not PTX: .version or .target is missing");
  // The driver chooses by the entry, and compiles by the text.
  elf::Architecture &arch = image.facts.arch;
  const elf::Architecture own = readPtxTarget(text);
  if (own.number > arch.number ||
      (own.number == arch.number && arch.suffix == elf::Architecture::None))
    arch = own;
  if (!arch.number)
    return createStringError("its .target is unknown");
  image.facts.ptx = *version;
  findPtxKernels(text, image.kernels);
  findPtxVariables(text, image.variables);
  return Error::success();
}

/// Reads the images of one file.
class FileReader final : public ImageBatch<ReadImage> {
public:
  /// `variables`: gets the names of device variables.
  FileReader(const ReadOptions &options, Facts &facts, FileFacts &file,
             StringSet<> &variables)
      : ImageBatch(options.threads), options(options), facts(facts), file(file),
        variables(variables) {}

  void error(StringRef label, Error e) override {
    file.isDamaged = true;
    facts.findings.push_back(
        {FindingId::Unreadable, label.str(), toString(std::move(e)), {}, {}});
  }

private:
  void read(ReadImage &image) override {
    const ImageForm form = image.facts.form;
    if (form != ImageForm::Cubin && form != ImageForm::PTX)
      return;
    SmallVector<uint8_t, 0> storage;
    Expected<StringRef> data = unpackImage(
        image.found, options.memoryLimit.value_or(decompressLimit()), storage);
    Error e = !data                      ? data.takeError()
              : form == ImageForm::Cubin ? readCubin(*data, image)
                                         : readPtx(*data, image);
    if (data)
      image.facts.unpacked = data->size();
    if (e)
      image.error = toString(std::move(e));
    image.facts.isRead = image.error.empty();
  }

  void take(ReadImage &image) override {
    if (!image.error.empty())
      error(image.found.member,
            createStringError(image.found.target + " image: " + image.error));
    for (const std::string &kernel : image.kernels)
      image.facts.kernels.push_back(facts.names.add(kernel));
    llvm::sort(image.facts.kernels);
    for (const std::string &name : image.variables)
      variables.insert(name);
    image.facts.undefined = facts.names.add(image.undefined);
    for (size_t i = 0; i != image.demanding.size(); ++i)
      image.facts.demanding[i].name = facts.names.add(image.demanding[i]);
    file.images.push_back(std::move(image.facts));
  }

  const ReadOptions &options;
  Facts &facts;
  FileFacts &file;
  StringSet<> &variables;
};

class FactsReader final : public FileVisitor {
public:
  FactsReader(const ReadOptions &options, Facts &facts)
      : options(options), facts(facts) {}

  void file(const MemoryBuffer &contents, StringRef label,
            bool isAsked) override {
    const size_t errors = facts.findings.size();
    ReadFile read = readFile(contents, label);
    FileFacts &file = read.facts;
    std::optional<HostFile> host = readHost(contents.getBuffer(), label);
    const bool isLeftOut =
        !isAsked && !file.hasDeviceCode() && facts.findings.size() == errors;
    if (!isAsked && host && host->isLinked()) {
      bundle.emplace_back(label, *host);
      positions.push_back(isLeftOut ? NoFile : facts.files.size());
    }
    if (isLeftOut)
      return otherFile(contents.getBufferSize());
    file.isDamaged |= facts.findings.size() != errors;
    file.isAsked = isAsked;
    if (isAsked)
      file.identity = identify(label);
    const bool isProgram = host && host->isProgram;
    addFile(std::move(read), host);
    if (!isAsked)
      return;
    facts.processes.push_back(
        {label.str(), !isProgram, /*isAsked=*/true, {facts.files.size() - 1}});
    if (options.followsLibraries && host && host->isLinked())
      addLibraries(label, std::move(*host));
  }

  /// Finds out which files of a wheel or folder load each other.
  void finish(StringRef path) {
    std::optional<std::vector<BundledProcess>> found =
        findBundledProcesses(bundle);
    if (!found)
      return error(
          path, createStringError("its libraries may be in too many places"));
    for (const BundledProcess &files : *found) {
      Process process;
      process.name = bundle[files.front()].path;
      for (uint32_t file : files)
        if (positions[file] != NoFile)
          process.files.push_back(positions[file]);
      if (!process.files.empty())
        facts.processes.push_back(std::move(process));
    }
  }

  void otherFile(uint64_t size) override { ++facts.otherFiles; }

  void error(StringRef label, Error e) override {
    facts.findings.push_back(
        {FindingId::Unreadable, label.str(), toString(std::move(e)), {}, {}});
  }

private:
  static std::optional<sys::fs::UniqueID> identify(StringRef path) {
    sys::fs::UniqueID identity;
    if (path == "-" || sys::fs::getUniqueID(path, identity))
      return std::nullopt;
    return identity;
  }

  struct ReadFile {
    FileFacts facts;
    StringSet<> variables;
  };

  ReadFile readFile(const MemoryBuffer &contents, StringRef label) {
    ReadFile file;
    file.facts.name = label.str();
    FileReader(options, facts, file.facts, file.variables)
        .visit(contents, label);
    return file;
  }

  void addFile(ReadFile read, std::optional<HostFile> host) {
    FileFacts &file = read.facts;
    if (host)
      for (const std::string &name : host->sharedVariables)
        if (read.variables.contains(name))
          file.sharedVariables.push_back(facts.names.add(name));
    file.host = std::move(host);
    if (file.host)
      file.host->sharedVariables = {}; // Large libraries have many.
    findLinkedCode(file);
    facts.files.push_back(std::move(file));
  }

  std::optional<HostFile> readHost(StringRef data, StringRef label) {
    if (!isElfHostFile(data))
      return std::nullopt;
    Expected<HostFile> host = readHostFile(data);
    if (host)
      return std::move(*host);
    error(label, host.takeError());
    return std::nullopt;
  }

  void addLibraries(StringRef path, HostFile program) {
    const size_t first = facts.files.size() - 1;
    std::vector<ReadFile> libraries;
    LoadResult loaded = findLibraries(
        path, std::move(program), options.search,
        [&](const MemoryBuffer &contents, const LoadedFile &library) {
          libraries.push_back(readFile(contents, library.path));
        },
        [&](StringRef name, Error e) { error(name, std::move(e)); });
    for (size_t i = 0; i != libraries.size(); ++i) {
      LoadedFile &file = loaded.files[i + 1];
      libraries[i].facts.loader = int(first) + file.loader;
      libraries[i].facts.identity = identify(file.path);
      facts.processes.back().files.push_back(facts.files.size());
      addFile(std::move(libraries[i]), std::move(file.host));
    }
    for (const MissingLibrary &library : loaded.missing)
      if (!isOfDriver(library.name))
        facts.findings.push_back(
            {FindingId::LibraryMissing,
             facts.files[first + library.loader].name,
             "it loads " + library.name + ", which isn't found",
             {},
             {}});
  }

  /// The driver brings these: they are missing where programs are built.
  static bool isOfDriver(StringRef name) {
    return name.starts_with("libcuda.so") || name.starts_with("libnvidia-");
  }

  static constexpr size_t NoFile = ~size_t(0);

  const ReadOptions &options;
  Facts &facts;
  std::vector<BundledFile> bundle; ///< Linked files of the wheel or folder.
  std::vector<size_t> positions;   ///< Of these in Facts::files, or NoFile.
};

} // namespace

void findLinkedCode(FileFacts &file) {
  file.hasLinkedCode = (file.host && !file.host->linkedIds.empty()) ||
                       any_of(file.images, [](const ImageFacts &image) {
                         return image.form == ImageForm::Cubin &&
                                !image.isForDeviceLink && !image.isRelocatable;
                       });
}

void readFiles(StringRef path, const ReadOptions &options, Facts &facts) {
  FactsReader reader(options, facts);
  visitFiles(path, {options.temporaryFolder, options.memoryLimit}, reader);
  reader.finish(path);
}

} // namespace lld::cuda
