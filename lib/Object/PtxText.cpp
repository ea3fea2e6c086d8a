//===- PtxText.cpp - PTX as it is kept in fatbins -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shortens PTX for fatbins, and finds its version. The program in fatbinary's
/// place calls shortenPtx() for each PTX file that it packs, and the result
/// must agree with fatbinary's byte for byte [fatbinary-ptx]. So the scanner
/// has fatbinary's habits, not a compiler's: it keeps the first blank of a run
/// and all line ends, drops blanks at the start of a line, and takes `/*/` for
/// a whole comment. What is in quotes isn't touched. readPtxVersion() gives the
/// version of the PTX, by which cubin-check tells which drivers can compile it.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/PtxText.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

static bool isBlank(char c) { return c == ' ' || c == '\t'; }
static bool isLineEnd(char c) { return c == '\n' || c == '\r'; }

/// Returns the offset of the end of a string whose first quote is at `at`.
static size_t skipString(StringRef text, size_t at) {
  do
    at = text.find('"', at + 1);
  while (at != StringRef::npos && text[at - 1] == '\\');
  return at == StringRef::npos ? text.size() : at + 1;
}

/// Returns the offset of the end of a comment at `at`. A comment that begins
/// with "//" ends before the end of the line, any other one after the next star
/// and slash, even if that star is its first one.
static size_t skipComment(StringRef text, size_t at) {
  if (text[at + 1] == '/')
    return std::min(text.find_first_of("\r\n", at), text.size());
  const size_t end = text.find("*/", at + 1);
  return end == StringRef::npos ? text.size() : end + 2;
}

std::string shortenPtx(StringRef ptx) {
  std::string out;
  out.reserve(ptx.size());
  // Blanks: none at the start of a line, elsewhere the first of a run.
  bool dropsBlanks = true;
  for (size_t at = 0; at < ptx.size();) {
    const char c = ptx[at];
    size_t next = at + 1;
    if (isBlank(c)) {
      if (!dropsBlanks)
        out += c;
      dropsBlanks = true;
    } else if (c == '/' && next < ptx.size() &&
               (ptx[next] == '/' || ptx[next] == '*')) {
      next = skipComment(ptx, at);
      dropsBlanks = false;
    } else if (c == '"' && (at == 0 || ptx[at - 1] != '\\')) {
      next = skipString(ptx, at);
      out += ptx.slice(at, next);
      dropsBlanks = false;
    } else {
      out += c;
      dropsBlanks = isLineEnd(c);
    }
    at = next;
  }
  return out;
}

std::optional<std::pair<uint16_t, uint16_t>> readPtxVersion(StringRef ptx) {
  const StringRef word = ".version";
  const size_t at = ptx.find(word);
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef rest = ptx.drop_front(at + word.size()).ltrim(" \t\r\n\v\f");
  uint16_t major;
  if (rest.consumeInteger(10, major) || !rest.consume_front(".") ||
      rest.empty() || !isDigit(rest.front()))
    return std::nullopt;
  return std::make_pair(major, uint16_t(rest.front() - '0'));
}

} // namespace lld::cuda
