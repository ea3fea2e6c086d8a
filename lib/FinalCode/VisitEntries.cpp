//===- VisitEntries.cpp - The Mercury entries of a function ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads a .nv.capmerc.text section and passes its entries on, for the sources
/// beside it that find instructions to remove (VisitEntries.h). Entries that
/// reach beyond the function's used instructions are left out here, so that no
/// caller has to check them.
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
