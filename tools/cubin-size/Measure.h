//===- Measure.h - What the bytes of files are for --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Divides files' bytes into rows. Entries of fatbins are decompressed one by
/// one, each on its thread, and forgotten again; of a function's code a hash
/// is kept.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_SIZE_MEASURE_H
#define LLD_CUDA_CUBIN_SIZE_MEASURE_H

#include "CubinParts.h"
#include "lld-cuda/Finished/NameTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

/// What kind of thing holds bytes: a file, a container, a section.
enum class Kind : uint8_t {
  LinkedCubin,
  RelocatableCubin,
  /// In an executable or shared library, where no link is to come.
  LeftOverCubin,
  PTX,
  LTOIR,
  TileIR,
  OtherImage,
  Container,  ///< Headers of fatbins and entries, and padding.
  Zeros,      ///< Where fatbins were that cubin-prune dropped.
  Unreadable, ///< Damaged.
  Host,       ///< Not device code.
};
llvm::StringRef getKindName(Kind kind);

/// The architecture of what isn't device code.
constexpr llvm::StringLiteral NoArch = "-";

/// Bytes of one use. Names are numbers of Measurement::names.
struct SizeRow {
  uint32_t file;     ///< As named on the command line, or below a directory.
  uint32_t member;   ///< For an archive "lib.a:a.o", else the file.
  uint32_t arch;     ///< As getTargetName() says; "-" of other bytes.
  uint32_t function; ///< Mangled; 0 if the bytes are nobody's.
  uint32_t source;   ///< The code's; 0 if it isn't known.
  Kind kind;
  Use use;
  /// In the file. A compressed image's bytes are shared out among its parts as
  /// the parts' own sizes are; the sum is exact.
  uint64_t stored;
  uint64_t unpacked;
  uint64_t codeSize, codeHash; ///< As of CubinPart.
};

struct Measurement {
  NameTable names;
  std::deque<SizeRow> rows; ///< Sums of `stored` are the files' sizes.
  uint64_t otherFiles = 0, otherBytes = 0; ///< Without device code.
  /// Linked images in fatbins that aren't compressed. Some of it was, and
  /// became so much.
  uint64_t plainCode = 0, sampled = 0, packedSamples = 0;
  /// About how much less it would be if it were compressed.
  uint64_t getPlainSaving() const;
  bool hadErrors = false;
};

struct MeasureOptions {
  bool bySource = false; ///< Line tables are read.
  /// Bytes that an image or a member of a wheel is unpacked to at most. None:
  /// half of the memory; what goes to a disk, nearly what is free on it.
  std::optional<uint64_t> memoryLimit;
  /// Whether some of what isn't compressed is, to know what that would save.
  bool triesCompression = false;
  unsigned threads = 1;
};
using ErrorReport = llvm::function_ref<void(llvm::StringRef, llvm::Error)>;

/// Adds all files below a directory or in a wheel (or another zip file), or one
/// file. Files without device code in a directory or wheel are counted only.
void measure(llvm::StringRef path, const MeasureOptions &options,
             Measurement &result, ErrorReport report);

} // namespace lld::cuda

#endif
