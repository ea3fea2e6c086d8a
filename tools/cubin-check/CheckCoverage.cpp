//===- CheckCoverage.cpp - Is there code for each GPU? --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides, for each file and each GPU that the user asks about, whether the
/// file runs there: because it has machine code for the GPU, or PTX that the
/// driver may compile. cubin-check's check() calls checkCoverage() first, when
/// all files are read, and the verdicts decide the answer of the report. Each
/// file is judged by itself: code for a GPU in one library doesn't help another
/// library that lacks it. Within a file, a kernel that only some GPUs have code
/// for is worth a note and no error, since libraries choose kernels by the GPU.
///
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace llvm;

namespace lld::cuda {

bool isForDriver(const ImageFacts &image, const FileFacts &file) {
  if (!image.isRead || image.isEmpty)
    return false;
  if (!image.isInLinkedFile)
    return true;
  if (image.isForDeviceLink)
    return image.form == ImageForm::PTX && file.hasLinkedCode;
  return !image.isRelocatable;
}

std::string nameTarget(const ImageFacts &image) {
  static constexpr StringLiteral suffixes[] = {"", "f", "a"};
  StringRef prefix = "sm_";
  if (image.form == ImageForm::PTX || image.form == ImageForm::TileIR)
    prefix = "compute_";
  else if (image.form == ImageForm::LTOIR)
    prefix = "lto_";
  return (prefix + Twine(image.arch.number) + suffixes[image.arch.suffix])
      .str();
}

StringRef nameKind(const ImageFacts &image) {
  switch (image.form) {
  case ImageForm::LTOIR:
    return "LTO IR";
  case ImageForm::TileIR:
    return "Tile IR";
  case ImageForm::Other:
    return "other";
  case ImageForm::PTX:
    return image.isRead ? "PTX" : "unreadable";
  case ImageForm::Cubin:
    break;
  }
  if (!image.isRead)
    return "unreadable";
  if (!image.isRelocatable)
    return "machine code";
  return image.isInLinkedFile ? "relocatable code, left over"
                              : "relocatable code";
}

std::string listImages(const FileFacts &file) {
  std::string text;
  std::vector<std::pair<std::pair<int, unsigned>, std::string>> names;
  StringSet<> known;
  for (const ImageFacts &image : file.images) {
    if ((image.form != ImageForm::Cubin && image.form != ImageForm::PTX) ||
        !isForDriver(image, file))
      continue;
    const std::string name = nameTarget(image);
    if (known.insert(name).second)
      names.push_back(
          {{image.form == ImageForm::PTX, image.arch.number}, name});
  }
  llvm::sort(names);
  constexpr size_t MaxShown = 16;
  for (const auto &name : ArrayRef(names).take_front(MaxShown))
    text += (text.empty() ? "" : ", ") + name.second;
  if (names.size() > MaxShown)
    text += " and others";
  return text.empty() ? "nothing that the driver can load" : text;
}

namespace {

/// What images together have for a GPU.
struct Found {
  bool hasCode = false, hasPtx = false;
  bool isCodeTooNew = false, isPtxTooNew = false;
  Version oldestPtx = {0, 0}; ///< Of the PTX that fits.
};

class CoverageCheck {
public:
  CoverageCheck(const Facts &facts, const CheckOptions &options,
                CheckResult &result)
      : facts(facts), options(options), result(result) {
    if (!options.driver.empty())
      driver = findDriver(options.driverBranch);
  }

  void run() {
    if (!options.driver.empty() && !driver)
      add(FindingId::DriverUnknown, "",
          "driver " + options.driver +
              " isn't in the manual's table of drivers");
    checkGpus();
    for (size_t i = 0; i != facts.files.size(); ++i)
      if (facts.files[i].hasDeviceCode())
        checkFile(i);
    result.on.assign(options.targets.size(), RunVerdict::Runs);
    for (const FileVerdict &file : result.files)
      for (size_t k = 0; k != file.on.size(); ++k)
        result.on[k] = std::max(result.on[k], file.on[k]);
  }

private:
  void add(FindingId id, StringRef file, const Twine &what,
           std::vector<unsigned> gpus = {}) {
    result.findings.push_back(
        {id, file.str(), what.str(), std::move(gpus), {}});
  }

