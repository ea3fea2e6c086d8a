//===- InputFiles.h - The inputs of a link ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The inputs of a link, and the functions that load them: from the inputs on
/// the command line, by way of archive members, fatbins in host objects and
/// entries of fatbins, to the cubins that are merged. Link.cpp calls
/// loadInputs() at the start of a link, before anything is merged. Inputs of
/// large links are loaded in parallel; their messages are kept, and reported in
/// order at the end. The LTO passes (Lto/), the merge and the reports use the
/// loaded inputs later.
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
struct ObjectFacts;
struct Inputs;
struct LinkInput;

/// A cubin that will be merged.
struct LoadedCubin {
  CubinFile file;
  /// The name in messages: "dir/x.o", "lib.a:member.o". Owned by the link.
  llvm::StringRef label;
  CompiledFor compiledFor;
  /// Null until mergeFile() comes to the cubin, if it may not be needed.
  const ObjectFacts *facts = nullptr;
  bool isOptimizedHere = false; ///< This link has made it from LTO IR.
};

/// PTX that is linked, and the options with which it was compiled before.
struct PtxSource {
  llvm::StringRef text, options;
  /// The number of the unit's cubins before it.
  size_t position = 0;
};

/// NVIDIA's LTO IR, which only NVIDIA's library can read.
struct LtoSource {
  bool isFatbinEntry; ///< If false, it is a file of its own.
  llvm::StringRef data, options;
  /// The second number of its version, of which the first is 1 (rule
  /// [lto-major] of docs/reference); 0 if it has none.
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
  /// The unit has an image of any kind, whether it is linked or not.
  bool anyDeviceCode = false;
  /// Cubins to merge, usually one; several for `ld -r` objects.
  std::vector<LoadedCubin> cubins;
  /// PTX that has to be compiled, which adds to `cubins`.
  std::vector<PtxSource> ptx;
  /// PTX isn't compiled, because the target is virtual.
  bool isLeftUncompiled = false;
  std::vector<LtoSource> ltoIR;
  std::vector<BitcodeSource> bitcode;
  /// LTO IR isn't used, although the link asks for it.
  bool ignoresLto = false;
  /// The memory of decompressed and compiled images, to which other members
  /// refer. A list never moves its elements, and needs no memory while empty.
  std::list<llvm::SmallVector<uint8_t, 0>> payloads;
  std::vector<std::shared_ptr<llvm::MemoryBuffer>> compiled;
};

/// How the host code in a unit is registered [register-file]. With Path, the
/// unit's id is its mangled label.
enum class Registration { None, ModuleIds, Path, Definitions };

/// What a unit says about host code.
struct UnitHost {
  // Lists of what the host code refers to [host-references].
  /// The unit contributes to the link. If it has no host lists, unused code
  /// isn't removed.
  bool countsForHostInfo = false;
  bool hasHostLists = false;
  llvm::StringRef kernelsExternal, kernelsInternal;
  llvm::StringRef variablesExternal, constantsExternal;
  llvm::StringRef variablesInternal, constantsInternal; ///< Used for LTO only.

  // Data for the register file.
  Registration registration = Registration::None;
  llvm::StringRef moduleIds;
  /// A host object whose device code is linked already: it was compiled without
  /// -rdc=true.
  bool isWholeProgram = false;
  /// An earlier device link has registered the unit; its cubins aren't linked.
  bool isRegistered = false;
  /// The unit has code from .llvm.offloading, which has no id.
  bool hasOffloadCode = false;
  /// The unit is the output of an earlier device link with -r of the objects
  /// whose ids it has [layer-object].
  bool isLayer = false;
  /// The layer that contains this unit's device code, so that the unit's cubins
  /// aren't linked; or null.
  const InputUnit *layer = nullptr;
};

/// Messages about a unit, reported when it is loaded or when a symbol is
/// missing.
struct UnitReport {
  /// Messages that aren't reported yet. loadInputs() reports all except those
  /// that ld.cuda keeps until reportMissingCode().
  std::vector<Diagnostic> messages;
  /// The error for a truncated cubin, kept until reportCutOffInputs().
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
  llvm::StringRef label; ///< The name in messages. Owned by the link.
  ContentKind kind = ContentKind::HostObject;
  /// The unit is an archive member, for which "SM Arch not found" isn't
  /// reported.
  bool isMember = false;
  /// A cubin in an archive that is linked only if it is needed.
  bool lazy = false;
  /// The unit's InputFile has the flag of this name.
  bool systemLibrary = false;
  llvm::StringRef data; ///< The file's or member's contents.
  /// The buffer that contains `data` for a member of a thin archive, which is a
  /// file of its own.
  std::shared_ptr<InputBuffer> buffer;
  /// The file in which `data` lies, until it is unpacked.
  const InputBuffer *source = nullptr;
  InputStore *store = nullptr; ///< See InputFile::store.

  UnitContents holds;
  UnitHost host;
  UnitReport told;
};

