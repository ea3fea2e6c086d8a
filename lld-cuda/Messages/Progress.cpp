//===- Progress.cpp - The line of --progress ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A ProgressLine shows in the last line of the terminal how far a link is: its
/// thread looks every 100 ms whether that has changed. With --progress=auto the
/// line first appears after a second, so most links never have one. The passes
/// only set numbers (LinkProgress), by way of Stages; runCommandLine() in
/// Driver.cpp owns the line, for device links too.
///
/// Messages and the line must not mix. All other text goes through
/// AboveProgress, which erases the line before it prints, and the line isn't
/// drawn while the last line of a message is incomplete. Without --progress=yes
/// there is no line where others write to the terminal as well: under make's
/// job server, or in the background.
///
//===----------------------------------------------------------------------===//

#include "Messages/Progress.h"
#include "lld-cuda/Support/Cleanup.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <chrono>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

namespace {
struct StageShare {
  StringLiteral name;
  unsigned percent;
};

constexpr StageShare StageShares[] = {
#define PROGRESS_STAGE(NAME, PERCENT) {NAME, PERCENT},
#include "Messages/ProgressStages.def"
};

constexpr std::chrono::milliseconds ShownAfter{1000}, Interval{100};
} // namespace

std::optional<ProgressMode> lld::cuda::parseProgressMode(StringRef name) {
  return StringSwitch<std::optional<ProgressMode>>(name)
      .Case("auto", ProgressMode::Auto)
      .Case("yes", ProgressMode::Yes)
      .Case("no", ProgressMode::No)
      .Default(std::nullopt);
}

void LinkProgress::enter(const char *stage) {
  const auto *found = find_if(
      StageShares, [&](const StageShare &s) { return s.name == stage; });
  current = stage;
  if (found == std::end(StageShares))
    return;
  first = found->percent;
  last = found + 1 == std::end(StageShares) ? 100 : found[1].percent;
  done = 0;
  share = found->percent;
}

void LinkProgress::advance(size_t count) {
  const size_t now = std::min(count, ++done);
  if (count)
    share = first + (last - first) * now / count;
}

LinkProgress &ProgressLine::addLink(const Twine &label) {
  return links.emplace_back(label.str());
}

/// Whether a line can be written that nobody else writes into: not where
/// several jobs of make share the terminal, or in the background.
static bool hasTerminal(const raw_ostream &err,
                        const Environment &environment) {
  if (!err.is_displayed() || environment.terminal == "dumb" ||
      StringRef(environment.makeFlags).contains("--jobserver"))
    return false;
  const pid_t foreground = ::tcgetpgrp(STDERR_FILENO);
  return foreground < 0 || foreground == ::getpgrp();
}

void ProgressLine::start(ProgressMode mode, StringRef name,
                         const Environment &environment) {
  if (mode == ProgressMode::No ||
      (mode == ProgressMode::Auto && !hasTerminal(err, environment)))
    return;
  program = name.str();
  if (mode == ProgressMode::Yes) {
    std::lock_guard<std::mutex> lock(mutex);
    draw();
  }
  // Without a thread there is no line; with --progress=yes it stays what it is.
  isRunning = ::pthread_create(&thread, nullptr, run, this) == 0;
}

void *ProgressLine::run(void *argument) {
  auto *line = static_cast<ProgressLine *>(argument);
  std::unique_lock<std::mutex> lock(line->mutex);
  auto isEnding = [&] { return line->isEnding; };
  if (line->shown.empty() && line->wake.wait_for(lock, ShownAfter, isEnding))
    return nullptr;
  do
    line->draw();
  while (!line->wake.wait_for(lock, Interval, isEnding));
  return nullptr;
}

void ProgressLine::enter(const char *stage, unsigned percent) {
  std::lock_guard<std::mutex> lock(mutex);
  lastStage = stage;
  lastPercent = percent;
}

void ProgressLine::finish() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
    erase();
  }
  if (isRunning) {
    wake.notify_one();
    ::pthread_join(thread, nullptr);
    isRunning = false;
  }
}

void ProgressLine::print(raw_ostream &to, StringRef text) {
  std::lock_guard<std::mutex> lock(mutex);
  erase();
  to << text;
  isAtLineStart = text.empty() ? isAtLineStart : text.back() == '\n';
}

/// Returns the text of the line, which names the link that is least far.
std::string ProgressLine::text() const {
  std::string text = program + ": ";
  if (lastStage)
    return text + utostr(lastPercent) + "% " + lastStage;
  if (links.empty())
    return text;
  unsigned sum = 0;
  const LinkProgress *slowest = &links.front();
  for (const LinkProgress &link : links) {
    sum += link.percent();
    if (link.percent() < slowest->percent())
      slowest = &link;
  }
  text += utostr(sum * partOfLinks / (links.size() * 100)) + "% ";
  if (!slowest->label.empty())
    text += slowest->label + ": ";
  return text + slowest->stage();
}

void ProgressLine::draw() {
  // A message whose line has no end yet must not be overwritten.
  if (!isAtLineStart || isEnding)
    return;
  std::string next = text();
  winsize size = {};
  constexpr size_t UsualWidth = 80;
  const bool knowsWidth =
      ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col;
  next.resize(std::min<size_t>(next.size(),
                               (knowsWidth ? size.ws_col : UsualWidth) - 1));
  if (next == shown || next.empty())
    return;
  noteProgressLine(true);
  shown = next;
  // In one write, so that no text of another process comes between.
  err << "\r" + next + "\x1b[K";
  err.flush();
}

void ProgressLine::erase() {
  if (shown.empty())
    return;
  shown.clear();
  err << EraseLine;
  err.flush();
  noteProgressLine(false);
}
