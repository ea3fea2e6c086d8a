//===- DeviceLinkOptions.h - The command line of a device link --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Options of a device link: which targets there are, which outputs are wanted,
/// and the words that every architecture's link gets. DeviceLink.cpp reads the
/// command line into it before it makes the links.
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

struct DeviceLinkOptions {
  std::string program;
  Flavor flavor =
      Flavor::LLD; ///< The flavour of each link, by the program's name.
  std::vector<std::string> targets; ///< "sm_90", "sm_100a", in order.
  /// "compute_90" or "lto_90", the first. Without another target there is no
  /// image: the driver compiles what the inputs have.
  std::string virtualTarget;
  bool isDefaultTarget = false;   ///< --default-arch
  std::vector<std::string> words; ///< For each link.
  std::string hostObject, fatbin, cubin, host, registerFile;
  std::vector<std::string> optionsFiles; ///< Where options were.
  std::vector<std::string> reports;      ///< --resource-report
  std::string reproducer;                ///< --reproduce
  std::string identifier;                ///< --fatbin-ident: of each image.
  FatbinCompression compression = FatbinCompression::Default;
  bool compressesAll = false; ///< --compress-all
  ProgressMode progress = ProgressMode::Auto;
  unsigned threads = 0; ///< 0: as many as there are processors.
  Limits limits;        ///< --memory-limit, --time-limit
  bool isDebug = false;
  bool isRelocatable = false; ///< -r: the host object is a layer.

  /// The name of nvlink's outputs is a file's, whatever it is.
  bool isStandardOutput(llvm::StringRef path) const {
    return path == "-" && flavor == Flavor::LLD;
  }
  /// One of the outputs goes there, and nothing else may.
  bool writesToStandardOutput() const {
    return isStandardOutput(hostObject) || isStandardOutput(fatbin) ||
           isStandardOutput(cubin);
  }
};

llvm::Expected<DeviceLinkOptions>
readDeviceLinkOptions(llvm::ArrayRef<const char *> args);

/// `args` with the words of files of options in their place; `files` are those.
llvm::Error expandWords(llvm::ArrayRef<const char *> args,
                        llvm::StringSaver &saver,
                        llvm::SmallVectorImpl<const char *> &expanded,
                        std::vector<std::string> &files);

} // namespace lld::cuda

#endif
