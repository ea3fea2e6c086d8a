//===- Report.h - Contents of a resource report -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The contents of a resource report, which tells for each kernel of an image
/// its registers, memory, stack and occupancy; and functions that make, read,
/// compare and write reports. The linker fills a report at the end of a link
/// with --resource-report (ResourceModel.cpp); cubin-check and cubin-size fill
/// one from finished images (measureCubin()). An older report can be read from
/// its JSON file, to compare with. A report is written as JSON or HTML. All
/// sizes are in bytes.
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

/// A number of a kernel that depends on the functions that it calls.
struct Inherited {
  uint32_t own = 0, total = 0;
  /// The function that determines `total`; empty if it is the kernel itself.
  llvm::StringRef from;
};

/// A variable in a kernel's shared memory.
struct SharedPlace {
  llvm::StringRef symbol;
  uint64_t offset = 0, size = 0;
  /// Has the same address in all kernels; other kernels' variables may overlap
  /// it.
  bool isCommon = false;
};

/// Where a function begins in the source, if there is line information.
struct Source {
  llvm::StringRef file;
  uint64_t line = 0;
};

/// A kernel's or device function's place in the call graph.
struct Depth {
  /// Including all functions that it calls; nullopt if unknown.
  std::optional<uint32_t> stack;
  /// Position in Image::functions of the callee that needs the most stack, or
  /// leads to a cycle; -1: none needs any.
  int32_t callee = -1;
};

/// A kernel of the image, with what it needs.
struct Kernel {
  /// Its number in the link that made the report; otherwise meaningless.
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

/// What an input contributed to the image, and what of it was dropped.
struct Contents {
  uint32_t kernels = 0, functions = 0, droppedFunctions = 0;
  uint64_t code = 0, droppedCode = 0, data = 0;

  Contents &operator+=(const Contents &other);
};

/// An input: an object file or archive member.
struct Object : Contents {
  llvm::StringRef label;
  /// Its archive; empty for an object file of its own.
  llvm::StringRef library;
};

/// An archive: the sums of its members that take part in the link.
struct Library : Contents {
  llvm::StringRef path;
  uint32_t members = 0;
};

/// A difference of a kernel to the baseline.
struct Change {
  llvm::StringRef symbol;
  /// "new", "gone", or the name of the number that changed.
  llvm::StringRef what;
  int64_t before = 0, after = 0;
};

/// The resources of one image.
struct Image {
  llvm::StringRef arch, output;
  uint64_t code = 0, droppedCode = 0;
  uint64_t globalMemory = 0, constantMemory = 0;
  std::vector<Kernel> kernels;           ///< Sorted by name.
  std::vector<DeviceFunction> functions; ///< Sorted by name.
  std::vector<Object> objects;           ///< In merge order.
  std::vector<SharedPlace> places;       ///< Kernel by kernel, by offset.
  /// Inputs that link-time optimization has merged into one; then there is one
  /// object for all.
  std::vector<llvm::StringRef> optimizedInputs;
  bool isCompared = false; ///< It was compared with a baseline.
  std::vector<Change> changes;

  llvm::ArrayRef<SharedPlace> placesOf(const Kernel &k) const {
    return llvm::ArrayRef(places).slice(k.firstPlace, k.placeCount);
  }
  /// Returns the chain of calls from `callee` on that needs the most stack or
  /// leads into a cycle, as positions in `functions`: at most `most`, and only
  /// the last one may occur twice.
  llvm::SmallVector<uint32_t, 16> deepestCalls(int32_t callee,
                                               size_t most) const;
};

/// A report. Its arena owns names; other names refer to the inputs, which must
/// outlive the report unless keepNames() is called.
struct Report {
  llvm::BumpPtrAllocator arena;
  llvm::StringSaver saver{arena};
  std::vector<Image> images;
  bool demangles = true; ///< JSON also has the symbols' C++ names.
};

/// Measures a finished cubin. Names in the result refer to `file`. The caller
/// sets arch, output and the object's name. Fails on a damaged cubin. Defined
/// in MeasureCubin.cpp.
llvm::Expected<Image> measureCubin(const CubinFile &file);
/// Sums up an image's functions by static library, in order of appearance.
std::vector<Library> sumLibraries(const Image &image);

/// The versions of the JSON format: the one written, and the oldest that is
/// read. Version 3 has added C++ names.
constexpr uint32_t JsonVersion = 3, OldestJsonVersion = 2;

/// Returns whether the symbol may be a mangled name; cheap.
bool mayBeMangled(llvm::StringRef symbol);

/// Writes the report as JSON. Defined in JsonReport.cpp.
page::Text writeJson(const Report &report);
/// Adds the images of a report that was written earlier; copies the names.
/// Fails on invalid JSON or an unknown version. Defined in JsonReader.cpp.
llvm::Error readJson(llvm::StringRef text, Report &report);

/// Writes the report as an HTML page. Defined in HtmlReport.cpp.
page::Text writeHtml(const Report &report);

// Report.cpp

/// Copies the names that refer to inputs, so that the image can outlive them.
void keepNames(Image &image, llvm::StringSaver &names);
/// Sets the image's changes since the baseline's image of the same
/// architecture; if the baseline has several, since the one of the same output.
void compare(Image &image, const Report &baseline);
/// Returns whether a report with this file name is an HTML page.
bool isPage(llvm::StringRef path);
/// Fails if the file name's suffix asks for another format, e.g. "k.csv".
llvm::Error checkName(llvm::StringRef path);
/// Writes the report in the format that the file name asks for: HTML or JSON.
page::Text render(const Report &report, llvm::StringRef path);

} // namespace report
} // namespace lld::cuda

#endif
