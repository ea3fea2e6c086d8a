//===- InputFiles.h - Opening and identifying input files -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From the command line's words to the cubins that are merged: files, members
/// of archives, fatbins in host objects, entries of fatbins. Everything that
/// doesn't depend on the state of the link happens here, in parallel for large
/// links; messages are kept with the input and reported at its turn, so that
/// their order is that of a link file by file.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUTFILES_H
#define LLD_CUDA_INPUTFILES_H

#include "Diagnostics.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

struct Ctx;

/// A cubin that will be merged, as far as it can be prepared by itself.
struct LoadedCubin {
  CubinFile file;
  /// Name in messages: "dir/x.o", "lib.a:member.o".
  std::string label;
};

/// A file or archive member: the unit in which inputs are processed.
struct InputUnit {
  std::string label;
  /// In the order of discovery; a fatal one ends the link here.
  std::vector<Diagnostic> messages;
  /// Cubins to merge, usually one; several for `ld -r` objects.
  std::vector<LoadedCubin> cubins;

  // For host references (spec: inputs, section 7.1).
  /// Contributes to the link, so that without host lists pruning is off.
  bool countsForHostInfo = false;
  bool hasHostLists = false;
  llvm::StringRef kernelsExternal, kernelsInternal;

  // For the register file (spec: inputs, section 6).
  enum class Registration { None, ModuleIds, Path, Definitions };
  Registration registration = Registration::None;
  llvm::StringRef moduleIds;
  std::string path; ///< Registration::Path: what is mangled.

  /// What the cubins and lists lie in, beyond the file's own buffer: files of
  /// thin archives, decompressed payloads.
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::vector<llvm::SmallVector<uint8_t, 0>> payloads;
};

/// One word of the command line, or one library.
struct InputFile {
  std::string path;
  /// The path contains "cudadevrt": used only when a function is undefined at
  /// its turn (spec: inputs, section 2.6; addendum, 14).
  bool systemLibrary = false;
  /// Set by the merge: a system library that nobody needed.
  bool dropped = false;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::vector<Diagnostic> messages;
  std::vector<InputUnit> units;
};

/// What the bytes of a unit are.
enum class ContentKind : uint8_t { Cubin, PTX, Fatbin, HostObject };

/// Opens, identifies and unpacks all inputs into ctx.inputs.
void loadInputs(Ctx &ctx);

/// A -l option: the library's path, as messages name it. Empty if there is no
/// such library. Libraries.cpp.
std::string findLibrary(const Ctx &ctx, llvm::StringRef name);

/// Takes the device code out of `data`, which outlives the unit.
/// UnitContents.cpp.
void unpackUnit(const Ctx &ctx, InputUnit &unit, llvm::MemoryBufferRef data,
                ContentKind kind);

/// For a file that nvlink passes over without a word, and so do we, unless
/// warnings about that are asked for.
void addIgnoredWarning(const Ctx &ctx, std::vector<Diagnostic> &messages,
                       const llvm::Twine &text);

} // namespace lld::cuda

#endif
