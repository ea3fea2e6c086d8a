//===- OtherImages.h - Device code that isn't linked ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that describe device code which the link doesn't use: images for
/// other architectures, and code that is linked already. The sources in
/// Explain/ call them for the notes below errors, and UnpackFiles.cpp for
/// warnings about a missing architecture, to say what an input has instead.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_OTHERIMAGES_H
#define LLD_CUDA_INPUT_OTHERIMAGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

class CubinFile;
struct FatbinEntry;
struct InputUnit;

/// Returns a list such as "sm_80, sm_90 and PTX for compute_90".
std::string describeImages(llvm::ArrayRef<FatbinEntry> entries);
/// Describes the images of a unit's first fatbin that has any; "" if there is
/// none.
std::string describeImages(const InputUnit &unit);
bool definesSymbol(const CubinFile &file, llvm::StringRef name);
/// Returns whether code in a host object that is linked already defines `name`.
bool definesInWholeProgram(const InputUnit &unit, llvm::StringRef name);
/// Returns whether an image of the unit that isn't linked defines `name`, or a
/// name for which `isWanted` returns true.
bool definesInOtherImage(const InputUnit &unit, llvm::StringRef name);
bool definesInOtherImage(const InputUnit &unit,
                         llvm::function_ref<bool(llvm::StringRef)> isWanted);

} // namespace lld::cuda

#endif
