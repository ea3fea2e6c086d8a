//===- FinalCode.cpp - The last changes to a function's code --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// finalizeFunction() turns the relocated bytes of one function into those that
/// the output gets. At the end of a link for sm_100 or later, the linker's
/// Finalizer.cpp calls it for each function that changes, either directly or
/// through a Rescheduler, which sets scoreboards before and after. The order
/// matters: the edit comes first, because the renewal of CUDA 12's code counts
/// cycles between the instructions that are left, and starts where the edit has
/// removed one.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/FinalCode.h"
#include "lld-cuda/FinalCode/OldestCode.h"
#include "lld-cuda/Sass/Code.h"

using namespace llvm;

namespace lld::cuda {

MutableArrayRef<uint8_t> copyBytes(ArrayRef<uint8_t> bytes,
                                   AllocateBytes allocate) {
  uint8_t *copy = allocate(bytes.size());
  llvm::copy(bytes, copy);
  return {copy, bytes.size()};
}

/// Indices of the instructions before which the edit has removed one.
static std::vector<uint32_t> findShortened(const CodeEdit *edit) {
  std::vector<uint32_t> shortened;
  if (edit)
    for (const CodeEdit::Change &c : edit->allChanges())
      if (c.removed)
        shortened.push_back(
            edit->newStart((uint64_t(c.index) + 1) * sass::InstructionSize) /
            sass::InstructionSize);
  return shortened;
}

Error finalizeFunction(const FunctionCode &f, AllocateBytes allocate,
                       FinalCode &out) {
  if (f.edit) {
    Expected<SmallVector<uint8_t, 0>> mercury =
        editCapmerc(*f.edit, f.native, f.mercury);
    if (!mercury)
      return mercury.takeError();
    out.mercury = copyBytes(*mercury, allocate);
    const size_t size = f.edit->newSize();
    out.native = {allocate(size), size};
    writeEditedCode(*f.edit, f.native, out.native.data());
  }
  // nvlink makes code of CUDA 12 as its own compiler would [mercury12-code].
  if (f.isOldest) {
    if (!f.edit)
      out.native = copyBytes(f.native, allocate);
    renewOldestCode(out.native, findShortened(f.edit));
  }
  return Error::success();
}

} // namespace lld::cuda
