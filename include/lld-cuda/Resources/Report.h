//===- Report.h - What kernels need, and where it comes from -- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The contents of a resource report: made of a link (--resource-report) or of
/// finished images, or read from a report that was written earlier; shown as
/// JSON or HTML.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RESOURCES_REPORT_H
#define LLD_CUDA_RESOURCES_REPORT_H

#include "lld-cuda/Page/Text.h"
#include "lld-cuda/Resources/Occupancy.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

class CubinFile;

namespace report {

/// A number that a kernel takes over from what it calls.
struct Inherited {
  uint32_t own = 0, total = 0;
  llvm::StringRef from; ///< The function; empty: the kernel's own.
};

struct SharedPlace {
  llvm::StringRef symbol;
  uint64_t offset = 0, size = 0;
  /// At an address that it has in all kernels; other kernels' variables may
  /// lie there, too.
  bool isCommon = false;
};

/// Where a function begins in the source, if there is line information.
struct Source {
  llvm::StringRef file;
  uint64_t line = 0;
};

/// A kernel's or device function's place in the call graph.
struct Depth {
  std::optional<uint32_t> stack; ///< With all it calls; none: can't be known.
  /// Position in Image::functions of the callee that needs the most stack, or
  /// leads to a cycle; -1: none needs any.
  int32_t callee = -1;
};

struct Kernel {
  /// Its number in the link that measures it; else it says nothing.
  uint32_t ordinal = 0;
  llvm::StringRef symbol;
  Source source;
  uint32_t object = 0; ///< Position in Image::objects.
  Inherited registers, barriers;
  uint32_t frame = 0;
  Depth depth;
  uint64_t shared = 0, sharedReserved = 0;
  bool hasDynamicShared = false;
  uint32_t firstPlace = 0, placeCount = 0; ///< In Image::places.
  uint64_t parameters = 0, literals = 0;   ///< Constant banks 0 and 2.
  uint32_t textures = 0, surfaces = 0, samplers = 0;
  uint64_t code = 0;
  std::optional<uint64_t> codeWithCallees;
  std::optional<Occupancy> occupancy;
};

/// A device function in the image.
struct DeviceFunction {
  llvm::StringRef symbol;
  Source source;
  uint32_t object = 0;
  uint32_t registers = 0, frame = 0;
  Depth depth;
  uint64_t code = 0;
};

/// What an input brought to the image, and what of it isn't there.
struct Contents {
  uint32_t kernels = 0, functions = 0, droppedFunctions = 0;
  uint64_t code = 0, droppedCode = 0, data = 0;

  Contents &operator+=(const Contents &other);
};

struct Object : Contents {
  llvm::StringRef label;
  llvm::StringRef library; ///< Its archive; empty: it is a file.
};

/// An archive: the sums of its members that take part in the link.
struct Library : Contents {
  llvm::StringRef path;
  uint32_t members = 0;
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
  std::vector<SharedPlace> places;       ///< Kernel by kernel, by offset.
  /// Inputs that the compiler has made into one; then objects are unknown, and
  /// there is one for all.
  std::vector<llvm::StringRef> optimizedInputs;
  bool isCompared = false; ///< With a baseline.
  std::vector<Change> changes;

  llvm::ArrayRef<SharedPlace> placesOf(const Kernel &k) const {
    return llvm::ArrayRef(places).slice(k.firstPlace, k.placeCount);
  }
  /// The calls that need the most stack, or lead into a cycle: at most `most`,
  /// and none twice but the last one.
  llvm::SmallVector<uint32_t, 16> deepestCalls(int32_t callee,
                                               size_t most) const;
};

/// Owns the names that aren't an input's.
struct Report {
  llvm::BumpPtrAllocator arena;
  llvm::StringSaver saver{arena};
  std::vector<Image> images;
  bool demangles = true; ///< JSON has C++ names beside the symbols.
};

/// The image that a compiler has made as a whole. It refers to the file; arch,
/// output and the object's name are left to the caller. MeasureCubin.cpp.
llvm::Expected<Image> measureCubin(const CubinFile &file);
/// Sums up an image's functions by static library, in order of appearance.
std::vector<Library> sumLibraries(const Image &image);

/// Version 3 has names beside symbols.
constexpr uint32_t JsonVersion = 3, OldestJsonVersion = 2;

/// Whether a demangler may know the symbol; cheap.
bool mayBeMangled(llvm::StringRef symbol);

/// Writes the report as JSON. JsonReport.cpp.
page::Text writeJson(const Report &report);
/// JsonReader.cpp: adds the images of a report that was written
/// earlier.
llvm::Error readJson(llvm::StringRef text, Report &report);

/// Writes the report as a page. HtmlReport.cpp.
page::Text writeHtml(const Report &report);

// Report.cpp

/// Copies names that are an input's, which go with it.
void keepNames(Image &image, llvm::StringSaver &names);
/// What has changed since the baseline's image of the same architecture; if it
/// has several, since that of the same output.
void compare(Image &image, const Report &baseline);
bool isPage(llvm::StringRef path);
/// Fails if the name says that a report is to be something else: "k.csv".
llvm::Error checkName(llvm::StringRef path);
/// The report as its file's name asks for: HTML or JSON.
page::Text render(const Report &report, llvm::StringRef path);

} // namespace report
} // namespace lld::cuda

#endif