/// An input on the command line, or a library.
struct InputFile {
  std::string path; ///< The path as messages show it.
  /// The device runtime library, whose path contains "cudadevrt". It is linked
  /// only if a function is undefined when the merge reaches it
  /// [device-runtime].
  bool systemLibrary = false;
  bool takeWhole = false;       ///< --whole-archive.
  bool isDeviceLibrary = false; ///< --libdevice: bitcode, linked if needed.
  /// Set by the merge for a system library that isn't needed.
  bool dropped = false;
  std::shared_ptr<InputBuffer> buffer;
  /// The store that links share for this file, or null.
  InputStore *store = nullptr;
  llvm::sys::fs::UniqueID id;       ///< Identifies the file, if there is one.
  std::vector<Diagnostic> messages; ///< Messages that aren't reported yet.
  std::vector<InputUnit> units; ///< These stay where they are if a file moves.
};

/// Returns whether a file is the toolkit's device runtime, libcudadevrt.a.
inline bool isDeviceRuntime(const Config &config, const InputFile &file) {
  return config.isCommandLine ? llvm::StringRef(file.path).contains("cudadevrt")
                              : file.systemLibrary;
}

/// Opens, identifies and unpacks all inputs into inputs.files, and reports
/// errors in them.
void loadInputs(Inputs &inputs);
/// Reports the messages about a unit. ld.cuda keeps the message that it has no
/// code for the target: an error about an undefined symbol may say so later.
void reportUnit(const Inputs &inputs, InputUnit &unit);
/// Reports the messages that reportUnit() has kept, unless an error about an
/// undefined symbol has said the same.
void reportMissingCode(Inputs &inputs);

/// Reports the errors for truncated cubins that have not been reported yet.
void reportCutOffInputs(Inputs &inputs);

/// Asks lld-cuda-lto for the symbols of all bitcode, if there is any. Defined
/// in LtoLlvm.cpp.
void readBitcodeSymbols(Inputs &inputs);

/// Decides which lazy units are linked. Defined in LazyMembers.cpp.
void selectLazyMembers(Inputs &inputs);

/// A file that was opened and read, or why that failed.
struct OpenedFile {
  std::shared_ptr<InputBuffer> buffer; ///< Null if it can't be read.
  bool changed = false;                ///< It was written to meanwhile.
  std::error_code error;               ///< The system's error.
  llvm::sys::fs::UniqueID id;
};

/// Opens and reads a file. With `lazy` only those parts of an archive are read
/// that are loaded (InputBuffer::load()).
OpenedFile openFile(const Inputs &inputs, const std::string &path,
                    bool lazy = false);

/// Opens and reads an input, only once for links that share a store.
OpenedFile openInput(const Inputs &inputs, const std::string &path,
                     bool lazy = false);

/// A file that an option names. --reproduce packs it, too.
struct OptionFile {
  std::string option; ///< The text before the path, "--version-script=".
  std::string path;
  OpenedFile file;
};

/// Reads a file that an option names into inputs.optionFiles. Returns null
/// after an error, which is reported.
const OptionFile *readOptionFile(Inputs &inputs, llvm::StringRef option,
                                 llvm::StringRef path);

/// Returns the error about a file that couldn't be read.
Diagnostic openError(const OpenedFile &file, llvm::StringRef path);

/// Returns the error about a file that was written to during the link.
Diagnostic changedError(llvm::StringRef path);

/// Reports inputs that were written to after the link had read them. Must be
/// called once, when all that the link needs of them is in the output.
void reportChangedInputs(const Inputs &inputs);

/// The library that a -l option means.
struct FoundLibrary {
  std::string path; ///< The path as messages show it.
  OpenedFile file;
};

/// Searches the library of a -l option. Returns nullopt if there is none.
/// Defined in Libraries.cpp.
std::optional<FoundLibrary> findLibrary(Inputs &inputs, llvm::StringRef name);

bool isPTX(llvm::StringRef text);

/// Adds the device code in `data`, which must outlive the unit, to unit.holds.
/// Defined in UnpackFiles.cpp.
void unpackUnit(const Inputs &inputs, InputUnit &unit,
                llvm::MemoryBufferRef data);

/// Checks whether the unit's cubins can be linked for the target, by the rules
/// of the release that the inputs have chosen. Adds a message if not. Defined
/// in UnpackFiles.cpp.
void recheckArchitectures(const Inputs &inputs, InputUnit &unit);

/// Adds a message if a unit has code but no LTO IR, although the link asks for
/// LTO. Defined in UnpackFiles.cpp.
void noteCodeWithoutLto(const Inputs &inputs, InputUnit &unit);

/// Unpacks a unit again, without its LTO IR but with the other code in it, and
/// compiles its PTX. Defined in UnpackFiles.cpp.
void unpackWithoutLto(Inputs &inputs, InputUnit &unit);

/// Compiles the PTX of units with ptxas. Defined in PtxCompiler.cpp.
void compilePtx(Inputs &inputs, llvm::ArrayRef<InputUnit *> units);

/// Inserts the image that PTX was compiled to before the cubin at `position`.
/// Returns false if there is a fatal message. Defined in UnpackFiles.cpp.
bool addCompiledImage(const Inputs &inputs, InputUnit &unit,
                      llvm::StringRef data, size_t position);

/// Adds a warning about an ignored file. nvlink ignores it silently; so does
/// the nvlink flavour, unless such warnings are asked for or, with `isLoss`,
/// what is ignored may be device code.
void addIgnoredWarning(const Config &config, std::vector<Diagnostic> &messages,
                       MessageParts parts, bool isLoss);

} // namespace lld::cuda

#endif
