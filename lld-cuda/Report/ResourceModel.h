//===- ResourceModel.h - What kernels need, and where it comes from -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The contents of a --resource-report: made of a link or read from a report
/// that was written earlier, shown as JSON or HTML.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_REPORT_RESOURCEMODEL_H
#define LLD_CUDA_REPORT_RESOURCEMODEL_H

#include "Report/Occupancy.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace lld::cuda {

struct Ctx;
struct Function;
struct Resources;

namespace report {

/// A number that a kernel takes over from what it calls.
struct Inherited {
  uint32_t own = 0, total = 0;
  llvm::StringRef from; ///< The function; empty: the kernel's own.
};

struct StackStep {
  llvm::StringRef symbol;
  uint32_t frame = 0;
};

struct SharedPlace {
  llvm::StringRef symbol;
  uint64_t offset = 0, size = 0;
  /// At an address that it has in all kernels; other kernels' variables may
  /// lie there, too.
  bool isCommon = false;
};

struct Kernel {
  const Function *function = nullptr; ///< Of a link that is being done.
  llvm::StringRef symbol;
  uint32_t object = 0; ///< Position in Image::objects.
  Inherited registers, barriers;
  uint32_t frame = 0;
  std::optional<uint32_t> stack; ///< None: can't be known.
  /// The deepest calls, the kernel first; with an unknown stack those that
  /// lead into a cycle.
  llvm::SmallVector<StackStep, 0> path;
  uint64_t shared = 0, sharedReserved = 0;
  bool hasDynamicShared = false;
  llvm::SmallVector<SharedPlace, 0> places;
  llvm::SmallVector<std::pair<uint32_t, uint64_t>, 2> constants; ///< By bank.
  uint32_t textures = 0, surfaces = 0, samplers = 0;
  uint64_t code = 0;
  std::optional<uint64_t> codeWithCallees;
  std::optional<Occupancy> occupancy;
};

/// A device function in the image.
struct DeviceFunction {
  llvm::StringRef symbol;
  uint32_t object = 0;
  uint32_t registers = 0, frame = 0;
  uint64_t code = 0;
};

struct Object {
  llvm::StringRef label;
  llvm::StringRef library; ///< Its archive; empty: it is a file.
  uint32_t kernels = 0, functions = 0, droppedFunctions = 0;
  uint64_t code = 0, droppedCode = 0, data = 0;
};

/// A kernel that isn't as it was.
struct Change {
  llvm::StringRef symbol;
  llvm::StringRef what; ///< "new", "gone", or a number's name.
  int64_t before = 0, after = 0;
};

struct Image {
  llvm::StringRef arch, output;
  uint64_t code = 0, droppedCode = 0;
  uint64_t globalMemory = 0, constantMemory = 0;
  std::vector<Kernel> kernels;           ///< By name.
  std::vector<DeviceFunction> functions; ///< By name.
  std::vector<Object> objects;           ///< In merge order.
  bool isCompared = false;               ///< With a baseline.
  std::vector<Change> changes;
};

/// Owns the names that aren't an input's.
struct Report {
  llvm::BumpPtrAllocator arena;
  llvm::StringSaver saver{arena};
  std::deque<Image> images;
};

/// The image of a link whose sections are settled. ResourceModel.cpp.
Image measureImage(Ctx &ctx, Resources &resources);

// ResourceJson.cpp

void writeJson(llvm::raw_ostream &os, const Report &report);
/// Adds the images of a report that was written earlier.
llvm::Error readJson(llvm::StringRef text, Report &report);

/// ResourceHtml.cpp
void writeHtml(llvm::raw_ostream &os, const Report &report);

// ResourceReport.cpp

/// What has changed since the baseline's image of the same architecture.
void compare(Image &image, const Report &baseline);
/// The report as its file's name asks for: HTML or JSON.
std::string render(const Report &report, llvm::StringRef path);

// ResourcePictures.cpp

/// A treemap of the code.
void drawCode(llvm::raw_ostream &os, const Image &image, bool byObject);
/// Which variables lie where in a kernel's shared memory.
void drawShared(llvm::raw_ostream &os, const Kernel &kernel);

/// ResourceBudget.cpp: reports kernels that need more than they may.
void checkBudget(Ctx &ctx, Resources &resources, const Image &image,
                 llvm::StringRef path);

} // namespace report
} // namespace lld::cuda

#endif
