//===- InputFiles.h - Opening and identifying input files -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From the command line's words to the cubins that are merged: files, members
/// of archives, fatbins in host objects, entries of fatbins. All inputs are
/// opened and checked before anything is merged, in parallel for large links;
/// their messages are kept and reported in order at the end.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_INPUTFILES_H
#define LLD_CUDA_INPUT_INPUTFILES_H

#include "Input/InputBuffer.h"
#include "Messages/Diagnostics.h"
#include "Rules/Config.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/HostObject.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

class InputStore;
struct Inputs;
struct LinkInput;

/// A cubin that will be merged, as far as it can be prepared by itself.
struct LoadedCubin {
  CubinFile file;
  /// Name in messages: "dir/x.o", "lib.a:member.o". The unit's, or a text in
  /// the link's memory.
  llvm::StringRef label;
  CompiledFor compiledFor;
  bool isOptimizedHere = false; ///< Made of LTO IR by this link.
};

/// PTX that takes part in the link, and how it was compiled before.
struct PtxSource {
  llvm::StringRef text, options;
  /// How many cubins of the unit stand before it.
  size_t position = 0;
};

/// NVIDIA's LTO IR, which only NVIDIA's library can read.
struct LtoSource {
  bool isFatbinEntry; ///< Else a file of its own.
  llvm::StringRef data, options;
  /// The second number of its version; the first is 1 [lto-major]. 0: none.
  unsigned version = 0;
};

/// A symbol of LLVM bitcode; the flags are those of lld-cuda/Lto/Protocol.h.
struct BitcodeSymbol {
  llvm::StringRef name, flags;
  bool has(char flag) const { return flags.contains(flag); }
};

/// A module of LLVM bitcode, which lld-cuda-lto compiles.
struct BitcodeSource {
  llvm::StringRef data;
  std::vector<BitcodeSymbol> symbols; ///< As lld-cuda-lto lists them.
};

struct InputUnit;

/// What the bytes of a unit are.
enum class ContentKind : uint8_t {
  Cubin,
  PTX,
  Fatbin,
  HostObject,
  LTOIR,
  Bitcode,
  OffloadBinary
};

/// What a unit brings to the link.
struct UnitContents {
  /// An image of any kind, whether the link takes it or not.
  bool anyDeviceCode = false;
  /// Cubins to merge, usually one; several for `ld -r` objects.
  llvm::SmallVector<LoadedCubin, 1> cubins;
  /// To be compiled; becomes cubins, too.
  std::vector<PtxSource> ptx;
  bool isLeftUncompiled = false; ///< Its code: the target is virtual.
  std::vector<LtoSource> ltoIR;
  std::vector<BitcodeSource> bitcode;
  /// LTO IR isn't taken although the link asks for it.
  bool ignoresLto = false;
  /// Decompressed, and compiled, what others refer to. A list: it moves none
  /// when it grows, and takes no memory while empty.
  std::list<llvm::SmallVector<uint8_t, 0>> payloads;
  std::vector<std::shared_ptr<llvm::MemoryBuffer>> compiled;
};

/// How the host code that a unit holds is registered [register-file]. Path: it
/// is the label that is mangled.
enum class Registration { None, ModuleIds, Path, Definitions };

/// What a unit says about host code.
struct UnitHost {
  // What it refers to [host-references].
  /// Contributes to the link, so that without host lists pruning is off.
  bool countsForHostInfo = false;
  bool hasHostLists = false;
  llvm::StringRef kernelsExternal, kernelsInternal;
  llvm::StringRef variablesExternal, constantsExternal;
  llvm::StringRef variablesInternal, constantsInternal; ///< For LTO only.

  // For the register file.
  Registration registration = Registration::None;
  llvm::StringRef moduleIds;
  /// A host object with code that is linked, since -rdc=true was missing.
  bool isWholeProgram = false;
  /// An earlier device link has registered it: its cubins aren't linked.
  bool isRegistered = false;
  /// Has code from .llvm.offloading, which has no id.
  bool hasOffloadCode = false;
  /// What it holds is linked of the objects whose ids it has [layer-object].
  bool isLayer = false;
  /// The layer that its device code is in: its cubins aren't linked.
  const InputUnit *layer = nullptr;
};

/// What is said about a unit, now or where a symbol is missed.
struct UnitReport {
  /// Empty once loadInputs() has reported them, but for what ld.cuda holds
  /// back until reportMissingCode().
  std::vector<Diagnostic> messages;
  /// The error for a cubin that is cut off, until reportCutOffInputs().
  std::optional<Diagnostic> cutOff;
  /// A message about an undefined symbol has said that code for the target is
  /// missing here.
  bool isMissingCode = false;
  /// A member that is a cubin for another architecture, or, in the nvlink
  /// flavour, any cubin. Not linked; explanations look into it.
  bool isIgnoredCubin = false;
  std::vector<double> compileTimes; ///< In milliseconds, for -time.
};

/// A file or archive member: the unit in which inputs are processed.
struct InputUnit {
  std::string label;
  ContentKind kind = ContentKind::HostObject;
  /// A member of an archive; these have no "SM Arch not found".
  bool isMember = false;
  /// A cubin in an archive that is linked only if it is needed.
  bool lazy = false;
  /// Belongs to an InputFile with that flag.
  bool systemLibrary = false;
  llvm::StringRef data; ///< The file's or member's contents.
  /// What the contents lie in, beyond the file's own buffer: a file of a thin
  /// archive.
  std::shared_ptr<InputBuffer> buffer;
  /// The file in which `data` lies, until it is unpacked.
  const InputBuffer *source = nullptr;
  InputStore *store = nullptr; ///< As InputFile::store.

