//===- Printers.h - Printers of messages ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Printers of messages, one class for each format: nvlink's, lld's, JSON,
/// SARIF, Visual Studio's. Diagnostics.cpp creates the one that the command
/// line asks for when the first message of a link is printed, and passes each
/// message to it. Driver/DeviceLinkMessages.h does so for the messages of a
/// device link, i.e. links for several architectures in one run of ld.cuda, and
/// joins their SARIF logs.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MESSAGES_PRINTERS_H
#define LLD_CUDA_MESSAGES_PRINTERS_H

#include "lld-cuda/Linker/Diagnostic.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace lld::cuda {

struct Config;
struct SourceLine;
enum class ErrorFormat : uint8_t;

/// Prints messages in one format. Not thread-safe: Diagnostics holds its lock
/// while it prints messages and explanations. Its stream() calls finish()
/// without the lock, while no other thread reports.
class DiagnosticPrinter {
public:
  virtual ~DiagnosticPrinter();
  virtual void print(const Diagnostic &d) = 0;
  /// Prints an explanation below the last message. `where` is the place in the
  /// source that the line names, or null.
  virtual void printNote(llvm::StringRef line, const SourceLine *where) = 0;
  /// Writes what was held back (a message for its notes, or a warning for its
  /// count), because other text follows.
  virtual void finish() {}
  /// Called after the last message: writes what was held back.
  virtual void end() { finish(); }
};

/// Creates a printer of nvlink's format:
/// "nvlink error   : Multiple definition of '_Z1fv' in 'a.o'".
std::unique_ptr<DiagnosticPrinter> createNvlinkPrinter(llvm::raw_ostream &err,
                                                       const Config &config);

/// Creates a printer of lld's format:
/// "ld.cuda: error: multiple definition of 'f()' in 'a.o'".
/// It prints equal warnings in a row once, with their number.
std::unique_ptr<DiagnosticPrinter> createLldPrinter(llvm::raw_ostream &err,
                                                    const Config &config);

/// Create printers of the formats for programs: one JSON object for each
/// message; one SARIF log, written by end(); lines as Visual Studio and MSBuild
/// read them.
std::unique_ptr<DiagnosticPrinter> createJsonPrinter(llvm::raw_ostream &err,
                                                     const Config &config);
std::unique_ptr<DiagnosticPrinter> createSarifPrinter(llvm::raw_ostream &err,
                                                      const Config &config);
std::unique_ptr<DiagnosticPrinter>
createVisualStudioPrinter(llvm::raw_ostream &err, const Config &config);

/// Creates the printer of the format that the options ask for. `err` and
/// `config` must outlive the printer.
std::unique_ptr<DiagnosticPrinter> createPrinter(llvm::raw_ostream &err,
                                                 const Config &config);

/// Returns a name, or a message of one line, as it may be shown on a terminal:
/// control characters are escaped, unless the options ask for nvlink's exact
/// output (rule [messages-names] of docs/reference).
std::string shown(llvm::StringRef text, const Config &config);

/// Adds an explanation to a message that is kept as data.
void addNote(Diagnostic &d, llvm::StringRef line, const SourceLine *where);

/// Returns a message's text as the flavour words it: nvlink's text, or lld's
/// form with demangled names.
std::string wordsOf(const Diagnostic &d, const Config &config);
/// Returns the text that wordsOf() returns, without control characters.
std::string shownWords(const Diagnostic &d, const Config &config);

/// Returns one SARIF log that contains the runs of several.
std::string joinSarif(llvm::ArrayRef<std::string> logs);

} // namespace lld::cuda

#endif
