//===- Link.cpp - The passes of a link in order ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Passes.h"

using namespace lld::cuda;

void lld::cuda::linkInputs(Ctx &ctx) {
  for (InputFile &file : ctx.inputs) {
    for (const Diagnostic &d : file.messages)
      ctx.diag.report(d);
    for (InputUnit &unit : file.units)
      for (const Diagnostic &d : unit.messages)
        ctx.diag.report(d);
    if (ctx.diag.stopped())
      return;
  }
  ctx.diag.fatal("linking is not supported yet");
}
