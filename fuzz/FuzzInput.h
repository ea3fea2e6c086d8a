//===- FuzzInput.h - Several link inputs in one fuzz input ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What LinkFuzzer runs on: options and files in one string of bytes, made so
/// that any string is a valid one.
///
///   u8   architecture: its number in LinkArchitectures
///   u32  options, one bit each: FuzzOptions, or LldOptions if bit 31 is set
///   files, each:
///     u8   kind: LinkFileKind
///     u24  size, little endian; a larger one than what is left means the rest
///     bytes
///
/// scripts/fuzz.sh packs the tests' inputs like this (pack-link-seeds).
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

/// Also known to pack-link-seeds, by position; append only.
constexpr const char *LinkArchitectures[] = {
    "sm_75",      "sm_80",  "sm_86",   "sm_87",  "sm_88",  "sm_89",
    "sm_90",      "sm_90a", "sm_100",  "sm_103", "sm_120", "sm_121",
    "compute_80", "sm_110", "sm_100a", "sm_120a"};

/// By bit number, for nvlink. @ stands for a directory.
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

/// By bit number, for ld.cuda.
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
                                      "--preserve-relocs"};
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

/// Changes one thing in a file that a linker would trip over: a field of a
/// header, of a section, a symbol, a relocation, a record. False: it is no file
/// with such things.
bool mutateStructure(std::string &bytes, uint64_t seed);

} // namespace lld::cuda::fuzz

#endif
