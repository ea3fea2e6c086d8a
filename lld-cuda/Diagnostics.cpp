//===- Diagnostics.cpp - Messages of a link -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Spec: inputs, section 1.4; addendum, sections 1.2 (item 18) and 2.1.
///
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "Config.h"
#include "Demangle.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda;

static StringRef baseName(StringRef path) {
  return path.drop_front(path.rfind('/') + 1);
}

static StringRef severityWord(Severity severity) {
  switch (severity) {
  case Severity::Verbatim:
  case Severity::Explanation:
  case Severity::Remark:
    break;
  case Severity::Info:
    return "nvlink info    : ";
  case Severity::Warning:
    return "nvlink warning : ";
  case Severity::Error:
    return "nvlink error   : ";
  case Severity::Fatal:
    return "nvlink fatal   : ";
  }
  llvm_unreachable("unknown severity");
}

/// Lines that end a link in nvlink and say nothing.
static bool isClosingLine(StringRef text) {
  return text == "merge_elf failed" || text == "elfLink internal error" ||
         text == "elfLink fatbinary error";
}

bool Diagnostics::hidesWarnings() const {
  return config.disableInfos || config.disableWarnings;
}

bool Diagnostics::explains() const { return config.explain && lastShown; }

bool Diagnostics::explains(ExplainedKind kind) {
  constexpr unsigned MaxExplained = 5;
  return explains() && explained[size_t(kind)]++ < MaxExplained;
}

int Diagnostics::exitStatus() const {
  if (config.isLld())
    return fatals || errors;
  return fatals ? 1 : errors ? 255 : 0;
}

std::string Diagnostics::display(StringRef symbol) const {
  return config.lld.demangle ? demangleDeviceName(symbol) : symbol.str();
}

void Diagnostics::report(Severity severity, const Twine &text) {
  if (severity == Severity::Explanation)
    return explain(text);
  if (severity == Severity::Warning || severity == Severity::Remark) {
    const bool isRemark = severity == Severity::Remark && !config.isLld();
    if (hidesWarnings() || (isRemark && !config.explain)) {
      lastShown = false;
      return;
    }
    severity = config.warningsAsErrors && !isRemark ? Severity::Error
                                                    : Severity::Warning;
  }

  std::lock_guard<std::mutex> lock(mutex);
  lastShown = true;
  if (severity == Severity::Verbatim) {
    writePending();
    err << text;
    return;
  }
  if (config.isLld())
    reportLikeLld(severity, text.str());
  else
    reportLikeNvlink(severity, text);

  if (severity == Severity::Error)
    ++errors;
  else if (severity == Severity::Fatal)
    ++fatals;
}

void Diagnostics::reportLikeNvlink(Severity severity, const Twine &text) {
  // One write a message, so that lines of two links don't mix.
  SmallString<256> line(severityWord(severity));
  text.toVector(line);
  if (config.reportArch)
    (" (target: " + Twine(config.archName) + ")").toVector(line);
  line += '\n';
  err << line;
}

/// Symbols stand in single quotes; a quote behind a letter is an apostrophe.
std::string Diagnostics::demangleQuoted(StringRef text) const {
  std::string result;
  while (!text.empty()) {
    size_t open = text.find('\'');
    while (open != StringRef::npos && open && isAlnum(text[open - 1]))
      open = text.find('\'', open + 1);
    size_t close = open == StringRef::npos ? open : text.find('\'', open + 1);
    if (close == StringRef::npos)
      return result + text.str();
    result += text.take_front(open + 1);
    result += display(text.slice(open + 1, close));
    result += '\'';
    text = text.drop_front(close + 1);
  }
  return result;
}

void Diagnostics::reportLikeLld(Severity severity, StringRef text) {
  if (severity == Severity::Fatal && isClosingLine(text) && (errors || fatals))
    return;
  const unsigned limit = config.lld.errorLimit;
  if (severity == Severity::Error && limit && errors >= limit) {
    writePending();
    lastShown = false;
    if (errors == limit)
      err << baseName(config.program)
          << ": error: too many errors emitted, stopping now (use "
             "--error-limit=0 to see all errors)\n";
    ++fatals;
    return;
  }

  struct {
    StringRef word, color;
  } styles[] = {{"", ""},
                {"", ""},
                {"warning: ", "\033[0;1;35m"},
                {"error: ", "\033[0;1;31m"},
                {"error: ", "\033[0;1;31m"}};
  const auto &style = styles[unsigned(severity)];
  const bool color = config.lld.color && !style.word.empty();
  std::string line = (color ? "\033[0;1m" : "") +
                     baseName(config.program).str() + ": " +
                     (color ? style.color.str() : "") + style.word.str() +
                     (color ? "\033[0m" : "");
  std::string message = demangleQuoted(text);
  // As in the rest of LLVM, but for names at the beginning.
  if (message.size() > 1 && isUpper(message[0]) && isLower(message[1]))
    message[0] = toLower(message[0]);
  line += message;
  if (config.reportArch)
    line += " (target: " + config.archName + ")";

  if (severity == Severity::Warning && pending.count && pending.text == line) {
    ++pending.count;
    return;
  }
  writePending();
  pending.text = std::move(line);
  pending.explanation.clear();
  pending.count = 1;
  if (severity != Severity::Warning)
    writePending();
}

/// Called with the lock held.
void Diagnostics::writePending() {
  if (!pending.count)
    return;
  if (pending.count > 1)
    pending.text += (" (" + Twine(pending.count) + " times)").str();
  err << pending.text << '\n' << pending.explanation;
  pending.count = 0;
}

void Diagnostics::explain(const Twine &line) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!config.explain || !lastShown)
    return;
  std::string text = (">>> " + line + "\n").str();
  if (!pending.count)
    err << text;
  else if (pending.count == 1)
    pending.explanation += text;
}

void Diagnostics::finish() {
  std::lock_guard<std::mutex> lock(mutex);
  writePending();
}
