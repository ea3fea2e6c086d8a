//===- ResourceReport.cpp - --resource-report and --budget ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// reportResources() makes the report on what kernels need (--resource-report),
/// compares it with an earlier one, and keeps kernels to the limits of
/// --budget. writeOutput() in Link.cpp calls it before the image is written, so
/// a kernel over its limit leaves no image: that is an error. An image that
/// NVIDIA's compiler has made of LTO IR as a whole is measured by its bytes, as
/// no pass knows it (LtoNvidia.cpp). --join-reports isn't a link: runLink()
/// calls joinReports() in place of one, for reports that were written earlier.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Report/Reports.h"
#include "Report/ResourceModel.h"
#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/DenseSet.h"

using namespace llvm;

namespace lld::cuda {

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
  // Report all missing files at once.
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
                       {"the image that ptxas wrote can't be read: ",
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