  UnitContents holds;
  UnitHost host;
  UnitReport told;
};

/// One word of the command line, or one library.
struct InputFile {
  std::string path; ///< As messages name it.
  /// The path contains "cudadevrt": used only when a function is undefined at
  /// its turn [device-runtime].
  bool systemLibrary = false;
  bool takeWhole = false;       ///< --whole-archive.
  bool isDeviceLibrary = false; ///< --libdevice: bitcode, taken if needed.
  /// Set by the merge: a system library that nobody needed.
  bool dropped = false;
  std::shared_ptr<InputBuffer> buffer;
  /// What links share of it; null: nothing.
  InputStore *store = nullptr;
  llvm::sys::fs::UniqueID id;       ///< Identifies the file, if there is one.
  std::vector<Diagnostic> messages; ///< As UnitReport::messages.
  std::vector<InputUnit> units;
};

/// Whether a file is the toolkit's device runtime library, libcudadevrt.a.
inline bool isDeviceRuntime(const Config &config, const InputFile &file) {
  return config.isCommandLine ? llvm::StringRef(file.path).contains("cudadevrt")
                              : file.systemLibrary;
}

/// Opens, identifies and unpacks all inputs into inputs.files, and reports what
/// is wrong with them.
void loadInputs(Inputs &inputs);
/// What there is to say about an input. ld.cuda doesn't say yet that it has no
/// code for the target: a symbol that is missed may say so.
void reportUnit(const Inputs &inputs, InputUnit &unit);
/// What that has held back and nothing has said since.
void reportMissingCode(Inputs &inputs);

/// The errors for cubins that are cut off, if they have not been reported.
void reportCutOffInputs(Inputs &inputs);

/// Asks lld-cuda-lto for the symbols of all bitcode, if there is any.
/// LtoLlvm.cpp.
void readBitcodeSymbols(Inputs &inputs);

/// Decides about the lazy units. LazyMembers.cpp.
void selectLazyMembers(Inputs &inputs);

struct OpenedFile {
  std::shared_ptr<InputBuffer> buffer; ///< Null if it can't be read,
  bool changed = false;                ///< because it is being written to,
  std::error_code error;               ///< or the system says so.
  llvm::sys::fs::UniqueID id;
};

/// Reads a file. Of an archive only what is loaded, if it is `lazy`.
OpenedFile openFile(const Inputs &inputs, const std::string &path,
                    bool lazy = false);

/// Opens and reads an input: links that share a store have it read once.
OpenedFile openInput(const Inputs &inputs, const std::string &path,
                     bool lazy = false);

/// A file that an option names, and that --reproduce packs.
struct OptionFile {
  std::string option; ///< In front of the name, e.g. "--version-script=".
  std::string path;
  OpenedFile file;
};

/// Reads one into inputs.optionFiles. Null: there is an error.
const OptionFile *readOptionFile(Inputs &inputs, llvm::StringRef option,
                                 llvm::StringRef path);

/// What is said about a file without a buffer.
Diagnostic openError(const OpenedFile &file, llvm::StringRef path);

/// What is said about a file that was written to during the link.
Diagnostic changedError(llvm::StringRef path);

/// Reports inputs that were written to since the link looked at them. To be
/// called once, when everything that is taken from them is in the output.
void reportChangedInputs(const Inputs &inputs);

struct FoundLibrary {
  std::string path; ///< As messages name it.
  OpenedFile file;
};

/// A -l option; nothing if there is no such library. Libraries.cpp.
std::optional<FoundLibrary> findLibrary(Inputs &inputs, llvm::StringRef name);

bool isPTX(llvm::StringRef text);

/// Takes the device code out of `data`, which outlives the unit.
/// UnpackFiles.cpp.
void unpackUnit(const Inputs &inputs, InputUnit &unit,
                llvm::MemoryBufferRef data);

/// Whether the unit's cubins link for the target, by the release that the
/// inputs have chosen; messages if not. UnpackFiles.cpp.
void recheckArchitectures(const Inputs &inputs, InputUnit &unit);

/// Tells that a unit's code isn't LTO IR although the link asks for that.
/// UnpackFiles.cpp.
void noteCodeWithoutLto(const Inputs &inputs, InputUnit &unit);

/// Takes what lies beside the LTO IR, which has been taken, and compiles it.
/// UnpackFiles.cpp.
void unpackWithoutLto(Inputs &inputs, InputUnit &unit);

/// Compiles the PTX of inputs by ptxas. PtxCompiler.cpp.
void compilePtx(Inputs &inputs, llvm::ArrayRef<InputUnit *> units);

/// Adds what PTX was compiled to before the cubin at `position`. False: there
/// is a fatal message. UnpackFiles.cpp.
bool addCompiledImage(const Inputs &inputs, InputUnit &unit,
                      llvm::StringRef data, size_t position);

/// For a file that nvlink passes over without a word. So do we in its flavour,
/// unless warnings about that are asked for, or something that may be device
/// code is lost.
void addIgnoredWarning(const Config &config, std::vector<Diagnostic> &messages,
                       MessageParts parts, bool isLoss);

} // namespace lld::cuda

#endif
