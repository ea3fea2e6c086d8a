//===- Findings.cpp - --check: differences as one error -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Findings collects the differences that --check finds, and reports them as
/// one internal error, which ends the link before the output is put in place.
/// One mistake of the writer may show in every function: so the first ten
/// differences are told in full, and the others are counted. checkImage() in
/// Check.cpp calls report() at the end, with the findings of all parts.
///
//===----------------------------------------------------------------------===//

#include "Check/Findings.h"
#include "Messages/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lld::cuda {

std::string showNumber(uint64_t number) {
  return ("0x" + Twine::utohexstr(number)).str();
}

/// The others are counted: one mistake may show in every function.
constexpr size_t MaxShown = 10;

void Findings::add(const CheckedPlace &at, StringRef what, std::string expected,
                   std::string found) {
  if (++total > MaxShown)
    return;
  findings.push_back({at.section.str(), at.symbol.str(), at.offset, what.str(),
                      std::move(expected), std::move(found)});
}

void Findings::addNumbers(const CheckedPlace &at, StringRef what,
                          uint64_t expected, uint64_t found) {
  add(at, what, showNumber(expected), showNumber(found));
}

void Findings::append(Findings &&other) {
  for (Mismatch &f : other.findings)
    if (findings.size() < MaxShown)
      findings.push_back(std::move(f));
  total += other.total;
}

/// "'f' in section '.text.k' at 0x10: "
static std::string placeText(const Diagnostics &diag, const Mismatch &f) {
  std::string text;
  raw_string_ostream os(text);
  if (!f.symbol.empty())
    os << '\'' << diag.display(f.symbol) << "' ";
  if (!f.section.empty())
    os << (f.symbol.empty() ? "" : "in ") << "section '" << f.section << "' ";
  if (f.offset)
    os << "at 0x" << utohexstr(*f.offset, /*LowerCase=*/true);
  text = StringRef(text).rtrim().str();
  return text.empty() ? text : text + ": ";
}

void Findings::report(Diagnostics &diag) const {
  if (!total)
    return;
  const Mismatch &first = findings.front();
  const bool hasSymbol = !first.symbol.empty(),
             hasSection = !first.section.empty();
  const MessagePart none = "";
  diag.report(
      DiagId::InternalError,
      {"Internal error: the output is wrong: ",
       hasSymbol ? diag::symbol(first.symbol) : none,
       hasSymbol && hasSection ? " in section "
       : hasSection            ? "section "
                               : "",
       hasSection ? diag::section(first.section) : none,
       first.offset ? (hasSymbol || hasSection ? " at " : "at ") : "",
       first.offset ? diag::offset(*first.offset) : none,
       hasSymbol || hasSection || first.offset ? ": " : "", first.what,
       ": expected ", first.expected, ", found ", first.found,
       "; please report this with the file that --reproduce=FILE writes"});
  for (size_t i = 1; i < findings.size(); ++i) {
    const Mismatch &f = findings[i];
    diag.explain(placeText(diag, f) + f.what + ": expected " + f.expected +
                 ", found " + f.found);
  }
  if (total > findings.size())
    diag.explain("and " + Twine(total - findings.size()) + " more");
  diag.explain("this is a bug in the linker, not an error in the inputs; no "
               "output was written");
}

} // namespace lld::cuda
