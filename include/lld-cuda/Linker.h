//===- Linker.h - The linker as a library -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The linker as a library: links in the caller's process. The programs nvlink
/// and ld.cuda (tools/lld-cuda) call link() with their command line; the C
/// interface (bindings/c) and other users' programs describe a link as data.
/// Session.h has links whose inputs are added one by one. Inputs are data, with
/// a name for messages:
///
///   LinkRequest request;
///   request.options.arch = "sm_90";
///   request.inputs = {LinkInput::bytes(a), LinkInput::bytes(b, "b")};
///   LinkResult result = link(request);
///   if (const MemoryBuffer *image = result.getImage())
///     load(*image);
///
/// Alternatively, there is a command line, with files in memory:
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
/// Links don't share state: several may run at once in different threads. A
/// stream that is passed to a link must not be used by others while the link
/// runs; even llvm::nulls() may be passed by one thread only.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LINKER_H
#define LLD_CUDA_LINKER_H

#include "lld-cuda/Linker/Diagnostic.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lld::cuda {

/// How initialised variables of 1 MB and more get into memory. All other
/// contents of inputs are read.
enum class InputMode {
  /// Mapped, which is fastest. If another process truncates the file during the
  /// link, access to it raises SIGBUS. The program lld-cuda handles that signal
  /// (tools/lld-cuda/main.cpp); the library doesn't install signal handlers.
  Map,
  /// Read, for processes that must survive whatever happens to the files.
  Read
};

/// Where a link writes its outputs.
enum class OutputMode {
  Files,
  /// Outputs are in the result. No file is written, except temporary files if
  /// ptxas or link-time optimization takes part. The table of -time and the
  /// archive of --reproduce aren't made.
  Memory,
  None
};

/// The format of an input.
enum class InputKind : uint8_t {
  Any, ///< Detected from the contents.
  Cubin,
  PTX,
  LtoIR, ///< NVIDIA's LTO IR, for links with LinkOptions::lto.
  Fatbin,
  Object, ///< A host object with fatbins, or a cubin.
  Archive
};

/// An input that is read once and used by many links, in any threads: its
/// bytes, and what links have found out about them. See prepareInput().
class PreparedInput;

/// An input of a link. Its name is for messages only: it is never an option,
/// its suffix has no meaning, and inputs with the same name are different
/// inputs.
struct LinkInput {
  InputKind kind = InputKind::Any;
  /// The bytes of the input; if there are none, the file at `path` is read.
  /// They need not outlive the link. PTX ends at the first NUL, if there is
  /// one.
  std::optional<llvm::StringRef> contents;
  std::string path;
  /// If set, used instead of `contents` and `path`.
  std::shared_ptr<PreparedInput> prepared;
  std::string name; ///< If empty, the path, or "<input 3>" without one.
  /// Like libcudadevrt on a command line, it is linked only if there are
  /// undefined symbols when its turn comes.
  bool isTakenIfNeeded = false;

  static LinkInput bytes(llvm::StringRef contents, std::string name = {},
                         InputKind kind = InputKind::Any) {
    LinkInput input;
    input.kind = kind;
    input.contents = contents;
    input.name = std::move(name);
    return input;
  }
  static LinkInput file(std::string path, InputKind kind = InputKind::Any) {
    LinkInput input;
    input.kind = kind;
    input.path = std::move(path);
    return input;
  }
};

/// Which linker the note in the image (.note.nv.tkinfo) names.
enum class LinkNote : uint8_t {
  Own,
  Nvlink,   ///< The note that --nvlink-note writes.
  NvJitLink ///< What libnvJitLink writes, for all options.
};

/// PTX that LinkOptions::compilePtx has to compile. The members live as long as
/// the call.
struct CompileRequest {
  llvm::StringRef text, name;
  llvm::StringRef arch;
  llvm::ArrayRef<std::string> options; ///< Options of ptxas, without -arch.
};
/// What LinkOptions::compilePtx returns. `cubin` may be null after a failure.
struct CompiledCode {
  bool succeeded = false;
  std::string log; ///< Messages, in the format of ptxas.
  std::unique_ptr<llvm::MemoryBuffer> cubin;
};

/// The options of a link without a command line.
struct LinkOptions {
  std::string arch; ///< The target: "sm_90".
  /// The CUDA release whose rules apply: "13.5.37", "13.5", "newest"; if empty,
  /// it is chosen by the inputs.
  std::string release;
  bool relocatable = false; ///< Like -r.
  bool debug = false;       ///< Like -g.
  bool lto = false;         ///< Inputs may be LTO IR.
  /// Like --nvlink-compat: also imitates nvlink's mistakes.
  bool exact = false;
  bool verbose = false; ///< Like -v: reports the resources of kernels.
  /// Like -ignore-host-info: keeps kernels to which no host code refers.
  bool ignoreHostInfo = false;
  LinkNote note = LinkNote::Own;
  /// Kernels and variables to keep: those whose names contain one of these.
  std::optional<std::vector<std::string>> kernelsUsed, variablesUsed;
  /// Compiles PTX; called by several threads at once. If not set, ptxas is run.
  std::function<CompiledCode(const CompileRequest &)> compilePtx;
  // PTX is compiled by this ptxas, with at most that many registers (0 for no
  // limit) and with these options besides. LTO IR is compiled by this
  // libnvJitLink.
  std::string ptxasPath;
  int maxRegisters = 0;
  std::vector<std::string> ptxasOptions;
  std::string nvJitLinkPath;
  /// The folder that caches the compilers' results for later links; if empty,
  /// there is no cache.
  std::string cacheFolder;
  std::string cachePolicy; ///< In the syntax of --cache-policy.
  /// The folder for the compilers' files. The environment isn't asked for
  /// another one.
  std::string temporaryDirectory = "/tmp";
  unsigned threads = 0; ///< The most threads; 0 for one for each processor.
  /// The image's name; with OutputMode::Files, its path.
  std::string output = "linked.cubin";
};