  void checkGpus() {
    isTooNew.assign(options.targets.size(), false);
    for (size_t k = 0; driver && k != options.targets.size(); ++k) {
      const GpuFacts &gpu = *findGpu(options.targets[k].number);
      isTooNew[k] = !gpu.firstDriver || gpu.firstDriver > driver->branch;
      if (isTooNew[k] && options.isAsked)
        add(FindingId::GpuTooNew, "",
            "driver " + options.driver + " doesn't support " +
                options.targets[k].name() + "; " +
                (gpu.firstDriver
                     ? "branch " + std::to_string(gpu.firstDriver) +
                           " is the first that does"
                     : std::string("nor does any in the manual's table")),
            {gpu.number});
    }
  }

  Found find(const FileFacts &file, const Target &target) const {
    Found found;
    std::map<uint32_t, bool> inputs; // Of the device link: those with PTX.
    Version newestInput = {0, 0};
    for (const ImageFacts &image : file.images) {
      if (image.isInLinkedFile && image.isForDeviceLink) {
        const bool fits =
            isForDriver(image, file) && compilesFor(image.arch, target.number);
        const bool isNew = fits && driver && image.ptx > driver->ptx;
        inputs[image.container] |= fits && !isNew;
        found.isPtxTooNew |= isNew;
        newestInput = std::max(newestInput, fits ? image.ptx : newestInput);
      }
      if (!isForDriver(image, file) ||
          (image.isInLinkedFile && image.isForDeviceLink))
        continue;
      if (image.form == ImageForm::Cubin && runsOn(image.arch, target.number)) {
        const bool isNew = driver && image.toolkit / 10 > driver->cuda.first;
        (isNew ? found.isCodeTooNew : found.hasCode) = true;
      }
      if (image.form == ImageForm::PTX &&
          compilesFor(image.arch, target.number)) {
        const bool isNew = driver && image.ptx > driver->ptx;
        (isNew ? found.isPtxTooNew : found.hasPtx) = true;
        if (!found.oldestPtx.first || image.ptx < found.oldestPtx)
          found.oldestPtx = image.ptx;
      }
    }
    // The driver links what it compiles: it needs the PTX of all inputs.
    if (found.hasPtx || inputs.empty() ||
        !all_of(inputs, [](const auto &input) { return input.second; }))
      return found;
    found.hasPtx = true;
    found.oldestPtx = newestInput;
    return found;
  }

  RunVerdict judge(const Found &found, const Target &target) const {
    const bool compiles = found.hasPtx && options.policy.allowsJit;
    if (target.wantsPtx && !compiles)
      return RunVerdict::No;
    if (found.hasCode)
      return RunVerdict::Runs;
    return compiles && !target.wantsCode ? RunVerdict::Compiles
                                         : RunVerdict::No;
  }

  void checkFile(size_t index) {
    const FileFacts &file = facts.files[index];
    FileVerdict verdict{index, {}};
    std::map<FindingId, std::vector<unsigned>> gpus;
    Version ptx = {0, 0};
    for (size_t k = 0; k != options.targets.size(); ++k) {
      const Target &target = options.targets[k];
      const Found found = find(file, target);
      RunVerdict on = judge(found, target);
      if (on == RunVerdict::No)
        gpus[whyNot(found, target)].push_back(target.number);
      else if (on == RunVerdict::Compiles)
        gpus[FindingId::OnlyPtx].push_back(target.number);
      ptx = std::max(ptx, found.oldestPtx);
      if (!options.driver.empty() && !driver)
        on = RunVerdict::Unknown;
      else if (isTooNew[k])
        on = RunVerdict::No;
      // Parts of the file that can't be read might run.
      if (file.isDamaged)
        on = RunVerdict::Unknown;
      verdict.on.push_back(on);
    }
    if (options.isAsked && !file.isDamaged) {
      for (auto &[id, numbers] : gpus)
        add(id, file.name, describe(id, file, numbers, ptx), numbers);
      checkContainers(file, verdict);
    }
    if (options.isAsked)
      checkKernels(file, verdict);
    result.files.push_back(std::move(verdict));
  }

  FindingId whyNot(const Found &found, const Target &target) const {
    if (found.isCodeTooNew)
      return FindingId::ToolkitTooNew;
    if (found.hasPtx && !options.policy.allowsJit)
      return FindingId::JitNotAllowed;
    if (found.isPtxTooNew && !found.hasPtx)
      return FindingId::PtxTooNew;
    return FindingId::NoCode;
  }

