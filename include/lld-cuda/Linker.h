//===- Linker.h - The linker as a library -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Links in the user's process. Inputs are data, with a name for messages:
///
///   LinkRequest request;
///   request.options.arch = "sm_90";
///   request.inputs = {LinkInput::bytes(a), LinkInput::bytes(b, "b")};
///   LinkResult result = link(request);
///   if (const MemoryBuffer *image = result.getImage())
///     load(*image);
///
/// Or there is a command line, and files in memory:
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
/// Links don't share state: two may run at once in two threads. A stream that
/// is handed over is one link's as long as it runs, so llvm::nulls() is for one
/// thread only.
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

/// What the bytes of an input are. Any: told from the bytes themselves.
enum class InputKind : uint8_t {
  Any, ///< Its contents tell.
  Cubin,
  PTX,
  LtoIR, ///< NVIDIA's, for links with LinkOptions::lto.
  Fatbin,
  Object, ///< With host code and fatbins; a cubin will do.
  Archive
};

/// What is known of an input that many links use, in any threads: its bytes,
/// and what links have found out about them. See prepareInput().
class PreparedInput;

/// An input of a link. Its name is for messages only: it is never an option, no
/// suffix of it decides anything, and two inputs of one name are two.
struct LinkInput {
  InputKind kind = InputKind::Any;
  /// If there are none, the file at `path` is read. They need not outlive the
  /// link. Those of PTX end at the first NUL, if there is one.
  std::optional<llvm::StringRef> contents;
  std::string path;
  /// Stands for the file or contents, which aren't looked at.
  std::shared_ptr<PreparedInput> prepared;
  std::string name; ///< Empty: the path; if there is none, "<input 3>".
  /// Like libcudadevrt on a command line: taken only if something is undefined
  /// when its turn comes.
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

/// Who the note in the image (.note.nv.tkinfo) says has linked it.
enum class LinkNote : uint8_t {
  Own,
  Nvlink,   ///< As --nvlink-note.
  NvJitLink ///< What libnvJitLink writes, whatever the options are.
};

/// PTX that somebody else compiles.
struct CompileRequest {
  llvm::StringRef text, name;
  llvm::StringRef arch;
  llvm::ArrayRef<std::string> options; ///< ptxas's, without -arch.
};
struct CompiledCode {
  bool succeeded = false;
  std::string log; ///< Lines as ptxas prints them.
  std::unique_ptr<llvm::MemoryBuffer> cubin;
};

/// What a command line says by options.
struct LinkOptions {
  std::string arch; ///< The target: "sm_90".
  /// "13.5.37", "13.5", "newest"; empty: the inputs choose.
  std::string release;
  bool relocatable = false; ///< As -r.
  bool debug = false;       ///< As -g.
  bool lto = false;         ///< Inputs may be LTO IR.
  bool exact = false;       ///< As --nvlink-compat: mistakes, too.
  bool verbose = false;     ///< As -v: what the image needs.
  /// As -ignore-host-info: kernels stay that no host code refers to.
  bool ignoreHostInfo = false;
  LinkNote note = LinkNote::Own;
  /// Kernels and variables to keep: all whose name contains one of these.
  std::optional<std::vector<std::string>> kernelsUsed, variablesUsed;
  /// Compiles PTX; called by several threads at once. Without it ptxas runs.
  std::function<CompiledCode(const CompileRequest &)> compilePtx;
  // PTX is compiled by this ptxas, with that many registers at most (0: as many
  // as there are), and these options besides. LTO IR by this libnvJitLink.
  std::string ptxasPath;
  int maxRegisters = 0;
  std::vector<std::string> ptxasOptions;
  std::string nvJitLinkPath;
  /// Where what they make is kept for later links; empty: nowhere.
  std::string cacheFolder;
  std::string cachePolicy; ///< As of --cache-policy.
  /// For the compilers' files. Nothing asks the environment for another one.
  std::string temporaryDirectory = "/tmp";
  unsigned threads = 0; ///< At most; 0: as many as there are processors.
  /// The image's name: that of a file with OutputMode::Files.
  std::string output = "linked.cubin";
};

/// A link to be done: either `inputs` and `options`, or a command line.
struct LinkRequest {
  /// Without any the image is empty.
  std::vector<LinkInput> inputs;
  /// Without a command line; such a link doesn't look at the environment.
  LinkOptions options;

  /// The command line. args[0] is the program's name, which decides the
  /// flavour: "nvlink" or "ld.cuda".
  std::vector<std::string> args;
  /// Each takes the place of the file that has its name (getBufferIdentifier)
  /// on the command line or, for libraries, in a directory of -L. The bytes
  /// need not outlive the link.
  std::vector<llvm::MemoryBufferRef> files;
  InputMode inputMode = InputMode::Read;
  OutputMode outputs = OutputMode::Memory;
  /// What the program would print. Null: nowhere; messages are in the result.
  llvm::raw_ostream *out = nullptr, *err = nullptr;
};

/// What a kernel of the output needs.
struct KernelFacts {
  std::string name;
  uint32_t registers = 0, barriers = 0;
  uint32_t frame =
      0; ///< Local memory that the kernel itself takes, in bytes a thread.
  std::optional<uint32_t> stack; ///< With all it calls; none: can't be known.
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
  /// Without a command line: the image.
  const llvm::MemoryBuffer *getImage() const {
    return outputs.empty() ? nullptr : outputs.front().get();
  }
};

LinkResult link(const LinkRequest &request);

/// Reads an input once for many links: each unpacks and checks only what none
/// before it has. The result owns its bytes, doesn't change as far as links can
/// see, and may go while links that were given it run. Null: it can't be read,
/// or isn't of its kind, as `messages` say; without any there is no memory.
/// With `isForOneLink` nothing is kept that only another link would ask for.
std::shared_ptr<PreparedInput> prepareInput(const LinkInput &input,
                                            std::vector<Diagnostic> &messages,
                                            bool isForOneLink = false);

/// What its contents say that it is; never Any.
InputKind kindOf(const PreparedInput &input);

/// What is wrong with the options by themselves. Empty, or without an error: a
/// link can have them.
std::vector<Diagnostic> checkOptions(const LinkOptions &options);

/// What is wrong with one input by itself: damage, another architecture, a kind
/// that it hasn't got. PTX and LTO IR aren't compiled. Empty, or without an
/// error: a link can take it.
std::vector<Diagnostic> checkInput(const LinkInput &input,
                                   const LinkOptions &options);

/// What can be known of an input before the link.
struct InputFacts {
  std::vector<Diagnostic> messages; ///< As checkInput().
  /// If it is PTX by itself: the cubin, which a link can take in its place.
  std::shared_ptr<llvm::MemoryBuffer> compiled;
};

/// The same as checkInput(), and more. With `compiles` an input that is PTX by
/// itself is compiled.
InputFacts examineInput(const LinkInput &input, const LinkOptions &options,
                        bool compiles);

/// Links as the command line `args` says, files and all. Returns true on
/// success. With `exitEarly` the process ends with _exit once everything is
/// written (status 0, 1 or 255 as nvlink's). With `disableOutput` no file is
/// written.
bool link(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out,
          llvm::raw_ostream &err, bool exitEarly, bool disableOutput);

/// Links as the command line says; inputs are mapped or read as `inputs` says.
bool link(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out,
          llvm::raw_ostream &err, bool exitEarly, bool disableOutput,
          InputMode inputs);

} // namespace lld::cuda

#endif
