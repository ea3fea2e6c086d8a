//===- Diagnostics.cpp - Messages of a link: options, counts, exit status -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Diagnostics::report() takes each message of a link: it applies the options
/// about messages (-w, -Werror, --error-limit), counts errors, and gives the
/// message to the printer of the flavour or of --error-format (Printers.h). All
/// passes and the readers of command lines call it, possibly from several
/// threads. exitStatus() says at the end what the program's exit status is
/// [exit-status].
///
/// Passes go on after an error and end the link after a fatal one, so the order
/// of their reports is the order in which users read them; it is nvlink's
/// [messages-order]. Objects that nvcc compiles for one link, and removes, are
/// named together with their source: 'a.o' (compiled from a.cu).
///
//===----------------------------------------------------------------------===//

#include "Messages/Diagnostics.h"
#include "Rules/Config.h"
#include "lld-cuda/Demangle/Demangle.h"
#include <utility>

using namespace llvm;
using namespace lld::cuda;

Diagnostics::~Diagnostics() = default;

bool Diagnostics::hidesWarnings() const {
  return config.disableInfos || config.disableWarnings;
}

bool Diagnostics::explains() const { return config.explain && lastShown; }

bool Diagnostics::explains(DiagId id) {
  constexpr unsigned MaxExplained = 5;
  uint8_t &count = explained[size_t(id)];
  return explains() && count != MaxExplained && ++count;
}

int Diagnostics::exitStatus() const {
  if (config.isLld())
    return fatals || errors;
  return fatals ? 1 : errors ? 255 : 0;
}

std::string Diagnostics::demangle(StringRef symbol) const {
  return config.lld.demangle ? demangleDeviceName(symbol) : symbol.str();
}

std::string Diagnostics::display(StringRef symbol) const {
  return shown(demangle(symbol));
}

/// Settles a warning's severity. False: it is hidden.
bool Diagnostics::applyOptions(Diagnostic &d) const {
  if (d.severity != Severity::Warning && d.severity != Severity::Remark)
    return true;
  // In the nvlink flavour -Werror leaves a remark a warning: what nvlink links
  // has to link.
  const bool isRemark = d.severity == Severity::Remark && !config.isLld();
  if (hidesWarnings() || (isRemark && !config.explain))
    return false;
  const bool isError =
      config.warningsAsErrors && !isRemark && (config.isLld() || !forgotten);
  d.severity = isError ? Severity::Error : Severity::Warning;
  return true;
}

/// An object that nvcc has compiled for the link alone, and removes:
/// /tmp/tmpxft_00001176_00000000-11_a.o of a.cu. Where in the line it stands;
/// `source` is "a". An empty range: there is none.
static std::pair<size_t, size_t> findTemporary(StringRef line,
                                               StringRef &source) {
  constexpr StringLiteral Mark = "tmpxft_", Suffix = ".o";
  const size_t mark = line.find(Mark), end = line.find(Suffix, mark);
  if (mark == StringRef::npos || end == StringRef::npos)
    return {0, 0};
  const size_t begin = line.rfind('\'', mark) + 1; // 0 without a quote.
  // Process, a number, and the number of the file.
  source = line.slice(mark + Mark.size(), end);
  for (StringRef part : {"_", "-", "_"}) {
    const size_t length = source.find(part);
    if (length == StringRef::npos ||
        source.take_front(length).find_first_not_of("0123456789abcdef") !=
            StringRef::npos)
      return {0, 0};
    source = source.drop_front(length + 1);
  }
  return {begin, end + Suffix.size()};
}

/// 'a.o' (compiled from a.cu) for an object that is gone when somebody reads
/// it.
static std::string nameSources(StringRef line) {
  std::string named;
  StringRef source;
  for (;;) {
    const auto [begin, end] = findTemporary(line, source);
    if (!end)
      return named + line.str();
    const StringRef quote = line.substr(end).starts_with("'") ? "'" : "";
    named += (line.take_front(begin) + source + ".o" + quote +
              " (compiled from " + source + ".cu)")
                 .str();
    line = line.drop_front(end + quote.size());
  }
}

void Diagnostics::report(Diagnostic d) {
  std::lock_guard<std::mutex> lock(mutex);
  lastShown = applyOptions(d);
  if (!lastShown)
    return;
  const bool isFatal =
      d.severity == Severity::Fatal || d.severity == Severity::Closing;
  const bool isError = d.severity == Severity::Error;
  const bool isRepetition =
      config.isLld() && d.severity == Severity::Closing && exitStatus();
  std::vector<std::string> notes = std::exchange(d.notes, {});
  if (isOverLimit(d))
    lastShown = false;
  else if (!isRepetition) {
    StringRef source;
    if (config.explain && findTemporary(d.text, source).second)
      notes.insert(notes.begin(), ("compiled from " + source + ".cu").str());
    print(std::move(d));
  }
  for (std::string &line : notes)
    printNote(std::move(line));
  errors += isError;
  fatals += isFatal;
}

/// Whether the error is one more than the lld flavour shows, which ends the
/// link.
bool Diagnostics::isOverLimit(const Diagnostic &d) {
  const unsigned limit = config.isLld() ? config.lld.errorLimit : 0;
  if (d.severity != Severity::Error || !limit || errors < limit)
    return false;
  if (errors == limit)
    print(Diagnostic(DiagId::TooManyErrors,
                     {"too many errors emitted, stopping now (use "
                      "--error-limit=0 to see all errors)"}));
  ++fatals;
  return true;
}

/// The flavour may turn out to be another one while the command line is read.
DiagnosticPrinter &Diagnostics::printer() {
  if (!currentPrinter || printsLikeLld != config.isLld() ||
      printsAs != config.errorFormat) {
    if (currentPrinter)
      currentPrinter->finish();
    printsLikeLld = config.isLld();
    printsAs = config.errorFormat;
    currentPrinter = createPrinter(err, config);
  }
  return *currentPrinter;
}

/// Called with the lock held.
void Diagnostics::print(Diagnostic d) {
  printer().print(d);
  if (record)
    record->push_back(std::move(d));
}

/// Called with the lock held.
void Diagnostics::printNote(std::string line, const SourceLine *where) {
  if (!explains())
    return;
  line = nameSources(line);
  printer().printNote(line, where);
  if (record && !record->empty())
    addNote(record->back(), line, where);
}

void Diagnostics::explain(const Twine &line, const SourceLine *where) {
  std::lock_guard<std::mutex> lock(mutex);
  printNote(line.str(), where);
}

void Diagnostics::finish() {
  std::lock_guard<std::mutex> lock(mutex);
  // A log also says that there was nothing to say.
  if (currentPrinter || config.errorFormat == ErrorFormat::Sarif)
    printer().end();
}
