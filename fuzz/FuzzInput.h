//===- FuzzInput.h - The format of LinkFuzzer's inputs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The format of the inputs of two fuzzers: the options and files of a link in
/// one string of bytes, such that every string is valid. LinkFuzzer.cpp and
/// CApiFuzzer.cpp unpack each input that libFuzzer makes into a FuzzInput and
/// link it. LinkMutator.cpp, which makes new inputs, unpacks one, changes it
/// and packs it again.
///
///   u8   architecture: its number in LinkArchitectures
///   u32  options, one bit each: FuzzOptions, or LldOptions if bit 31 is set
///   files, each:
///     u8   kind: LinkFileKind
///     u24  size, little endian; a larger one than what is left means the rest
///     bytes
///
/// scripts/fuzz.sh packs inputs of tests in this format, by pack-link-seeds, as
/// the first inputs of a run.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FUZZ_FUZZINPUT_H
#define LLD_CUDA_FUZZ_FUZZINPUT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace lld::cuda::fuzz {

/// The architectures, by the numbers in inputs. pack-link-seeds has the same
/// list; new ones are added at the end.
constexpr const char *LinkArchitectures[] = {
    "sm_75",      "sm_80",  "sm_86",   "sm_87",  "sm_88",  "sm_89",
    "sm_90",      "sm_90a", "sm_100",  "sm_103", "sm_120", "sm_121",
    "compute_80", "sm_110", "sm_100a", "sm_120a"};

/// The options of nvlink, by bit number. The last '@' is replaced by a folder.
constexpr const char *FuzzOptions[] = {"-r",
                                       "-g",
                                       "-v",
                                       "-preserve-relocs",
                                       "-extrawarn",
                                       "-kernels-used=k",
                                       "-Werror",
                                       "--register-link-binaries=@reg",
                                       "--nvlink-compat",
                                       "-force-rela",
                                       "-suppress-debug-info",
                                       "--explain",
                                       "-dump-callgraph",
                                       "-ignore-host-info",
                                       "-keep-system-libraries",
                                       "--dot-file=@dot"};

/// The options of ld.cuda, by bit number. '@' is replaced by a folder.
constexpr const char *LldOptions[] = {"-r",
                                      "-g",
                                      "-Map=@map",
                                      "--cref",
                                      "--strip-debug",
                                      "--no-gc-sections",
                                      "--unresolved-symbols=ignore-all",
                                      "--allow-multiple-definition",
                                      "--whole-archive",
                                      "--print-memory-usage",
                                      "--print-gc-sections",
                                      "--fatal-warnings",
                                      "--dependency-file=@dep",
                                      "--reproduce=@repro.tar",
                                      "--nvlink-compat",
                                      "--preserve-relocs",
                                      "--budget=@budget",
                                      "--require-kernels=k,void t<int>()",
                                      "--require-kernels=@@kernels",
                                      "--require-kernels=,",
                                      "--require-kernels=@@missing",
                                      "--require-kernels=@@control"};
constexpr uint32_t LldFlavor = uint32_t(1) << 31;

enum class LinkFileKind : uint8_t {
  Cubin,
  Fatbin,
  Object,
  Archive,
  SystemLibrary, ///< An archive that is named like the device runtime.
  Count
};

struct LinkFile {
  LinkFileKind kind;
  std::string bytes;
};

struct FuzzInput {
  uint8_t architecture = 0;
  uint32_t options = 0;
  std::vector<LinkFile> files;

  static FuzzInput unpack(llvm::StringRef data);
  std::string pack() const;
};

/// Changes one field in a file: of a header, section, symbol, relocation or
/// record. `seed` says which. Returns false if the file has no such fields.
/// StructureMutator.cpp.
bool mutateStructure(std::string &bytes, uint64_t seed);

} // namespace lld::cuda::fuzz

#endif
