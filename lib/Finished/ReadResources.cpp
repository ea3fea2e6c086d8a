//===- ReadResources.cpp - Resources of the images in finished files ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// readResources() measures all linked cubins in the files that the user names,
/// and with their libraries if asked, for --resources of cubin-size and
/// cubin-check. ImageBatch lets several threads unpack and measure images, but
/// take() sees them in the order of the file, so reports are the same with any
/// number of threads. A file's images for one architecture become one entry of
/// the report. Relocatable cubins and the empty images of device links without
/// code are passed over.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Finished/HostFile.h"
#include "lld-cuda/Finished/ImageBatch.h"
#include "lld-cuda/Finished/Resources.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Support/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lld::cuda {

namespace {

struct MeasuredImage {
  explicit MeasuredImage(FoundImage image) : found(std::move(image)) {}

  FoundImage found;
  std::unique_ptr<report::Report> measured; ///< Null: it isn't linked.
  std::string error;
};

/// What is linked and has something in it. Device links of nothing, which nvcc
/// makes with every program, leave an image without code and data.
bool isLinkedCode(const CubinFile &file) {
  return file.header().e_type != ELF::ET_REL &&
         any_of(file.sections(), [](const Elf_Shdr &section) {
           return section.sh_flags & ELF::SHF_ALLOC;
         });
}

class FileMeasurer final : public ImageBatch<MeasuredImage> {
public:
  FileMeasurer(const ResourcesOptions &options, report::Report &all,
               StringRef name, function_ref<void(StringRef, Error)> reportError)
      : ImageBatch(options.threads), options(options), all(all),
        name(all.saver.save(name)), reportError(reportError) {}

  /// The file's images, one for each architecture.
  std::vector<report::Image> run(const MemoryBuffer &contents) {
    visit(contents, name);
    auto isBefore = [](const auto &a, const auto &b) {
      return a.symbol < b.symbol;
    };
    for (report::Image &image : images) {
      llvm::stable_sort(image.kernels, isBefore);
      llvm::stable_sort(image.functions, isBefore);
    }
    return std::move(images);
  }

  void error(StringRef label, Error e) override {
    reportError(label, std::move(e));
  }

private:
  void read(MeasuredImage &image) override {
    if (image.found.form != ImageForm::Cubin)
      return;
    SmallVector<uint8_t, 0> storage;
    Expected<StringRef> data = unpackImage(
        image.found, options.files.memoryLimit.value_or(decompressLimit()),
        storage);
    if (Error e = data ? measure(*data, image) : data.takeError())
      image.error = toString(std::move(e));
  }

  static Error measure(StringRef data, MeasuredImage &image) {
    Expected<CubinFile> file =
        CubinFile::create(MemoryBufferRef(data, image.found.member));
    if (!file)
      return file.takeError();
    if (!isLinkedCode(*file))
      return Error::success();
    Expected<report::Image> measured = report::measureCubin(*file);
    if (!measured)
      return measured.takeError();
    image.measured = std::make_unique<report::Report>();
    report::keepNames(*measured, image.measured->saver);
    image.measured->images.push_back(std::move(*measured));
    return Error::success();
  }

  void take(MeasuredImage &image) override {
    if (!image.error.empty())
      reportError(
          image.found.member,
          createStringError(image.found.target + " image: " + image.error));
    if (image.measured)
      add(image.measured->images.front(), image.found.target);
  }

  /// To those of the same architecture in the file.
  void add(report::Image &image, StringRef target) {
    auto it = find_if(images, [&](const report::Image &other) {
      return other.arch == target;
    });
    if (it == images.end()) {
      report::Image &first = images.emplace_back();
      first.arch = all.saver.save(target);
      first.output = name;
      first.objects.emplace_back().label = name;
      it = images.end() - 1;
    }
    report::keepNames(image, all.saver);
    it->code += image.code;
    it->globalMemory += image.globalMemory;
    it->constantMemory += image.constantMemory;
    it->objects.front() += image.objects.front();
    it->kernels.insert(it->kernels.end(), image.kernels.begin(),
                       image.kernels.end());
    it->functions.insert(it->functions.end(), image.functions.begin(),
                         image.functions.end());
  }

  const ResourcesOptions &options;
  report::Report &all;
  const StringRef name;
  function_ref<void(StringRef, Error)> reportError;
  std::vector<report::Image> images;
};

class ResourcesReader final : public FileVisitor {
public:
  ResourcesReader(const ResourcesOptions &options, FinishedResources &resources,
                  function_ref<void(StringRef, Error)> reportError)
      : options(options), resources(resources), reportError(reportError) {}

  void file(const MemoryBuffer &contents, StringRef label,
            bool isAsked) override {
    resources.files += add(contents, label);
    if (!isAsked || !options.libraries || !isElfHostFile(contents.getBuffer()))
      return;
    Expected<HostFile> host = readHostFile(contents.getBuffer());
    if (!host)
      return error(label, host.takeError());
    if (host->isLinked())
      findLibraries(
          label, std::move(*host), *options.libraries,
          [&](const MemoryBuffer &library, const LoadedFile &loaded) {
            add(library, loaded.path);
          },
          reportError);
  }

  void error(StringRef label, Error e) override {
    reportError(label, std::move(e));
  }

private:
  /// Adds the images of a file to the report. Returns whether there were any.
  bool add(const MemoryBuffer &contents, StringRef label) {
    FileMeasurer measurer(options, resources.report, label, reportError);
    std::vector<report::Image> images = measurer.run(contents);
    const bool hasImages = !images.empty();
    llvm::move(images, std::back_inserter(resources.report.images));
    return hasImages;
  }

  const ResourcesOptions &options;
  FinishedResources &resources;
  function_ref<void(StringRef, Error)> reportError;
};

} // namespace

void readResources(StringRef path, const ResourcesOptions &options,
                   FinishedResources &resources,
                   function_ref<void(StringRef, Error)> report) {
  ResourcesReader reader(options, resources, report);
  visitFiles(path, options.files, reader);
}

} // namespace lld::cuda
