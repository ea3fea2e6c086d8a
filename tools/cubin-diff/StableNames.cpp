//===- StableNames.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

/// Takes `prefix` and the digits behind it from `rest`; empty if they aren't
/// there.
static StringRef takeNumbered(StringRef &rest, StringRef prefix) {
  if (!rest.starts_with(prefix))
    return {};
  const StringRef digits = rest.drop_front(prefix.size()).take_while(isDigit);
  StringRef taken = rest.take_front(prefix.size() + digits.size());
  if (digits.empty())
    return {};
  rest = rest.drop_front(taken.size());
  return taken;
}

/// Takes what stands before the hash of a source file's path: of its static
/// functions and variables, of its unnamed namespace, of its module.
static StringRef takeFileMark(StringRef &rest) {
  StringRef after = rest;
  if (!takeNumbered(after, "__nv_static_").empty() && after.consume_front("__"))
    ;
  else if (after = rest; !after.consume_front("_GLOBAL__N__") &&
                         !after.consume_front("_INTERNAL_"))
    return {};
  StringRef taken = rest.drop_back(after.size());
  rest = after;
  return taken;
}

std::string withoutHashes(StringRef name) {
  constexpr StringLiteral PtxText = ".nv_debug_ptx_txt.";
  constexpr size_t FileHash = 8; // Hexadecimal digits, and "_" behind them.
  std::string out;
  out.reserve(name.size());
  for (StringRef rest = name; !rest.empty();) {
    // All marks begin with one of these.
    if (rest.front() != '.' && rest.front() != '_') {
      out += rest.front();
      rest = rest.drop_front();
      continue;
    }
    if (!takeNumbered(rest, PtxText).empty()) {
      out += PtxText;
      out += '*';
      continue;
    }
    StringRef mark = takeFileMark(rest);
    if (mark.empty()) {
      out += rest.front();
      rest = rest.drop_front();
      continue;
    }
    out += mark;
    const StringRef hash = rest.take_front(FileHash);
    if (hash.size() == FileHash && all_of(hash, isHexDigit) &&
        rest.drop_front(FileHash).starts_with("_")) {
      out += '*';
      rest = rest.drop_front(FileHash);
    }
  }
  return out;
}

} // namespace lld::cuda
