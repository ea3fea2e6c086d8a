//===- Linker.h - The linker as a library -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Links in the user's process. With files in memory:
///
///   LinkRequest request;
///   request.args = {"nvlink", "-arch=sm_90", "-o", "out.cubin",
///                   "a.cubin", "b.cubin"};
///   request.files = {MemoryBufferRef(a, "a.cubin"),
///                    MemoryBufferRef(b, "b.cubin")};
///   LinkResult result = link(request);
///   if (const MemoryBuffer *image = result.getOutput("out.cubin"))
///     load(*image);
///
/// Links don't share state: two may run at once in two threads. A stream that is
/// handed over is one link's as long as it runs, so llvm::nulls() is for one
/// thread only.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LINKER_H
#define LLD_CUDA_LINKER_H

#include "lld-cuda/Linker/Diagnostic.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

/// How initialised variables of 1 MB and more get into memory; all else that
/// inputs hold is read.
enum class InputMode {
  /// Mapped, which is fastest. A page that isn't there any more, because
  /// somebody cut the file short while it was linked, raises SIGBUS. The
  /// program lld-cuda handles that (tools/lld-cuda/main.cpp); a library doesn't
  /// touch its user's handlers.
  Map,
  /// Read, for processes that must live on whatever happens to the files.
  Read
};

enum class OutputMode {
  Files,
  /// Outputs are in the result. No file is written, but in a directory for
  /// temporary files if ptxas or link-time optimization takes part. Without
  /// files there is no table of -time and no archive of --reproduce.
  Memory,
  None
};

/// A link to be done.
struct LinkRequest {
  /// The command line. args[0] is the program's name, which decides the
  /// flavour: "nvlink" or "ld.cuda".
  std::vector<std::string> args;
  /// Each takes the place of the file that has its name (getBufferIdentifier)
  /// on the command line or, for libraries, in a directory of -L. The bytes
  /// need not outlive the link.
  std::vector<llvm::MemoryBufferRef> files;
  InputMode inputs = InputMode::Read;
  OutputMode outputs = OutputMode::Memory;
  /// What the program would print. Null: nowhere; messages are in the result.
  llvm::raw_ostream *out = nullptr, *err = nullptr;
};

/// What a kernel of the output needs.
struct KernelFacts {
  std::string name;
  uint32_t registers = 0, barriers = 0;
  uint32_t frame = 0;            ///< Of the kernel itself, in local memory.
  std::optional<uint32_t> stack; ///< With all it calls. None: can't be known.
  uint64_t shared = 0, parameters = 0, compilerConstants = 0;
  bool dynamicShared = false;
};

/// What host code has to do with the device code of a link, for whoever links
/// its output again.
struct HostFacts {
  /// With --register-link-binaries: objects with host code, but without an id
  /// by which it could be registered, as clang's new driver makes them.
  std::vector<std::string> unregistered;
  // With -r.
  std::vector<std::string> moduleIds; ///< By which the inputs are registered.
  /// Names, parted by NULs, that host code refers to: what is in .nvHRKE,
  /// .nvHRKI, .nvHRDE, .nvHRDI, .nvHRCE and .nvHRCI of all inputs. None if one
  /// has no such lists.
  std::vector<std::string> lists;
};

/// What is known of an output that was made by linking.
struct LinkFacts {
  std::vector<KernelFacts> kernels; ///< By name.
  HostFacts host;
};

struct LinkResult {
  /// 0 for success; nvlink's: 255 after errors, 1 after a fatal one; ld.cuda's:
  /// 1 after any.
  int exitStatus = 0;
  /// All messages that a command line would have shown, in order.
  std::vector<Diagnostic> diagnostics;
  /// With OutputMode::Memory: the output, if the link succeeded, and what else
  /// the options ask for. Identifiers are the paths of the command line.
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> outputs;
  LinkFacts facts;

  bool succeeded() const { return exitStatus == 0; }
  /// The output of that name; null: there is none.
  const llvm::MemoryBuffer *getOutput(llvm::StringRef name) const;
};

LinkResult link(const LinkRequest &request);

/// Links as the command line `args` says, files and all. Returns true on
/// success. With `exitEarly` the process ends with _exit once everything is
/// written (status 0, 1 or 255 as nvlink's). With `disableOutput` no file is
/// written.
bool link(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out,
          llvm::raw_ostream &err, bool exitEarly, bool disableOutput);

/// The same, which maps inputs, with another mode.
bool link(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out,
          llvm::raw_ostream &err, bool exitEarly, bool disableOutput,
          InputMode inputs);

} // namespace lld::cuda

#endif
