//===- ResourceReport.cpp - --resource-report and --budget ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Program.h"
#include "Report/Reports.h"
#include "Report/ResourceModel.h"
#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lld::cuda {

namespace report {

/// Unknown sizes of a stack compare as -1.
static void compareKernels(const Kernel &before, const Kernel &after,
                           std::vector<Change> &changes) {
  auto add = [&](StringRef what, int64_t a, int64_t b) {
    if (a != b)
      changes.push_back({after.symbol, what, a, b});
  };
  auto stackOf = [](const Kernel &k) {
    return k.depth.stack ? int64_t(*k.depth.stack) : -1;
  };
  add("registers", before.registers.total, after.registers.total);
  add("stack", stackOf(before), stackOf(after));
  add("shared", before.shared, after.shared);
  add("barriers", before.barriers.total, after.barriers.total);
  add("code", before.code, after.code);
}

void compare(Image &image, const Report &baseline) {
  image.isCompared = true;
  image.changes.clear();
  auto old = find_if(baseline.images, [&](const Image &other) {
    return other.arch == image.arch && other.output == image.output;
  });
  if (old == baseline.images.end())
    old = find_if(baseline.images,
                  [&](const Image &other) { return other.arch == image.arch; });
  DenseMap<StringRef, const Kernel *> before;
  if (old != baseline.images.end())
    for (const Kernel &k : old->kernels)
      before[k.symbol] = &k;
  for (const Kernel &k : image.kernels) {
    auto it = before.find(k.symbol);
    if (it == before.end()) {
      image.changes.push_back({k.symbol, "new", 0, int64_t(k.code)});
      continue;
    }
    compareKernels(*it->second, k, image.changes);
    before.erase(it);
  }
  if (old != baseline.images.end())
    for (const Kernel &k : old->kernels)
      if (before.contains(k.symbol))
        image.changes.push_back({k.symbol, "gone", int64_t(k.code), 0});
}

void keepNames(Image &image, StringSaver &names) {
  auto keep = [&](StringRef &name) { name = names.save(name); };
  keep(image.arch);
  keep(image.output);
  for (StringRef &input : image.optimizedInputs)
    keep(input);
  for (Object &o : image.objects) {
    keep(o.label);
    keep(o.library);
  }
  for (Kernel &k : image.kernels) {
    k.function = nullptr;
    keep(k.symbol);
    keep(k.source.file);
    keep(k.registers.from);
    keep(k.barriers.from);
  }
  for (DeviceFunction &f : image.functions) {
    keep(f.symbol);
    keep(f.source.file);
  }
  for (SharedPlace &p : image.places)
    keep(p.symbol);
  for (Change &c : image.changes)
    keep(c.symbol);
}

bool isPage(StringRef path) {
  return path.ends_with_insensitive(".html") ||
         path.ends_with_insensitive(".htm");
}

Error checkName(StringRef path) {
  const StringRef extension = sys::path::extension(path);
  // That of an architecture is whatever the name is.
  const bool isNone = extension.size() < 2 || extension.contains("%a") ||
                      extension.starts_with(".sm_");
  if (isNone || extension.equals_insensitive(".json") || isPage(path))
    return Error::success();
  return createStringError("--resource-report=" + path +
                           ": a report is JSON (.json) or a page (.html)");
}

page::Text render(const Report &report, StringRef path) {
  return isPage(path) ? writeHtml(report) : writeJson(report);
}

} // namespace report

/// Adds the images of a report that was written earlier. False: there is none,
/// which is reported.
static bool readReport(const Inputs &inputs, StringRef what, StringRef path,
                       report::Report &report) {
  const OpenedFile file = openFile(inputs, path.str());
  if (!file.buffer) {
    inputs.diag.report(openError(file, path));
    return false;
  }
  if (Error e = report::readJson(file.buffer->getBuffer(), report)) {
    inputs.diag.report(DiagId::InvalidValue, {what, " ", diag::file(path), ": ",
                                              toString(std::move(e))});
    return false;
  }
  return true;
}

