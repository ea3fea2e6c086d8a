//===- DeviceLink.h - Device links for several architectures ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// ld.cuda's device link: links for several architectures in parallel in one
/// process, packs the images into one fatbin, and puts the fatbin into a host
/// object. nvcc runs nvlink once for each architecture, fatbinary and a host
/// compiler for this (rule [device-link] of docs/reference).
///
/// runCommandLine() in Driver.cpp asks for each command line, before it is
/// read, whether it is a device link, and then calls linkDevice() instead of
/// making a link of its own.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_DEVICELINK_H
#define LLD_CUDA_DRIVER_DEVICELINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace lld::cuda {

class ProgressLine;

/// Returns whether options of ld.cuda ask for a device link: --host-object,
/// --fatbin or -gencode is among them, before any "-flavor nvlink". Response
/// files among them are not read.
bool hasDeviceLinkOptions(llvm::ArrayRef<const char *> words);

/// Returns whether a command line, with the program's name in front, or a
/// response file on it asks for a device link. Returns false without reading
/// any response file if one of them isn't a regular file: a pipe can be read
/// only once.
bool isDeviceLink(llvm::ArrayRef<const char *> args);

/// Performs the device link and returns the exit status of the program. `args`
/// begins with the program's name. Either all outputs are written or none; with
/// `disableOutput` none is written. `ownsProcess`: the process does nothing
/// else and ends after this call, so limits apply to it as a whole, and memory
/// isn't freed. Progress is shown on `line`.
int linkDevice(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out,
               llvm::raw_ostream &err, bool disableOutput, bool ownsProcess,
               ProgressLine &line);

} // namespace lld::cuda

#endif
