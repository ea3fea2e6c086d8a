//===- Progress.h - A line that says how far a link is ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --progress: while a link takes long, the last line of the terminal names
/// its stage and how much is done. It goes before anything else is printed, and
/// at the end.
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

std::optional<ProgressMode> parseProgressMode(llvm::StringRef name);

/// How far one link is. Its threads write, the one that draws reads.
class LinkProgress {
public:
  explicit LinkProgress(std::string label) : label(std::move(label)) {}
  void enter(const char *stage);
  /// One of `count` equal parts of the stage is done.
  void advance(size_t count);

  const std::string label; ///< Which of several links this is.
  const char *stage() const { return current; }
  unsigned percent() const { return share; }

private:
  std::atomic<const char *> current{"read inputs"};
  std::atomic<unsigned> first{0}, last{0}; ///< Shares of the stage.
  std::atomic<unsigned> share{0};
  std::atomic<size_t> done{0};
};

/// The line. Nothing is shown, and no thread runs, until start().
class ProgressLine {
public:
  explicit ProgressLine(llvm::raw_ostream &err) : err(err) {}
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;
  ~ProgressLine() { finish(); }

  /// Before start(). Links each have an equal part of the first `percent`.
  LinkProgress &addLink(const llvm::Twine &label);
  LinkProgress &link(size_t i) { return links[i]; }
  void setPartOfLinks(unsigned percent) { partOfLinks = percent; }
  void start(ProgressMode mode, llvm::StringRef program,
             const Environment &environment);
  /// After all links: what is done then, and how much is behind it.
  void enter(const char *stage, unsigned percent);
  /// Takes the line away for good.
  void finish();

  bool isOnStandardError() const { return &err == &llvm::errs(); }
  /// Prints in the line's place.
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
  const char *lastStage = nullptr; ///< After the links.
  unsigned lastPercent = 0;
  bool isRunning = false, isEnding = false, isAtLineStart = true;
  std::string shown; ///< Empty: there is no line.
  pthread_t thread;
};

/// A stream whose text takes the line's place.
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
