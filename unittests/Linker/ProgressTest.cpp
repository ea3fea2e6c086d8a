//===- ProgressTest.cpp - A line that says how far a link is --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages/Progress.h"
#include "gtest/gtest.h"

using namespace lld::cuda;

namespace {

/// What is shown at once.
std::string firstLine(ProgressLine &line, std::string &written) {
  line.start(ProgressMode::Yes, "ld.cuda", {});
  line.finish();
  return written;
}

TEST(Progress, SharesOnlyRise) {
  LinkProgress progress("");
  unsigned before = 0;
  for (const char *stage : {
#define PROGRESS_STAGE(NAME, PERCENT) NAME,
#include "Messages/ProgressStages.def"
       }) {
    progress.enter(stage);
    EXPECT_GE(progress.percent(), before) << stage;
    before = progress.percent();
    progress.advance(2);
    EXPECT_GE(progress.percent(), before) << stage;
    progress.advance(2);
    before = progress.percent();
    // More parts than were announced don't go beyond the stage.
    progress.advance(2);
    EXPECT_EQ(progress.percent(), before) << stage;
  }
  EXPECT_EQ(before, 100u);
}

TEST(Progress, NamesTheLinkThatIsLeastFar) {
  std::string written;
  llvm::raw_string_ostream err(written);
  ProgressLine line(err);
  line.addLink("sm_80").enter("write");
  line.addLink("sm_90").enter("merge");
  line.setPartOfLinks(60);
  // (89 + 20) / 2 of 60 %.
  EXPECT_EQ(firstLine(line, written),
            "\rld.cuda: 32% sm_90: merge\x1b[K\r\x1b[K");
}

TEST(Progress, MessagesTakeItsPlace) {
  std::string written, printed;
  llvm::raw_string_ostream err(written), out(printed);
  ProgressLine line(err);
  AboveProgress above(err, line), aboveOut(out, line);
  line.addLink("");
  above << "begun ";
  line.start(ProgressMode::Yes, "ld.cuda", {});
  // Half a line of a message isn't written over.
  EXPECT_EQ(written, "begun ");
  line.finish();
  above << "ended\n";
  aboveOut << "output\n";
  EXPECT_EQ(written, "begun ended\n");
  EXPECT_EQ(printed, "output\n");
}

TEST(Progress, NothingWithoutTerminal) {
  std::string written;
  llvm::raw_string_ostream err(written);
  ProgressLine line(err);
  line.addLink("");
  line.start(ProgressMode::Auto, "ld.cuda", {});
  line.finish();
  EXPECT_EQ(written, "");
}

} // namespace
