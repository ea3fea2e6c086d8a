//===- Diagnostics.h - Messages of a link -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The class that receives all messages of a link. Each LinkJob has one; the
/// readers of the command line and all passes report to it (as Inputs::diag). A
/// pass reports and goes on, or reports a fatal error and returns; then no
/// further phase runs (Link.cpp). Diagnostics.def lists the messages and
/// whether they are fatal; printers (Printers.h) format them. report(),
/// explain() and finish() are thread-safe.
///
/// In the nvlink flavour the text of messages is nvlink's, word for word. The
/// exit status is 0 without errors, 255 with errors, 1 after a fatal error.
///
/// In the lld flavour messages have lld's form: C++ names are demangled, a
/// message that only says that the link failed is left out after an error, and
/// the number of errors is limited. The exit status is 0 or 1.
///
/// In both flavours explanations follow a message, lines that begin with ">>>",
/// and there are warnings that nvlink doesn't have (remarks). With --no-explain
/// there are only nvlink's own messages.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MESSAGES_DIAGNOSTICS_H
#define LLD_CUDA_MESSAGES_DIAGNOSTICS_H

#include "Messages/Printers.h"
#include "lld-cuda/Linker/Diagnostic.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace lld::cuda {

/// `err` and `config` must outlive it. `config` may change while the command
/// line is read; each message is printed by its present values.
class Diagnostics {
public:
  Diagnostics(llvm::raw_ostream &err, const Config &config)
      : err(err), config(config) {}
  ~Diagnostics();

  void report(DiagId id, MessageParts parts) { report(Diagnostic(id, parts)); }
  /// Prints a message and counts it. Warnings may be hidden (-disable-infos,
  /// -w) or be errors (-Werror). After an error the later passes run and report
  /// theirs, but no output is written; after a fatal error no later pass runs.
  void report(Diagnostic d);
  /// Prints `line` under the last message, if explains(). `where` is the source
  /// line that the text names, or null; some formats have a field for it.
  void explain(const llvm::Twine &line, const SourceLine *where = nullptr);
  /// Returns whether the last message was shown and may have explanations.
  bool explains() const;
  /// Like explains(), but true only for the first few calls with an id. For
  /// messages that may come once for each kernel, and whose explanations take a
  /// search.
  bool explains(DiagId id);
  /// Returns a symbol's name as explanations and the lld flavour's messages
  /// show it: demangled, and with control characters escaped.
  std::string display(llvm::StringRef symbol) const;
  /// Returns a symbol's name demangled (unless --no-demangle is given) and not
  /// escaped, for machine-readable outputs and comparisons.
  std::string demangle(llvm::StringRef symbol) const;
  /// Returns the name of a file or section, or a symbol's mangled name, with
  /// control characters escaped.
  std::string shown(llvm::StringRef name) const {
    return lld::cuda::shown(name, config);
  }
  /// Prints what printers have held back, such as counts of equal warnings and
  /// the SARIF log. To be called once, after the last message.
  void finish();
  /// Adds all messages that are shown to `list` too, which must live as long as
  /// messages are reported.
  void recordTo(std::vector<Diagnostic> &list) { record = &list; }

  /// Ends the effect of -Werror in the nvlink flavour, as nvlink does when it
  /// has compiled PTX.
  void forgetWarningsAsErrors() { forgotten = true; }

  /// Returns whether warnings are neither shown nor counted.
  bool hidesWarnings() const;

  /// Returns `err`, for printing text that isn't a message (e.g. the dump of
  /// the call graph), after everything that was reported before. Takes
  /// no lock: only for passes outside of parallel loops.
  llvm::raw_ostream &stream() {
    if (currentPrinter)
      currentPrinter->finish();
    return err;
  }

  /// Returns whether there was a fatal error.
  bool stopped() const { return fatals != 0; }
  unsigned errorCount() const { return errors; }
  int exitStatus() const;

private:
  bool applyOptions(Diagnostic &d) const;
  bool isOverLimit(const Diagnostic &d);
  void print(Diagnostic d);
  void printNote(std::string line, const SourceLine *where = nullptr);
  DiagnosticPrinter &printer();

  llvm::raw_ostream &err;
  const Config &config;
  std::mutex mutex;
  std::unique_ptr<DiagnosticPrinter> currentPrinter; ///< Made when needed.
  // The flavour and the format of `currentPrinter`.
  bool printsLikeLld = false;
  ErrorFormat printsAs{};
  std::vector<Diagnostic> *record = nullptr;
  bool forgotten = false; ///< forgetWarningsAsErrors() was called.
  std::atomic<unsigned> errors{0}, fatals{0};
  bool lastShown = true; ///< Whether the last message was shown.
  /// How often explains() was asked, indexed by DiagId.
  std::array<uint8_t, size_t(DiagId::Count)> explained{};
};

} // namespace lld::cuda

#endif
