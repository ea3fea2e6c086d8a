//===- Link.cpp - The passes of a link in order ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Passes.h"

using namespace lld::cuda;

void lld::cuda::linkInputs(Ctx &ctx) {
  ctx.diag.fatal("linking is not supported yet");
}
