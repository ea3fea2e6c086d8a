//===- Report.cpp - Compares and renders resource reports -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A resource report comes from a link, from finished cubins or from a JSON
/// file, and these functions work on all three. The linker's ResourceReport.cpp
/// calls them at the end of a link with --resource-report, lib/Finished for
/// --resources of the tools. compare() lists the kernels of an image that are
/// new, gone or have other numbers than in a baseline, by symbol.
/// deepestCalls() follows the calls that need the most stack and stops where a
/// recursion closes. render() writes JSON or a page, as the name of the file
/// asks for; checkName() refuses other names before the link begins its work.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Resources/Report.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lld::cuda::report {

Contents &Contents::operator+=(const Contents &other) {
  kernels += other.kernels;
  functions += other.functions;
  droppedFunctions += other.droppedFunctions;
  code += other.code;
  droppedCode += other.droppedCode;
  data += other.data;
  return *this;
}

SmallVector<uint32_t, 16> Image::deepestCalls(int32_t callee,
                                              size_t most) const {
  SmallVector<uint32_t, 16> calls;
  while (callee >= 0 && uint32_t(callee) < functions.size() &&
         calls.size() != most) {
    const bool isAgain = is_contained(calls, uint32_t(callee));
    calls.push_back(callee);
    if (isAgain)
      break;
    callee = functions[callee].depth.callee;
  }
  return calls;
}

std::vector<Library> sumLibraries(const Image &image) {
  std::vector<Library> libraries;
  DenseMap<StringRef, size_t> known;
  for (const Object &o : image.objects) {
    if (o.library.empty())
      continue;
    auto [it, isNew] = known.try_emplace(o.library, libraries.size());
    if (isNew)
      libraries.emplace_back().path = o.library;
    Library &library = libraries[it->second];
    library += o;
    ++library.members;
  }
  return libraries;
}

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
  // A name that ends in an architecture ("report.sm_90") has no extension.
  const bool isNone = extension.size() < 2 || extension.contains("%a") ||
                      extension.starts_with(".sm_");
  if (isNone || extension.equals_insensitive(".json") || isPage(path))
    return Error::success();
  return createStringError(
      "--resource-report=" + path +
      ": expected a file name that ends in .json or .html");
}

page::Text render(const Report &report, StringRef path) {
  return isPage(path) ? writeHtml(report) : writeJson(report);
}

} // namespace lld::cuda::report
