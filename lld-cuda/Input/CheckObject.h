//===- CheckObject.h - What the merge relies on -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The checks of an object that go beyond those of the reader of cubins.
/// findObjectFacts() makes them when the object is read; Merge.cpp makes them
/// again, for the message, when the turn of an object comes that has failed.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_CHECKOBJECT_H
#define LLD_CUDA_INPUT_CHECKOBJECT_H

#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace lld::cuda {

class FactMemory;
struct ObjectFacts;

/// No device has so much memory by far, and sums of a link's sizes stay below
/// 2^64 when every one counts against it.
constexpr uint64_t MaxMemory = uint64_t(1) << 60;

/// Returns why an object can't be merged after others whose memory without
/// contents adds up to `total` bytes, or nullopt if it can; then its own is
/// added to `total`.
std::optional<std::string> checkObject(const CubinFile &file,
                                       const ObjectFacts &facts, bool isMercury,
                                       FactMemory &memory, uint64_t &total);

/// The size in bytes of an entry of a table of unified functions or variables.
constexpr size_t UnifiedEntrySize = 32;

/// Returns whether a native section describes code for a debugger.
bool isDebugSection(llvm::StringRef name);

} // namespace lld::cuda

#endif
