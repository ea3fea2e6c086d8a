//===- DeviceLinkOptions.h - Options of a device link -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The options of a device link (DeviceLink.h): its target architectures, its
/// outputs, and the command-line arguments that the link for each architecture
/// gets. linkDevice() in DeviceLink.cpp expands response files with
/// expandWords() and reads the command line into a DeviceLinkOptions, once,
/// before it starts the links.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_DEVICELINKOPTIONS_H
#define LLD_CUDA_DRIVER_DEVICELINKOPTIONS_H

#include "Rules/Config.h"
#include "lld-cuda/Object/FatbinWriter.h"
#include "lld-cuda/Support/Limits.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"
#include <string>
#include <vector>

namespace lld::cuda {

/// The options, decoded. Owns its texts.
struct DeviceLinkOptions {
  std::string program;
  /// The flavour of each link, which follows from the program's name.
  Flavor flavor = Flavor::LLD;
  /// The real targets, such as "sm_90", in the command line's order.
  std::vector<std::string> targets;
  /// The first virtual target, "compute_90" or "lto_90". If `targets` is empty,
  /// there is no image, and the CUDA driver compiles the inputs' PTX.
  std::string virtualTarget;
  bool isDefaultTarget = false;   ///< The target comes from --default-arch.
  std::vector<std::string> words; ///< The arguments that each link gets.
  std::string hostObject, fatbin, cubin, host, registerFile;
  std::vector<std::string> optionsFiles; ///< The response files that were read.
  std::vector<std::string> reports;      ///< --resource-report
  std::string reproducer;                ///< --reproduce
  std::string identifier; ///< --fatbin-ident: the name of each image.
  FatbinCompression compression = FatbinCompression::Default;
  bool compressesAll = false; ///< --compress-all
  ProgressMode progress = ProgressMode::Auto;
  unsigned threads = 0; ///< 0 means as many as there are processors.
  Limits limits;        ///< --memory-limit, --time-limit
  bool isDebug = false;
  bool isRelocatable = false; ///< -r: the host object is linked again later.

  /// Returns whether `path` means standard output. In the nvlink flavour "-" is
  /// a file's name like any other.
  bool isStandardOutput(llvm::StringRef path) const {
    return path == "-" && flavor == Flavor::LLD;
  }
  /// Returns whether an output is written to standard output, where nothing
  /// else may be printed then.
  bool writesToStandardOutput() const {
    return isStandardOutput(hostObject) || isStandardOutput(fatbin) ||
           isStandardOutput(cubin);
  }
};

/// Reads the command line `args`, which begins with the program's name and in
/// which response files have been expanded (expandWords()). The error says
/// which option is wrong.
llvm::Expected<DeviceLinkOptions>
readDeviceLinkOptions(llvm::ArrayRef<const char *> args);

/// Appends `args` to `expanded`, with each response file replaced by the
/// arguments in it, and the names of these files to `files`. `saver` owns the
/// new arguments. The error says which file can't be read, or is too large.
llvm::Error expandWords(llvm::ArrayRef<const char *> args,
                        llvm::StringSaver &saver,
                        llvm::SmallVectorImpl<const char *> &expanded,
                        std::vector<std::string> &files);

} // namespace lld::cuda

#endif