  std::string describe(FindingId id, const FileFacts &file,
                       ArrayRef<unsigned> numbers, Version ptx) const {
    const std::string gpus = listGpus(numbers);
    const std::string version =
        std::to_string(ptx.first) + "." + std::to_string(ptx.second);
    switch (id) {
    case FindingId::OnlyPtx: {
      const DriverFacts *first = findDriverForPtx(ptx);
      return "it has PTX only for " + gpus + " (version " + version +
             (first
                  ? ", for drivers from branch " +
                        std::to_string(first->branch) + " on)"
                  : ", newer than any driver in the manual's table supports)");
    }
    case FindingId::JitNotAllowed:
      return "it has PTX only for " + gpus;
    case FindingId::PtxTooNew:
      return "its PTX for " + gpus + " is of version " + version + "; driver " +
             options.driver + " supports PTX up to " +
             std::to_string(driver->ptx.first) + "." +
             std::to_string(driver->ptx.second);
    case FindingId::ToolkitTooNew:
      return "its code for " + gpus + " is of a newer CUDA than " +
             std::to_string(driver->cuda.first) +
             ".x, the newest that driver " + options.driver + " supports";
    default:
      return "it has no code for " + gpus + "; it has " + listImages(file);
    }
  }

  /// Fatbins that the driver registers without code for a GPU.
  void checkContainers(const FileFacts &file, const FileVerdict &verdict) {
    std::map<uint32_t, bool> containers; // Those with something for the driver.
    for (const ImageFacts &image : file.images)
      if (isForDriver(image, file) && !image.isForDeviceLink)
        containers[image.container] = true;
    if (containers.size() < 2)
      return;
    for (size_t k = 0; k != verdict.on.size(); ++k) {
      if (verdict.on[k] > RunVerdict::Compiles)
        continue;
      size_t without = countWithout(file, options.targets[k]);
      if (without)
        add(FindingId::FatbinsWithoutCode, file.name,
            Twine(without) + " of its " + Twine(containers.size()) +
                " fatbins have no code for " + options.targets[k].name(),
            {options.targets[k].number});
    }
  }

  size_t countWithout(const FileFacts &file, const Target &target) const {
    std::map<uint32_t, bool> has;
    for (const ImageFacts &image : file.images) {
      if (!isForDriver(image, file) || image.isForDeviceLink)
        continue;
      has[image.container] |= (image.form == ImageForm::Cubin &&
                               runsOn(image.arch, target.number)) ||
                              (image.form == ImageForm::PTX &&
                               compilesFor(image.arch, target.number));
    }
    return count_if(has, [](const auto &entry) { return !entry.second; });
  }

  /// Whether the driver can make the image's kernels run on a GPU.
  static bool isUsable(const ImageFacts &image, unsigned gpu) {
    return image.form == ImageForm::PTX ? compilesFor(image.arch, gpu)
                                        : runsOn(image.arch, gpu);
  }

  /// Kernels that are there for some of the GPUs only that the file has code
  /// for.
  void checkKernels(const FileFacts &file, const FileVerdict &verdict) {
    struct Availability {
      size_t last = 0, count = 0; ///< GPUs, each once.
    };
    MapVector<uint32_t, Availability> kernels;
    std::vector<unsigned> covered;
    for (size_t k = 0; k != verdict.on.size(); ++k) {
      if (verdict.on[k] > RunVerdict::Compiles)
        continue;
      covered.push_back(options.targets[k].number);
      for (const ImageFacts &image : file.images)
        if (isForDriver(image, file) && isUsable(image, covered.back()) &&
            (!image.isForDeviceLink || verdict.on[k] == RunVerdict::Compiles))
          for (uint32_t name : image.kernels)
            if (Availability &kernel = kernels[name];
                kernel.last != covered.size()) {
              kernel.last = covered.size();
              ++kernel.count;
            }
    }
    size_t count = 0;
    uint32_t first = 0;
    for (const auto &[name, kernel] : kernels)
      if (kernel.count != covered.size() && !count++)
        first = name;
    if (count)
      add(FindingId::KernelsDiffer, file.name,
          Twine(count) + " of its " + Twine(kernels.size()) +
              " kernels, such as " + facts.names[first] +
              ", exist for only some of " + listGpus(covered));
  }

  const Facts &facts;
  const CheckOptions &options;
  CheckResult &result;
  const DriverFacts *driver = nullptr;
  std::vector<bool> isTooNew; ///< Of the driver, by target.
};

} // namespace

void checkCoverage(const Facts &facts, const CheckOptions &options,
                   CheckResult &result) {
  CoverageCheck(facts, options, result).run();
}

} // namespace lld::cuda
