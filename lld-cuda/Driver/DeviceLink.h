//===- DeviceLink.h - A device link from inputs to host object --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What nvcc needs an nvlink for each architecture, fatbinary and a host
/// compiler for: links for several architectures, at once and in one process,
/// whose images go into one fatbin, and that into an object for the host
/// [device-link].
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_DEVICELINK_H
#define LLD_CUDA_DRIVER_DEVICELINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace lld::cuda {

class ProgressLine;

/// Whether options of ld.cuda, without files of options, ask for more than one
/// cubin.
bool hasDeviceLinkOptions(llvm::ArrayRef<const char *> words);

/// Whether ld.cuda's command line does, or a file of options on it. Pipes are
/// not looked at.
bool isDeviceLink(llvm::ArrayRef<const char *> args);

/// Carries it out and returns the exit status. All outputs are written, or
/// none. With `disableOutput` none. `ownsProcess`: it does nothing else, and
/// ends afterwards. `line` tells how far it is.
int linkDevice(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out,
               llvm::raw_ostream &err, bool disableOutput, bool ownsProcess,
               ProgressLine &line);

} // namespace lld::cuda

#endif
