//===- Measure.h - Measures what bytes are for ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Measures what the bytes of files are for, as rows of a table.
/// cubin-size.cpp calls measure() for each path of the command line, and then
/// makes tables of the rows (Tables.h). Entries of fatbins are decompressed
/// one by one, in several threads, and freed again; only a hash of each
/// function's code is kept.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_SIZE_MEASURE_H
#define LLD_CUDA_CUBIN_SIZE_MEASURE_H

#include "CubinParts.h"
#include "lld-cuda/Finished/Files.h"
#include "lld-cuda/Finished/NameTable.h"
#include "llvm/ADT/ArrayRef.h"
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

/// What kind of thing holds bytes: a file, a container, a section.
enum class HolderKind : uint8_t {
  LinkedCubin,
  RelocatableCubin,
  /// Relocatable code in an executable or shared library, which no device link
  /// will read any more.
  LeftOverCubin,
  PTX,
  LTOIR,
  TileIR,
  OtherImage,
  Container,  ///< Headers of fatbins and entries, and padding.
  Zeros,      ///< Zeros in place of fatbins that cubin-prune removed.
  Unreadable, ///< Device code that is damaged.
  Host,       ///< All bytes that aren't device code.
};
llvm::StringRef getKindName(HolderKind kind);

/// Stands for the architecture of bytes that aren't device code.
constexpr llvm::StringLiteral NoArch = "-";

/// Bytes of one kind and use in one file. The members for names are indices
/// into Measurement::names.
struct SizeRow {
  uint32_t file;     ///< Its path on the command line or below a directory.
  uint32_t member;   ///< "lib.a:a.o" in an archive, otherwise the file.
  uint32_t arch;     ///< As getTargetName() returns it, or NoArch.
  uint32_t function; ///< Mangled; 0 if no function owns the bytes.
  uint32_t source;   ///< The source file of code; 0 if it isn't known.
  HolderKind kind;
  Use use;
  /// Bytes in the file. The bytes of a compressed image are distributed among
  /// its parts in proportion to their unpacked sizes; the sum is exact.
  uint64_t stored;
  uint64_t unpacked;           ///< Bytes after decompression.
  uint64_t codeSize, codeHash; ///< As in CubinPart.
};

/// What was measured of all files.
struct Measurement {
  NameTable names;
  std::deque<SizeRow> rows; ///< Their `stored` adds up to all files' size.
  uint64_t otherFiles = 0, otherBytes = 0; ///< Files without device code.
  /// Bytes of linked images in fatbins that aren't compressed; how many of
  /// them were compressed as a sample, and to how many bytes.
  uint64_t plainCode = 0, sampled = 0, packedSamples = 0;
  /// Estimates how many bytes compressing `plainCode` would save.
  uint64_t getPlainSaving() const;
  bool hadErrors = false;
};

struct MeasureOptions {
  bool bySource = false; ///< Divide code by source file; reads line tables.
  /// The largest size, in bytes, to which an image or a member of a wheel is
  /// unpacked. If nullopt, half of the memory, or nearly all free space of the
  /// disk for what is unpacked to a file.
  std::optional<uint64_t> memoryLimit;
  /// Whether to compress a sample of uncompressed images (see plainCode).
  bool triesCompression = false;
  unsigned threads = 1;
};

/// Adds the rows of a file, or of all files below a directory or in a wheel (or
/// another zip file), to `result`. Files without device code in a directory or
/// wheel are only counted. Errors are passed to `report` and set
/// `result.hadErrors`.
void measure(llvm::StringRef path, const MeasureOptions &options,
             Measurement &result, ErrorReport report);

} // namespace lld::cuda

#endif
