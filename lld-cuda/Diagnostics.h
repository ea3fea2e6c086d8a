//===- Diagnostics.h - Messages of a link -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The one place where messages are made. A pass reports and goes on, or
/// reports a fatal error and returns; link() looks at stopped() after each
/// pass. Thread-safe.
///
/// In the nvlink flavour the text is nvlink's, word for word:
///   "nvlink warning : text", "nvlink error   : text", "nvlink fatal   : text".
/// Exit status: 0 without errors, 255 with errors, 1 after a fatal error.
///
/// In the lld flavour it is lld's form, "ld.cuda: error: text", with C++ names
/// demangled, lines that only repeat that something failed left out, and equal
/// warnings in a row counted. Exit status: 0 or 1.
///
/// Both have explanations below, lines that begin with ">>> ", and warnings
/// about what nvlink passes over in silence (remark()); --no-explain leaves
/// nothing but nvlink's own messages.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DIAGNOSTICS_H
#define LLD_CUDA_DIAGNOSTICS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <atomic>
#include <mutex>
#include <string>

namespace lld::cuda {

struct Config;

/// Verbatim: another program's messages, printed as they are.
/// Explanation: a line below the message before.
/// Remark: a warning that nvlink doesn't have.
enum class Severity : uint8_t {
  Verbatim,
  Info,
  Warning,
  Error,
  Fatal,
  Explanation,
  Remark
};

/// Kinds of messages that may come once for each kernel.
enum class ExplainedKind : uint8_t {
  StackSize,
  RegisterLimit,
  SharedMemory,
  Count
};

/// A message that is reported later, at its place in the order of messages.
struct Diagnostic {
  Severity severity;
  std::string text;
};

class Diagnostics {
public:
  Diagnostics(llvm::raw_ostream &err, const Config &config)
      : err(err), config(config) {}

  void info(const llvm::Twine &text) { report(Severity::Info, text); }
  /// -Werror makes it an error; -disable-infos and -w hide it.
  void warning(const llvm::Twine &text) { report(Severity::Warning, text); }
  /// In the nvlink flavour -Werror leaves it a warning: what nvlink links has
  /// to link.
  void remark(const llvm::Twine &text) { report(Severity::Remark, text); }
  /// The link goes on to its natural end, without an output; exit status 255.
  void error(const llvm::Twine &text) { report(Severity::Error, text); }
  /// The link ends; exit status 1.
  void fatal(const llvm::Twine &text) { report(Severity::Fatal, text); }
  void report(Severity severity, const llvm::Twine &text);
  void report(const Diagnostic &d) { report(d.severity, d.text); }
  /// A line below the message before; shown if explains().
  void explain(const llvm::Twine &line);
  bool explains() const;
  /// Also false when the message before was hidden. After MaxExplained messages
  /// of a kind it counts as false, too: each costs a search.
  bool explains(ExplainedKind kind);
  /// A name as explanations and the lld flavour's messages show it.
  std::string display(llvm::StringRef symbol) const;
  /// Shows what was held back. To be called once, at the end.
  void finish();

  /// Warnings are neither shown nor counted (-disable-infos, -w).
  bool hidesWarnings() const;

  /// Text without prefix (call graph dumps and the like), also on `err`.
  llvm::raw_ostream &stream() {
    finish();
    return err;
  }

  bool stopped() const { return fatals != 0; }
  unsigned errorCount() const { return errors; }
  int exitStatus() const;

private:
  void reportLikeNvlink(Severity severity, const llvm::Twine &text);
  void reportLikeLld(Severity severity, llvm::StringRef text);
  void writePending();
  std::string demangleQuoted(llvm::StringRef text) const;

  llvm::raw_ostream &err;
  const Config &config;
  std::mutex mutex;
  std::atomic<unsigned> errors{0}, fatals{0};
  /// The lld flavour's last warning, which may come again.
  struct {
    std::string text, explanation;
    unsigned count = 0;
  } pending;
  bool lastShown = true; ///< The last message; explanations follow it.
  std::array<unsigned, size_t(ExplainedKind::Count)> explained{};
};

} // namespace lld::cuda

#endif
