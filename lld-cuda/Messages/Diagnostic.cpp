//===- Diagnostic.cpp - A message, put together from its parts ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A Diagnostic puts the text of a message together from its parts, and keeps
/// where in it a symbol, a file, a section or an offset is named. Passes make
/// one for Diagnostics::report(), readers of inputs make one that is reported
/// later. Since the positions of names are known, nobody has to search texts
/// for names: a printer demangles symbols and nothing else, and programs get
/// the names by themselves. Diagnostics.def says how bad a message is and what
/// users call it (multiple-definition).
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Linker/Diagnostic.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

namespace {
struct DiagnosticInfo {
  StringLiteral name;
  Severity severity;
};
} // namespace

static constexpr DiagnosticInfo Infos[] = {
#define DIAGNOSTIC(ID, NAME, SEVERITY) {NAME, Severity::SEVERITY},
#include "lld-cuda/Linker/Diagnostics.def"
};

StringRef getName(DiagId id) { return Infos[size_t(id)].name; }
Severity getDefaultSeverity(DiagId id) { return Infos[size_t(id)].severity; }

Diagnostic::Diagnostic(DiagId id, Severity severity, MessageParts parts)
    : id(id), severity(severity) {
  // Enough for quotes around a text, or for a number.
  constexpr size_t Others = 10;
  size_t size = 0;
  for (const MessagePart &part : parts)
    size += part.text.size() + Others;
  text.reserve(size);
  for (const MessagePart &part : parts)
    add(part);
}

void Diagnostic::add(const MessagePart &part) {
  using Style = MessagePart::Style;
  const bool isQuoted = part.style == Style::Quoted;
  if (isQuoted)
    text += '\'';
  const size_t begin = text.size();
  if (part.style == Style::Decimal)
    text += utostr(part.number);
  else if (part.style == Style::Hex)
    text += "0x" + utohexstr(part.number, /*LowerCase=*/true);
  else
    text += part.text;
  if (part.kind != Mention::Nothing)
    mentions.push_back({part.kind, uint32_t(begin), uint32_t(text.size())});
  if (isQuoted)
    text += '\'';
}

SmallVector<StringRef, 2> Diagnostic::getAll(Mention kind) const {
  SmallVector<StringRef, 2> found;
  for (const Range &m : mentions)
    if (m.kind == kind)
      found.push_back(StringRef(text).slice(m.begin, m.end));
  return found;
}

StringRef Diagnostic::getFirst(Mention kind) const {
  for (const Range &m : mentions)
    if (m.kind == kind)
      return StringRef(text).slice(m.begin, m.end);
  return {};
}

} // namespace lld::cuda
