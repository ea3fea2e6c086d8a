//===- OtherImages.h - What inputs hold and no link takes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Images of other architectures, and code that is linked already: for messages
/// that say what is there instead of what was looked for.
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

/// "sm_80, sm_90 and PTX for compute_90".
std::string describeImages(llvm::ArrayRef<FatbinEntry> entries);
/// Describes the images of a unit's first fatbin that has any; "" if there is
/// none.
std::string describeImages(const InputUnit &unit);
bool definesSymbol(const CubinFile &file, llvm::StringRef name);
/// Whether code that is linked already, of a host object, defines `name`.
bool definesInWholeProgram(const InputUnit &unit, llvm::StringRef name);
/// Whether an image of the unit that the link doesn't take defines `name`, or a
/// name for which `isWanted` holds.
bool definesInOtherImage(const InputUnit &unit, llvm::StringRef name);
bool definesInOtherImage(const InputUnit &unit,
                         llvm::function_ref<bool(llvm::StringRef)> isWanted);

} // namespace lld::cuda

#endif
