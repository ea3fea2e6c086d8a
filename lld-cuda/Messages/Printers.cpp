//===- Printers.cpp - Messages in nvlink's form and in lld's --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Two printers write messages for people: one as nvlink does, "nvlink error
/// : Multiple definition of ...", the other as lld does, "ld.cuda: error:
/// multiple definition of ...", with C++ names. Diagnostics.cpp gives each
/// message of a link to the printer that the command line asks for;
/// createPrinter() in MachinePrinters.cpp makes it when the first message
/// comes. Names that come from inputs are escaped, so that a symbol's name
/// can't contain commands to a terminal; only --nvlink-compat prints nvlink's
/// very bytes [messages-names].
///
/// nvlink's form is printed at once, each message in one write. lld's holds the
/// last warning back until something else comes, and counts it if it comes
/// again, "(3 times)"; finish() prints it.
///
//===----------------------------------------------------------------------===//

#include "Messages/Printers.h"
#include "Rules/Config.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "lld-cuda/Support/Printable.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

DiagnosticPrinter::~DiagnosticPrinter() = default;

std::string shown(StringRef text, const Config &config) {
  return !config.isLld() && config.showsNamesAsTheyAre ? text.str()
                                                       : printable(text);
}

std::string shownWords(const Diagnostic &d, const Config &config) {
  switch (d.id) {
  // The output of another program may have several lines.
  case DiagId::ToolOutput:
  case DiagId::CompilerLog:
  case DiagId::LtoFailed:
  case DiagId::LtoProblem:
    return !config.isLld() && config.showsNamesAsTheyAre
               ? wordsOf(d, config)
               : printableLines(wordsOf(d, config));
  default:
    return shown(wordsOf(d, config), config);
  }
}

static constexpr char NoColor[] = "\033[0m";

/// Returns null if the message has the terminal's own colour.
static const char *colorOf(Severity severity) {
  switch (severity) {
  case Severity::Verbatim:
  case Severity::Info:
    return nullptr;
  case Severity::Warning:
  case Severity::Remark:
    return "\033[0;1;35m";
  case Severity::Error:
  case Severity::Fatal:
  case Severity::Closing:
    return "\033[0;1;31m";
  }
  llvm_unreachable("unknown severity");
}

//===----------------------------------------------------------------------===//
// nvlink's form
//===----------------------------------------------------------------------===//

namespace {

class NvlinkPrinter : public DiagnosticPrinter {
public:
  NvlinkPrinter(raw_ostream &err, const Config &config)
      : err(err), config(config) {}
  void print(const Diagnostic &d) override;
  void printNote(StringRef line, const SourceLine *where) override;

private:
  raw_ostream &err;
  const Config &config;
};

} // namespace

static StringRef nvlinkPrefix(Severity severity) {
  switch (severity) {
  case Severity::Verbatim:
    return "";
  case Severity::Info:
    return "nvlink info    : ";
  case Severity::Warning:
  case Severity::Remark:
    return "nvlink warning : ";
  case Severity::Error:
    return "nvlink error   : ";
  case Severity::Fatal:
  case Severity::Closing:
    return "nvlink fatal   : ";
  }
  llvm_unreachable("unknown severity");
}

void NvlinkPrinter::print(const Diagnostic &d) {
  // One write a message, so that lines of two links don't mix.
  SmallString<256> line;
  const char *color = config.lld.color && !config.saysNothingElse
                          ? colorOf(d.severity)
                          : nullptr;
  if (color)
    line += color;
  line += nvlinkPrefix(d.severity);
  if (color)
    line += NoColor;
  line += shownWords(d, config);
  if (d.severity != Severity::Verbatim) {
    if (config.reportArch)
      (" (target: " + Twine(config.archName) + ")").toVector(line);
    line += '\n';
  }
  err << line;
}

void NvlinkPrinter::printNote(StringRef line, const SourceLine *) {
  err << ">>> " + shown(line, config) + "\n";
}

std::unique_ptr<DiagnosticPrinter> createNvlinkPrinter(raw_ostream &err,
                                                       const Config &config) {
  return std::make_unique<NvlinkPrinter>(err, config);
}

//===----------------------------------------------------------------------===//
// lld's form
//===----------------------------------------------------------------------===//

namespace {

class LldPrinter : public DiagnosticPrinter {
public:
  LldPrinter(raw_ostream &err, const Config &config)
      : err(err), config(config) {}
  void print(const Diagnostic &d) override;
  void printNote(StringRef line, const SourceLine *where) override;
  void finish() override;

private:
  std::string prefix(Severity severity) const;

  raw_ostream &err;
  const Config &config;
  /// The last warning, which may come again.
  struct {
    std::string text, notes;
    unsigned count = 0;
  } pending;
};

} // namespace

/// The program's name and what kind of message it is.
std::string LldPrinter::prefix(Severity severity) const {
  StringRef word;
  if (severity == Severity::Warning || severity == Severity::Remark)
    word = "warning: ";
  else if (severity != Severity::Info)
    word = "error: ";
  StringRef program = config.program;
  program = program.drop_front(program.rfind('/') + 1);
  if (!config.lld.color || word.empty())
    return (program + ": " + word).str();
  return ("\033[0;1m" + program + ": " + colorOf(severity) + word + NoColor)
      .str();
}

/// The text of a message; in lld's form symbols are C++ names.
std::string wordsOf(const Diagnostic &d, const Config &config) {
  if (!config.isLld())
    return d.text;
  StringRef text = d.text;
  std::string result;
  size_t end = 0;
  if (config.lld.demangle)
    for (const Diagnostic::Range &m : d.getMentions())
      if (m.kind == Mention::Symbol) {
        result += text.slice(end, m.begin);
        result += demangleDeviceName(text.slice(m.begin, m.end));
        end = m.end;
      }
  result += text.drop_front(end);
  // Messages begin with a small letter, as in the rest of LLVM, unless they
  // begin with a name.
  if (result.size() > 1 && isUpper(result[0]) && isLower(result[1]))
    result[0] = toLower(result[0]);
  return result;
}

void LldPrinter::print(const Diagnostic &d) {
  if (d.severity == Severity::Verbatim) {
    finish();
    err << shownWords(d, config);
    return;
  }
  std::string line = prefix(d.severity) + shownWords(d, config);
  if (config.reportArch)
    line += " (target: " + config.archName + ")";

  const bool isWarning =
      d.severity == Severity::Warning || d.severity == Severity::Remark;
  if (isWarning && pending.count && pending.text == line) {
    ++pending.count;
    return;
  }
  finish();
  pending.text = std::move(line);
  pending.notes.clear();
  pending.count = 1;
  if (!isWarning)
    finish();
}

void LldPrinter::finish() {
  if (!pending.count)
    return;
  if (pending.count > 1)
    pending.text += (" (" + Twine(pending.count) + " times)").str();
  err << pending.text << '\n' << pending.notes;
  pending.count = 0;
}

void LldPrinter::printNote(StringRef line, const SourceLine *) {
  std::string text = ">>> " + shown(line, config) + "\n";
  if (!pending.count)
    err << text;
  else if (pending.count == 1)
    pending.notes += text;
}

std::unique_ptr<DiagnosticPrinter> createLldPrinter(raw_ostream &err,
                                                    const Config &config) {
  return std::make_unique<LldPrinter>(err, config);
}

} // namespace lld::cuda
