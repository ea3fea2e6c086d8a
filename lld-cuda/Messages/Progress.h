//===- Progress.h - The progress line, --progress ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The progress line of --progress: while a link takes long, the last line of
/// the terminal names its stage and the percentage done. runCommandLine() in
/// Driver.cpp owns the line. It adds its link, or DeviceLink.cpp adds one link
/// for each target; passes update these through Stages. The line is erased
/// before anything else is printed, and at the end.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MESSAGES_PROGRESS_H
#define LLD_CUDA_MESSAGES_PROGRESS_H

#include "Rules/Config.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string>

namespace lld::cuda {

/// Parses the value of --progress: "auto", "yes" or "no".
std::optional<ProgressMode> parseProgressMode(llvm::StringRef name);

/// How far one link is. The link's threads write to it while the thread that
/// draws the line reads it.
class LinkProgress {
public:
  explicit LinkProgress(std::string label) : label(std::move(label)) {}
  /// Starts a stage. `stage` must be a string literal; ProgressStages.def says
  /// at which percentage each stage starts.
  void enter(const char *stage);
  /// Counts one of `count` equal parts of the stage as done.
  void advance(size_t count);

  const std::string label; ///< Names the link where there are several.
  const char *stage() const { return current; }
  unsigned percent() const { return share; }

private:
  std::atomic<const char *> current{"read inputs"};
  /// The percentages at which the stage begins and ends.
  std::atomic<unsigned> first{0}, last{0};
  std::atomic<unsigned> share{0};
  std::atomic<size_t> done{0};
};

/// The line, with the thread that draws it. Nothing is shown, and no thread
/// runs, until start().
class ProgressLine {
public:
  explicit ProgressLine(llvm::raw_ostream &err) : err(err) {}
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;
  ~ProgressLine() { finish(); }

  /// Adds a link whose progress is shown. May only be called before start().
  /// The result is owned by the line.
  LinkProgress &addLink(const llvm::Twine &label);
  LinkProgress &link(size_t i) { return links[i]; }
  /// Sets the percentage that is reached when all links are done. Each link
  /// has an equal share of it.
  void setPartOfLinks(unsigned percent) { partOfLinks = percent; }
  void start(ProgressMode mode, llvm::StringRef program,
             const Environment &environment);
  /// Names what is done after all links, and the percentage done so far.
  void enter(const char *stage, unsigned percent);
  /// Erases the line and ends the thread.
  void finish();

  bool isOnStandardError() const { return &err == &llvm::errs(); }
  /// Prints `text` to `to` where the line is; the line is erased first.
  void print(llvm::raw_ostream &to, llvm::StringRef text);

private:
  static void *run(void *line);
  std::string text() const;
  void draw();
  void erase();

  llvm::raw_ostream &err;
  std::string program;
  std::deque<LinkProgress> links;
  unsigned partOfLinks = 100;
  std::mutex mutex;
  std::condition_variable wake;
  const char *lastStage = nullptr; ///< The stage after all links, or null.
  unsigned lastPercent = 0;
  bool isRunning = false, isEnding = false, isAtLineStart = true;
  std::string shown; ///< What the terminal shows; empty if there is no line.
  pthread_t thread;
};

/// A stream that prints to `to` after it has erased the line. All output to the
/// terminal goes through such streams while there is a line.
class AboveProgress : public llvm::raw_ostream {
public:
  AboveProgress(llvm::raw_ostream &to, ProgressLine &line)
      : raw_ostream(/*unbuffered=*/true), to(to), line(line) {}
  bool is_displayed() const override { return to.is_displayed(); }
  bool has_colors() const override { return to.has_colors(); }

private:
  void write_impl(const char *text, size_t size) override {
    line.print(to, {text, size});
  }
  uint64_t current_pos() const override { return to.tell(); }

  llvm::raw_ostream &to;
  ProgressLine &line;
};

} // namespace lld::cuda

#endif
