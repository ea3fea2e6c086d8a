//===- Unpacker.h - Takes device code out of one input ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The class that takes the device code out of one input (a cubin, fatbin, host
/// object, PTX or LTO file) and adds it to the input's InputUnit. The functions
/// of UnpackFiles.cpp that unpack a unit create one, when inputs are read. They
/// do so for many units in parallel, so an Unpacker changes its unit only.
/// UnpackFiles.cpp has the containers, UnpackCubins.cpp the checks of cubins.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_UNPACKER_H
#define LLD_CUDA_INPUT_UNPACKER_H

#include "Input/InputFiles.h"
#include "Inputs.h"
#include "lld-cuda/Object/OffloadBinary.h"

namespace lld::cuda {

/// Unpacks into `unit`. `inputs` and `unit` must outlive it, and so must the
/// bytes that it is given. Messages are added to `unit.told` and reported
/// later, in the order of the inputs.
class Unpacker {
public:
  Unpacker(const Inputs &inputs, InputUnit &unit)
      : Unpacker(inputs, unit, inputs.reading) {}
  Unpacker(const Inputs &inputs, InputUnit &unit, const LinkRelease &release)
      : inputs(inputs), unit(unit), rules(release.rules),
        choice(release.choice) {}

  /// Returns false, with an error added, if code for the cubin's architecture
  /// can't be linked for the target.
  bool checkArchitecture(const CubinFile &file);

  // Each takes the contents of one kind of file.
  void addHostObject(llvm::MemoryBufferRef data);
  void addFatbin(llvm::StringRef data);
  void addCubin(llvm::StringRef data);
  void addPTXFile(llvm::StringRef text);
  void addLtoFile(llvm::StringRef data);
  void addBitcode(llvm::StringRef data);

  /// The result of unpacking a fatbin or an image.
  enum class Outcome {
    Linked,     ///< The unit has got device code.
    Executable, ///< It is ignored, being linked already for instance.
    NotFound,   ///< There is no code for the target.
    Failed      ///< An error was added.
  };
  /// Unpacks the images that clang's offloading puts into a host object.
  Outcome addOffloadSection(llvm::StringRef data);
  /// Adds an image (a cubin) at `position` of the unit's list of cubins.
  Outcome addImage(llvm::StringRef data, size_t position);
  /// Like addImage(), for an image that this link has made itself.
  Outcome addOwnImage(llvm::StringRef data, size_t position) {
    isOwnData = true;
    return addImage(data, position);
  }

private:
  // The functions of UnpackFiles.cpp and UnpackCubins.cpp, which explain them.
  // Those that return bool return false if an error was added.
  int chooseEntry(llvm::ArrayRef<FatbinEntry> entries, unsigned toolkit) const;
  int chooseImage(llvm::ArrayRef<FatbinEntry> entries);
  std::optional<unsigned> readToolkit(const FatbinEntry &entry);
  Outcome addFatbinEntry(llvm::StringRef data);
  Outcome unpackEntry(const FatbinEntry &entry);
  void warnMissingArch(const llvm::Twine &has);
  Outcome addLtoEntry(const FatbinReader &reader, unsigned index,
                      llvm::StringRef fatbin);
  void addPTX(llvm::StringRef text, llvm::StringRef options);
  bool checkHeader(llvm::StringRef data);
  bool checkCubin(const CubinFile &file, CompiledFor &compiledFor);
  void explainNewer();
  bool checkToolkit(const CubinFile &file, uint32_t toolkit);
  /// Returns the toolkit whose rules say which architectures can be linked:
  /// `toolkit`, or a later one if that doesn't know the target.
  unsigned pairsToolkit(unsigned toolkit) const {
    const elf::ArchitectureLimits *target =
        elf::getArchitectureLimits(inputs.sm());
    return std::max(toolkit, target ? target->since : 0);
  }
  void setRegistration(const HostObject &object, bool isLinked, bool lacksArch);
  llvm::Error takeMemory(uint64_t size);
  llvm::Expected<llvm::StringRef>
  decode(const FatbinEntry &entry,
         llvm::function_ref<llvm::SmallVectorImpl<uint8_t> &()> getBuffer);
  Outcome damaged(llvm::Error error, MessageParts parts);
  Outcome damagedInput(const llvm::Twine &why);
  bool report(DiagId id, MessageParts parts);
  void explain(const llvm::Twine &line);

  const Inputs &inputs;
  InputUnit &unit;
  const LinkRules &rules;
  const ReleaseChoice &choice;
  /// The image is in the memory of this link, so other links can't share it.
  bool isOwnData = false;
};

} // namespace lld::cuda

#endif
