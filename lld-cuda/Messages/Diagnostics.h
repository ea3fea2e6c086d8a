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
/// whether they are fatal; printers (Printers.h) format them. Thread-safe.
///
/// In the nvlink flavour the text is nvlink's, word for word. Exit status: 0
/// without errors, 255 with errors, 1 after a fatal error.
///
/// In the lld flavour it has lld's form: C++ names are demangled, messages that
/// only repeat that something failed left out, and errors limited. Exit status:
/// 0 or 1.
///
/// Both have explanations below, lines that begin with ">>> ", and warnings
/// about what nvlink passes over in silence (remarks); --no-explain leaves
/// nothing but nvlink's own messages.
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

class Diagnostics {
public:
  Diagnostics(llvm::raw_ostream &err, const Config &config)
      : err(err), config(config) {}
  ~Diagnostics();

  void report(DiagId id, MessageParts parts) { report(Diagnostic(id, parts)); }
  /// Warnings may be hidden (-disable-infos, -w) or errors (-Werror). After an
  /// error the link goes on to its natural end, without an output; after a
  /// fatal one it ends.
  void report(Diagnostic d);
  /// A line below the message before; shown if explains(). `where`: the place
  /// in the source that it names, for printers that tell it apart.
  void explain(const llvm::Twine &line, const SourceLine *where = nullptr);
  bool explains() const;
  /// For messages that may come once for each kernel: also false after some of
  /// that id, since each explanation costs a search.
  bool explains(DiagId id);
  /// A name as explanations and the lld flavour's messages show it.
  std::string display(llvm::StringRef symbol) const;
  /// A name without its mangling, with whatever characters it has: for
  /// programs, and to be compared with what the user says.
  std::string demangle(llvm::StringRef symbol) const;
  /// The name of a file or section, or a symbol's that stays mangled.
  std::string shown(llvm::StringRef name) const {
    return lld::cuda::shown(name, config);
  }
  /// Shows what was held back. To be called once, at the end.
  void finish();
  /// Messages that are shown go there, too.
  void recordTo(std::vector<Diagnostic> &list) { record = &list; }

  /// nvlink forgets -Werror when it has compiled PTX: what it links has to
  /// link.
  void forgetWarningsAsErrors() { forgotten = true; }

  /// Warnings are neither shown nor counted (-disable-infos, -w).
  bool hidesWarnings() const;

  /// Text without prefix (call graph dumps and the like), also on `err`.
  llvm::raw_ostream &stream() {
    if (currentPrinter)
      currentPrinter->finish();
    return err;
  }

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
  bool printsLikeLld =
      false; ///< Whether `currentPrinter` is that of the lld flavour.
  ErrorFormat printsAs{}; ///< In which format `currentPrinter` prints.
  std::vector<Diagnostic> *record = nullptr;
  bool forgotten = false;
  std::atomic<unsigned> errors{0}, fatals{0};
  bool lastShown = true; ///< The last message; explanations follow it.
  std::array<uint8_t, size_t(DiagId::Count)> explained{};
};

} // namespace lld::cuda

#endif
