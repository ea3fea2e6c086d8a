//===- Diagnostics.cpp - Messages of a link -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// [exit-status], [messages-order]
///
//===----------------------------------------------------------------------===//

#include "Messages/Diagnostics.h"
#include "Config.h"
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

std::string Diagnostics::display(StringRef symbol) const {
  return config.lld.demangle ? demangleDeviceName(symbol) : symbol.str();
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
  else if (!isRepetition)
    print(std::move(d));
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

/// The same.
void Diagnostics::printNote(std::string line, const SourceLine *where) {
  if (!explains())
    return;
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
