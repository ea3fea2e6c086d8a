//===- StableNames.cpp - Names without hashes -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// withoutHashes() makes names of two builds comparable: cubin-diff uses it for
/// sections, symbols, lines of PTX and the names by which images are paired. It
/// knows the few forms in which nvcc and its front end put a hash into a name,
/// such as `_INTERNAL_` or `_GLOBAL__N__` and eight hexadecimal digits. All of
/// them begin with a dot or an underscore, and no other character of a name is
/// looked at more closely, so most names cost one pass.
///
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

/// Takes a hash of eight hexadecimal digits.
static bool takeHash(StringRef &rest) {
  constexpr size_t Digits = 8;
  const StringRef hash = rest.take_front(Digits);
  if (hash.size() != Digits || !all_of(hash, isHexDigit))
    return false;
  rest = rest.drop_front(Digits);
  return true;
}

/// Takes something with a hash in it, and gives it without; empty if `rest`
/// doesn't begin with such a thing.
static std::string takeHashed(StringRef &rest) {
  constexpr StringLiteral PtxText = ".nv_debug_ptx_txt.";
  if (!takeNumbered(rest, PtxText).empty())
    return (PtxText + "*").str();
  StringRef after = rest;
  const StringRef mark = takeFileMark(after);
  if (!mark.empty() && takeHash(after) && after.starts_with("_")) {
    rest = after;
    return (mark + "*").str();
  }
  // CUDA 11 and older: nvcc's temporary files, by process and number.
  if (after = rest; after.consume_front("_tmpxft_") && takeHash(after) &&
                    after.consume_front("_") && takeHash(after)) {
    rest = after;
    return "_tmpxft_*_*";
  }
  if (after = rest; after.consume_front("_cpp1_ii_") && takeHash(after)) {
    rest = after;
    return "_cpp1_ii_*";
  }
  return {};
}

std::string withoutHashes(StringRef name) {
  std::string out;
  out.reserve(name.size());
  for (StringRef rest = name; !rest.empty();) {
    // All that has hashes begins with one of these.
    std::string hashed;
    if (rest.front() == '.' || rest.front() == '_')
      hashed = takeHashed(rest);
    if (!hashed.empty()) {
      out += hashed;
      continue;
    }
    out += rest.front();
    rest = rest.drop_front();
  }
  return out;
}

} // namespace lld::cuda
