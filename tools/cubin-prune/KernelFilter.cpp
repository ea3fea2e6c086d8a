//===- KernelFilter.cpp - Chooses kernels by name -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// PruneCubin.cpp asks keeps() for each kernel of each cubin, on several
/// threads; cubin-prune's main() then asks for the patterns that matched
/// nothing, which are mostly mistyped. A pattern may match the mangled or the
/// demangled name. A kernel is removed if a pattern of --drop-kernels matches
/// it, even if one of --keep-kernels does, too. All patterns are tried for each
/// kernel, since each must know whether it was used.
///
//===----------------------------------------------------------------------===//

#include "KernelFilter.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "lld-cuda/Support/RegularFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace lld::cuda {

/// A GlobPattern refers to its text.
Error KernelFilter::addPattern(StringRef text, bool keeps) {
  const std::string &kept = texts.emplace_back(text);
  Expected<GlobPattern> glob = GlobPattern::create(kept);
  if (!glob)
    return createStringError("'" + text + "': " + toString(glob.takeError()));
  patterns.emplace_back(kept, std::move(*glob), keeps);
  return Error::success();
}

Error KernelFilter::add(StringRef text, bool keeps) {
  StringRef path = text;
  if (!path.consume_front("@"))
    return addPattern(text, keeps);
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      readRegularFile(path, /*endsWithNull=*/true);
  if (!buffer)
    return createStringError(path + ": " + buffer.getError().message());
  const size_t before = patterns.size();
  for (line_iterator line(**buffer); !line.is_at_end(); ++line)
    if (StringRef pattern = line->trim(); !pattern.empty())
      if (Error e = addPattern(pattern, keeps))
        return e;
  if (patterns.size() == before)
    return createStringError(path + " has no patterns");
  return Error::success();
}

bool KernelFilter::keeps(StringRef symbol) const {
  const std::string demangled = demangleDeviceName(symbol);
  bool hasKeep = false, isKept = false, isDropped = false;
  for (const Pattern &pattern : patterns) {
    hasKeep |= pattern.keeps;
    if (!pattern.glob.match(symbol) && !pattern.glob.match(demangled))
      continue;
    pattern.isUsed = true;
    (pattern.keeps ? isKept : isDropped) = true;
  }
  const bool stays = !isDropped && (isKept || !hasKeep);
  if (stays)
    hasKept = true;
  return stays;
}

std::vector<std::string> KernelFilter::unmatched() const {
  std::vector<std::string> unused;
  for (const Pattern &pattern : patterns)
    if (!pattern.isUsed)
      unused.push_back(pattern.text.str());
  return unused;
}

} // namespace lld::cuda
