//===- LocalizeSymbols.cpp - Symbols that nothing outside may see ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// localizeSymbols() makes symbols local that options such as --localize and
/// --exclude-libs hide; it is step 4 of Input/SymbolControl.h. reportMerge() in
/// Link.cpp calls it right after the merge: each reference has found its
/// definition by then, and to all later passes these symbols are like those
/// that the compiler made local. warnUnusedSymbolOptions(), called just before,
/// warns of options that match no symbol.
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Input/SymbolControl.h"
#include "Passes.h"
#include "Program.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

void localizeSymbols(const Inputs &inputs, Program &program) {
  const SymbolControl &control = *inputs.symbolControl;
  auto becomesLocal = [&](const Symbol &s) {
    return !s.isLocal() && s.defined && (s.isFunction() || s.isVariable()) &&
           control.isLocal(s.name);
  };
  // Weak symbols may be in the list of local ones already.
  for (Symbol *s : program.locals)
    if (becomesLocal(*s))
      s->binding = STB_LOCAL;
  erase_if(program.globals, [&](Symbol *s) {
    if (!becomesLocal(*s))
      return false;
    s->binding = STB_LOCAL;
    program.locals.push_back(s);
    return true;
  });
}

static void warnUnused(const Inputs &inputs,
                       const SymbolControl::Unused &unused) {
  const StringRef option = getOption(unused.operation);
  switch (unused.operation) {
  case SymbolOperation::RenamePrefix:
    return inputs.diag.report(
        DiagId::PatternUnused,
        {option, "=", unused.value,
         ": the inputs that it is for define nothing that can be renamed"});
  case SymbolOperation::ExcludeLibs:
    return inputs.diag.report(
        DiagId::PatternUnused,
        {option, ": no library ", diag::quoted(unused.value), " is linked"});
  case SymbolOperation::Wrap:
  case SymbolOperation::Defsym:
    return inputs.diag.report(DiagId::PatternUnused,
                              {option, ": no input refers to ",
                               diag::symbol(unused.value),
                               " without defining it"});
  case SymbolOperation::Localize:
  case SymbolOperation::Export:
  case SymbolOperation::VersionScript:
    return inputs.diag.report(
        DiagId::PatternUnused,
        {option, ": no defined symbol matches ", diag::quoted(unused.value)});
  }
}

/// Warns of options that match nothing, which are mistakes or not needed any
/// more. Only the first few patterns of a version script are reported, since
/// the script may be the host's.
void warnUnusedSymbolOptions(const Inputs &inputs, const Program &program) {
  constexpr unsigned MaxOfScript = 3, MaxExplained = 16;
  if (!inputs.diag.explains())
    return;
  unsigned inScript = 0, explained = 0;
  for (const SymbolControl::Unused &unused :
       inputs.symbolControl->findUnused()) {
    if (unused.operation == SymbolOperation::VersionScript &&
        ++inScript > MaxOfScript)
      continue;
    warnUnused(inputs, unused);
    const bool isSymbol = unused.operation != SymbolOperation::RenamePrefix &&
                          unused.operation != SymbolOperation::ExcludeLibs;
    if (isSymbol && explained++ < MaxExplained)
      explainMissingName(inputs, program, unused.value, /*kernelsOnly=*/false);
  }
  if (inScript > MaxOfScript)
    inputs.diag.report(DiagId::PatternUnused,
                       {getOption(SymbolOperation::VersionScript), ": and ",
                        inScript - MaxOfScript,
                        " more patterns that match nothing"});
}

} // namespace lld::cuda
