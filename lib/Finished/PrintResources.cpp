//===- PrintResources.cpp - The table of --resources ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-size and cubin-check call printResources() at the end of --resources.
/// JSON and HTML come from lib/Resources; the text table is made here. With a
/// baseline, kernels are sorted by lost occupancy, the greatest loss first;
/// without one or among equals, the lowest occupancy comes first, then the
/// largest number of registers. An image's baseline is the one for the same
/// architecture in the file of the same name, or, if both sides are one file,
/// in that file whatever its name is.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Demangle/Demangle.h"
#include "lld-cuda/Finished/Resources.h"
#include "lld-cuda/Support/Json.h"
#include "lld-cuda/Support/Printable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace lld::cuda {

namespace {

/// How many kernels are not as they were.
struct Changes {
  size_t lost = 0, gained = 0; ///< Occupancy.
  size_t added = 0, gone = 0, other = 0;
};

/// A kernel where it is.
struct Row {
  const report::Image *image;
  const report::Kernel *kernel;
  std::optional<unsigned> before; ///< Its occupancy then.

  unsigned occupancy() const {
    return kernel->occupancy ? kernel->occupancy->percent() : 0;
  }
};

class ResourcesPrinter {
public:
  ResourcesPrinter(FinishedResources &now, const FinishedResources *before)
      : now(now), before(before) {
    for (report::Image &image : now.report.images)
      addImage(image);
  }

  void printText(size_t top, raw_ostream &os) {
    os << describe() << '\n';
    llvm::stable_sort(rows, isWorse);
    const size_t shown = top ? std::min(rows.size(), top) : rows.size();
    if (shown)
      os << "\n  regs  bar    frame    stack   shared    const  occupancy  "
            "arch     kernel\n";
    for (const Row &row : ArrayRef(rows).take_front(shown))
      printRow(os, row);
    if (shown != rows.size())
      os << "and " << rows.size() - shown << " more kernels\n";
  }

private:
  /// Kernels that have lost most, then those that use least of the GPU.
  static bool isWorse(const Row &a, const Row &b) {
    auto key = [](const Row &row) {
      const int lost = row.before ? int(row.occupancy()) - int(*row.before) : 0;
      return std::make_pair(lost, row.occupancy());
    };
    if (key(a) != key(b))
      return key(a) < key(b);
    return a.kernel->registers.total > b.kernel->registers.total;
  }

  void addImage(report::Image &image) {
    const report::Image *old = before ? findOld(image) : nullptr;
    DenseMap<StringRef, const report::Kernel *> oldKernels;
    if (old)
      for (const report::Kernel &kernel : old->kernels)
        oldKernels[kernel.symbol] = &kernel;
    for (const report::Kernel &kernel : image.kernels) {
      Row row = {&image, &kernel, {}};
      if (auto it = oldKernels.find(kernel.symbol);
          it != oldKernels.end() && it->second->occupancy && kernel.occupancy) {
        row.before = it->second->occupancy->percent();
        changes.lost += row.occupancy() < *row.before;
        changes.gained += row.occupancy() > *row.before;
      }
      rows.push_back(row);
    }
    if (!before)
      return;
    report::Report baseline;
    if (old)
      baseline.images.push_back(*old);
    report::compare(image, baseline);
    StringSet<> changed;
    for (const report::Change &change : image.changes) {
      changes.added += change.what == "new";
      changes.gone += change.what == "gone";
      if (change.what != "new" && change.what != "gone" &&
          changed.insert(change.symbol).second)
        ++changes.other;
    }
  }

  /// Returns the baseline of an image: the one of the same file, or, if both
  /// sides have only one file, of that.
  const report::Image *findOld(const report::Image &image) const {
    const bool ignoresNames = now.files == 1 && before->files == 1;
    for (const report::Image &old : before->report.images)
      if (old.arch == image.arch &&
          (ignoresNames || old.output == image.output))
        return &old;
    return nullptr;
  }

  std::string describe() const {
    StringSet<> files;
    std::vector<StringRef> archs;
    for (const report::Image &image : now.report.images) {
      files.insert(image.output);
      if (!is_contained(archs, image.arch))
        archs.push_back(image.arch);
    }
    std::string text = std::to_string(rows.size()) +
                       (rows.size() == 1 ? " kernel" : " kernels") + " in " +
                       std::to_string(files.size()) +
                       (files.size() == 1 ? " file" : " files");
    for (size_t i = 0; i != archs.size(); ++i)
      text += (i ? ", " : " for ") + archs[i].str();
    if (before)
      text = count(changes.lost, "lost") + " occupancy, " +
             std::to_string(changes.gained) + " gained; " +
             std::to_string(changes.added) + " new, " +
             std::to_string(changes.gone) + " gone, " +
             std::to_string(changes.other) + " with other numbers; " + text;
    return text;
  }

  static std::string count(size_t number, StringRef verb) {
    return std::to_string(number) + (number == 1 ? " kernel " : " kernels ") +
           verb.str();
  }

  void printRow(raw_ostream &os, const Row &row) const {
    const report::Kernel &kernel = *row.kernel;
    const std::string stack =
        kernel.depth.stack ? std::to_string(*kernel.depth.stack) : "unknown";
    std::string occupancy =
        kernel.occupancy ? std::to_string(row.occupancy()) + " %" : "unknown";
    if (row.before && *row.before != row.occupancy())
      occupancy = std::to_string(*row.before) + " > " + occupancy;
    os << formatv("{0,6} {1,4} {2,8} {3,8} {4,8} {5,8} {6,10}  {7,-8} ",
                  kernel.registers.total, kernel.barriers.total, kernel.frame,
                  stack, kernel.shared, kernel.parameters + kernel.literals,
                  occupancy, row.image->arch)
       << asPrintable(shortenName(demangleDeviceName(kernel.symbol))) << '\n';
  }

  FinishedResources &now;
  const FinishedResources *before;
  std::vector<Row> rows;
  Changes changes;
};

} // namespace

static void writeText(page::Text text, raw_ostream &os) {
  for (const page::Text::Block &block : text.takeBlocks())
    os << StringRef(block.data(), block.size());
}

void printResources(FinishedResources &now, const FinishedResources *before,
                    ResourcesForm form, size_t top, raw_ostream &os) {
  ResourcesPrinter printer(now, before);
  switch (form) {
  case ResourcesForm::Text:
    return printer.printText(top, os);
  case ResourcesForm::Json: {
    PrintableJsonStream printable(os);
    return writeText(report::writeJson(now.report), printable);
  }
  case ResourcesForm::Html:
    return writeText(report::writeHtml(now.report), os);
  }
}

} // namespace lld::cuda
