//===- Printers.h - How messages look ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The forms that messages are printed in: nvlink's, lld's, JSON, SARIF, Visual
/// Studio's. Diagnostics makes the one that the command line asks for and gives
/// it each message that is reported.
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

/// Prints messages in one form. Which messages there are isn't its business.
class DiagnosticPrinter {
public:
  virtual ~DiagnosticPrinter();
  virtual void print(const Diagnostic &d) = 0;
  /// A line below the message before. `where` is a place in the source that it
  /// names, or null.
  virtual void printNote(llvm::StringRef line, const SourceLine *where) = 0;
  /// Nothing may be held back any more.
  virtual void finish() {}
  /// Called after the last message: writes what was held back.
  virtual void end() { finish(); }
};

/// "nvlink error   : Multiple definition of '_Z1fv' in 'a.o'"
std::unique_ptr<DiagnosticPrinter> createNvlinkPrinter(llvm::raw_ostream &err,
                                                       const Config &config);

/// "ld.cuda: error: multiple definition of 'f()' in 'a.o'". Equal warnings in a
/// row are counted.
std::unique_ptr<DiagnosticPrinter> createLldPrinter(llvm::raw_ostream &err,
                                                    const Config &config);

/// For programs: one JSON object a message; one SARIF log at the end; lines as
/// Visual Studio and MSBuild read them.
std::unique_ptr<DiagnosticPrinter> createJsonPrinter(llvm::raw_ostream &err,
                                                     const Config &config);
std::unique_ptr<DiagnosticPrinter> createSarifPrinter(llvm::raw_ostream &err,
                                                      const Config &config);
std::unique_ptr<DiagnosticPrinter>
createVisualStudioPrinter(llvm::raw_ostream &err, const Config &config);

/// What the options ask for.
std::unique_ptr<DiagnosticPrinter> createPrinter(llvm::raw_ostream &err,
                                                 const Config &config);

/// A name, or a message of one line, as it may be shown [messages-names]:
/// without characters that would do something there, unless nvlink's very bytes
/// are asked for.
std::string shown(llvm::StringRef text, const Config &config);

/// Adds an explanation to a message.
void addNote(Diagnostic &d, llvm::StringRef line, const SourceLine *where);

/// A message's text in the words of the flavour, on one line if it is one.
std::string wordsOf(const Diagnostic &d, const Config &config);
/// A message's text in the words of the flavour, without characters that a
/// terminal would act on.
std::string shownWords(const Diagnostic &d, const Config &config);

/// One SARIF log with the runs of several.
std::string joinSarif(llvm::ArrayRef<std::string> logs);

} // namespace lld::cuda

#endif
