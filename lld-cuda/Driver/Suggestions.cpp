//===- Suggestions.cpp - Hints for unknown words of a command line --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions add hints to errors about a command line: what a word may
/// have been meant to be. The readers of options (Options.cpp, LldOptions.cpp,
/// LldDriver.cpp) call them right after such an error. explainArchitectures()
/// names the nearest target for one that doesn't exist ("90" means sm_90) and
/// lists all; where two targets are equally near, neither is suggested.
/// explainCompilerOption() says that a word is an option of a compiler, by the
/// table of nvcc's options (NvccOptions.def).
///
//===----------------------------------------------------------------------===//

#include "Driver/Suggestions.h"
#include "Messages/Diagnostics.h"
#include "lld-cuda/BinaryFormat/Architectures.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

void explainArchitectures(Diagnostics &diag, StringRef word) {
  constexpr unsigned MaxNumber = 200, Far = 3;
  const std::string wanted = word.lower();
  std::string list, nearest;
  unsigned best = Far;
  for (unsigned number = 1; number != MaxNumber; ++number) {
    if (!elf::getArchitectureLimits(number))
      continue;
    const std::string name = "sm_" + utostr(number);
    list += (list.empty() ? "" : ", ") + name;
    // Who writes 90 means sm_90.
    const unsigned distance =
        wanted == utostr(number) ? 0 : countEdits(wanted, name, Far);
    if (distance == best)
      nearest.clear(); // Nobody knows which.
    if (distance >= best || !isLikelyTypo(wanted, distance))
      continue;
    best = distance;
    nearest = name;
  }
  // PTX and LTO IR have names of their own.
  for (StringRef virtualKind : {"compute_", "lto_"})
    if (StringRef number = wanted; number.consume_front(virtualKind))
      nearest = ("sm_" + number).str();
  if (!nearest.empty())
    diag.explain("did you mean " + nearest + "?");
  if (word.contains(','))
    diag.explain("a link is for one architecture");
  if (wanted == "native" || wanted == "all" || wanted == "all-major")
    diag.explain("'" + word + "' works only in nvcc");
  diag.explain("known architectures: " + list);
}

/// One of nvcc's, for any step; -DNAME and the like are words of their own.
static bool isCompilerOption(StringRef word) {
  constexpr StringLiteral Names[][2] = {
#define NVCC_OPTION(LONG, SHORT, HAS_VALUE, ACTION) {LONG, SHORT},
#include "Driver/NvccOptions.def"
  };
  const bool isShort = word.size() > 2 && word[1] != '-';
  if (isShort && StringRef("DIOU").contains(word[1]))
    return true;
  const StringRef name = word.ltrim('-').split('=').first;
  if (name.size() == 1 && word.contains('='))
    return false; // -r=yes
  return any_of(Names, [&](const StringLiteral(&option)[2]) {
    return name == option[0] || name == option[1];
  });
}

void explainCompilerOption(Diagnostics &diag, StringRef word) {
  for (StringRef passed : {"-Wl,", "-Xlinker", "-Xnvlink", "-Xoffload-linker"})
    if (word.starts_with(passed))
      return diag.explain("'" + passed +
                          "' is an option of compilers, which pass on what "
                          "follows it; give only what follows it");
  if (isCompilerOption(word))
    diag.explain("that is a compiler option");
}

} // namespace lld::cuda