/// Keeps the report's last image to its limits, and writes it. `resources` as
/// of checkBudget().
static void finishReport(const Inputs &inputs, Program &program,
                         Resources *resources, report::Report &report) {
  const ResourceReportConfig &config = inputs.config.resources;
  report::Image &image = report.images.back();
  if (config.budget)
    report::checkBudget(inputs, program, resources, image, *config.budget);
  if (inputs.diag.stopped() || (config.files.empty() && !inputs.job.resources))
    return;
  report.demangles = inputs.config.lld.demangle;
  report::Report baseline;
  if (config.baseline) {
    if (!readReport(inputs, "Baseline", *config.baseline, baseline))
      return;
    report::compare(image, baseline);
  }
  if (inputs.job.resources)
    report::keepNames(image, report.saver);
  for (const std::string &path : config.files)
    writeReport(inputs, path, report::render(report, path));
}

void reportResources(const Inputs &inputs, Program &program,
                     Resources &resources) {
  const ResourceReportConfig &config = inputs.config.resources;
  if (!config.isWanted() && !inputs.job.resources)
    return;
  report::Report own;
  report::Report &report = inputs.job.resources ? *inputs.job.resources : own;
  const report::SourcesOf wanted =
      !inputs.job.resources && all_of(config.files, report::isPage)
          ? report::SourcesOf::Kernels
          : report::SourcesOf::AllFunctions;
  report.images.push_back(
      report::measureImage(inputs, program, resources, report.saver, wanted));
  finishReport(inputs, program, &resources, report);
}

/// The first image that is there twice, or null: somebody gave a report twice.
static const report::Image *findTwice(const report::Report &report) {
  DenseSet<std::pair<StringRef, StringRef>> seen;
  for (const report::Image &image : report.images)
    if (!seen.insert({image.arch, image.output}).second)
      return &image;
  return nullptr;
}

void joinReports(const Inputs &inputs, Program &program) {
  const ResourceReportConfig &config = inputs.config.resources;
  report::Report joined, baseline;
  joined.demangles = inputs.config.lld.demangle;
  if (!config.isWanted()) {
    inputs.diag.report(DiagId::InvalidValue,
                       {"--join-reports needs --resource-report or --budget"});
    return;
  }
  // All that are missing are told at once.
  for (const LinkInput &input : inputs.config.inputs) {
    const std::string &path = input.path;
    readReport(inputs, "Report", path, joined);
    if (const report::Image *twice = findTwice(joined)) {
      inputs.diag.report(DiagId::InvalidValue,
                         {"Report ", diag::file(path), ": the image of ",
                          twice->arch, " in ", diag::file(twice->output),
                          " is in another report, too"});
      return;
    }
  }
  if (config.baseline)
    readReport(inputs, "Baseline", *config.baseline, baseline);
  if (inputs.diag.errorCount())
    return;
  for (report::Image &image : joined.images) {
    if (config.baseline)
      report::compare(image, baseline);
    if (config.budget)
      report::checkBudget(inputs, program, /*resources=*/nullptr, image,
                          *config.budget);
  }
  if (inputs.diag.errorCount())
    return;
  for (const std::string &path : config.files)
    writeReport(inputs, path, report::render(joined, path));
}

bool reportOptimizedImage(const Inputs &inputs, Program &program,
                          MemoryBufferRef cubin, ArrayRef<InputUnit *> units) {
  if (!inputs.config.resources.isWanted() && !inputs.job.resources)
    return true;
  report::Report own;
  report::Report &report = inputs.job.resources ? *inputs.job.resources : own;
  Expected<CubinFile> file = CubinFile::create(cubin);
  Expected<report::Image> image =
      file ? report::measureCubin(*file)
           : Expected<report::Image>(file.takeError());
  if (!image) {
    inputs.diag.report(DiagId::LtoProblem,
                       {"the image that ptxas has made can't be read: ",
                        toString(image.takeError())});
    return false;
  }
  image->arch = inputs.config.archName;
  image->output = inputs.config.output;
  image->objects.front().label = cubin.getBufferIdentifier();
  for (const InputUnit *input : units)
    image->optimizedInputs.push_back(input->label);
  report.images.push_back(std::move(*image));
  finishReport(inputs, program, /*resources=*/nullptr, report);
  return !inputs.diag.stopped();
}

} // namespace lld::cuda
