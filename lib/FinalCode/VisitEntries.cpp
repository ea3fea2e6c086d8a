//===- VisitEntries.cpp - The Mercury entries of a function ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads a .nv.capmerc.text section, which says which native instructions of a
/// function belong to one Mercury instruction, and passes its entries on.
/// ExitBarriers.cpp, OldestChanges.cpp, Reconvergence.cpp and SelfMoves.cpp
/// call it to find instructions that a link removes, when CodeEdit.cpp plans
/// the edit of a function. Entries that reach beyond the function's used
/// instructions are left out here, so that no caller has to check them.
///
//===----------------------------------------------------------------------===//

#include "VisitEntries.h"

using namespace llvm;

namespace lld::cuda {

Error visitEntries(ArrayRef<uint8_t> code, uint32_t used,
                   ArrayRef<uint8_t> capmerc,
                   function_ref<void(const CapmercEntry &)> visit) {
  Expected<CapmercText> text = readCapmercText(capmerc, code.size());
  if (!text)
    return text.takeError();
  for (const CapmercEntry &entry : text->entries)
    if (entry.count && uint64_t(entry.instruction) + entry.count <= used)
      visit(entry);
  return Error::success();
}

} // namespace lld::cuda