/// Describes a link: either by `inputs` and `options`, or by a command line.
struct LinkRequest {
  /// If there are none, the image is empty.
  std::vector<LinkInput> inputs;
  /// Used without a command line. Such a link doesn't read the environment.
  LinkOptions options;

  /// The command line. args[0] is the program's name, which decides the
  /// flavour: "nvlink" or "ld.cuda".
  std::vector<std::string> args;
  /// Files in memory. Each replaces the file with its name
  /// (getBufferIdentifier) on the command line or, for libraries, in a
  /// directory of -L. The bytes need not outlive the link.
  std::vector<llvm::MemoryBufferRef> files;
  InputMode inputMode = InputMode::Read;
  OutputMode outputs = OutputMode::Memory;
  /// Receive what the program would print, or nothing if null. Messages are in
  /// the result as well.
  llvm::raw_ostream *out = nullptr, *err = nullptr;
};

/// The resources of a kernel of the output. Sizes are in bytes.
struct KernelFacts {
  std::string name;
  uint32_t registers = 0, barriers = 0;
  /// Local memory of the kernel itself, in bytes for each thread.
  uint32_t frame = 0;
  std::optional<uint32_t> stack; ///< Including its callees; nullopt if unknown.
  uint64_t shared = 0, parameters = 0, compilerConstants = 0;
  bool dynamicShared = false;
};

/// Information about host code that refers to the device code of a link, needed
/// to link the output again.
struct HostFacts {
  /// With --register-link-binaries: objects with host code, but without an id
  /// by which it could be registered, as clang's new driver makes them.
  std::vector<std::string> unregistered;
  // With -r.
  /// The ids by which the inputs are registered.
  std::vector<std::string> moduleIds;
  /// Names to which host code refers, separated by NULs: the contents of
  /// .nvHRKE, .nvHRKI, .nvHRDE, .nvHRDI, .nvHRCE and .nvHRCI of all inputs.
  /// Empty if an input has no such lists.
  std::vector<std::string> lists;
};

/// Facts about the output of a link.
struct LinkFacts {
  std::vector<KernelFacts> kernels; ///< Sorted by name.
  HostFacts host;
};

/// What a link returns. It owns all of it.
struct LinkResult {
  /// 0 for success. nvlink returns 255 after errors and 1 after a fatal one;
  /// ld.cuda returns 1 after any error.
  int exitStatus = 0;
  /// All messages that a command line would have shown, in order.
  std::vector<Diagnostic> diagnostics;
  /// With OutputMode::Memory: the output, if the link succeeded, and other
  /// files that the options request. Their identifiers are the paths on the
  /// command line.
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> outputs;
  LinkFacts facts;

  bool succeeded() const { return exitStatus == 0; }
  /// Returns the output with that name, or null. It belongs to this object.
  const llvm::MemoryBuffer *getOutput(llvm::StringRef name) const;
  /// Returns the image of a link without a command line, or null. It belongs to
  /// this object.
  const llvm::MemoryBuffer *getImage() const {
    return outputs.empty() ? nullptr : outputs.front().get();
  }
};

/// Performs a link. Errors are in the result. Thread-safe.
LinkResult link(const LinkRequest &request);

/// Reads an input once for many links; each link unpacks and checks only what
/// no earlier one has. The result owns its bytes, can be used by several
/// threads at once, and may be released while links that use it run. Returns
/// null if the input can't be read or isn't of its kind; `messages` say why, or
/// are empty if memory is exhausted. With `isForOneLink`, nothing is kept that
/// only other links would need.
std::shared_ptr<PreparedInput> prepareInput(const LinkInput &input,
                                            std::vector<Diagnostic> &messages,
                                            bool isForOneLink = false);

/// Returns the format of the contents; never Any.
InputKind kindOf(const PreparedInput &input);

/// Checks the options by themselves. The result has errors and warnings;
/// without an error, a link can use the options.
std::vector<Diagnostic> checkOptions(const LinkOptions &options);

/// Checks one input by itself: for damage, another architecture, or a wrong
/// kind. PTX and LTO IR aren't compiled. The result has errors and warnings;
/// without an error, a link can use the input.
std::vector<Diagnostic> checkInput(const LinkInput &input,
                                   const LinkOptions &options);

/// What can be found out about an input before the link.
struct InputFacts {
  std::vector<Diagnostic> messages; ///< The messages of checkInput().
  /// For an input that is PTX: the cubin, which a link can use instead.
  std::shared_ptr<llvm::MemoryBuffer> compiled;
};

/// Like checkInput(); with `compiles`, it also compiles an input that is PTX.
InputFacts examineInput(const LinkInput &input, const LinkOptions &options,
                        bool compiles);

/// Links as the command line `args` says, reading and writing files. Returns
/// true on success; messages are printed to `out` and `err`. With `exitEarly`,
/// the process ends with _exit() once everything is written (status 0, 1 or
/// 255, like nvlink). With `disableOutput`, no file is written.
bool link(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out,
          llvm::raw_ostream &err, bool exitEarly, bool disableOutput);

/// Like link() above; `inputs` says whether inputs are mapped or read.
bool link(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out,
          llvm::raw_ostream &err, bool exitEarly, bool disableOutput,
          InputMode inputs);

} // namespace lld::cuda

#endif
