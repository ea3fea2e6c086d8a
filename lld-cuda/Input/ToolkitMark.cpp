//===- ToolkitMark.cpp - The release of a toolkit directory ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// takeReleaseOfToolkit() makes the linker, called as DIR/bin/nvlink, follow
/// the rules of the release that the toolkit directory DIR stands for
/// [release-choice]. readCommandLine() in Driver.cpp calls it before it reads
/// options, which may choose another release. The release is in the file
/// DIR/.lld-cuda-toolkit, which lld-cuda-toolkit writes when it makes the
/// directory. releaseOfToolkit() reads it; UnpackCubins.cpp asks for a message,
/// and `lld-cuda fatbinary` to write as that release's fatbinary does.
///
//===----------------------------------------------------------------------===//

#include "Input/ToolkitMark.h"
#include "LinkJob.h"
#include "lld-cuda/Support/Program.h"
#include "lld-cuda/Support/RegularFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VersionTuple.h"
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

/// The file's path from the toolkit's bin directory.
static constexpr StringLiteral ToolkitMark = "/../.lld-cuda-toolkit";
static constexpr StringLiteral ReleaseKey = "release ";

std::string releaseOfToolkit(StringRef program) {
  SmallString<128> mark = program.take_front(program.rfind('/'));
  mark += ToolkitMark;
  // Nearly always there is none, and this is the cheapest way to see it.
  if (::access(mark.c_str(), R_OK) != 0)
    return {};
  ErrorOr<std::unique_ptr<MemoryBuffer>> text = readRegularFile(mark);
  if (!text)
    return {};
  SmallVector<StringRef> lines;
  (*text)->getBuffer().split(lines, '\n');
  for (StringRef line : lines)
    if (line.consume_front(ReleaseKey))
      return line.str();
  return {};
}

void takeReleaseOfToolkit(LinkJob &job) {
  StringRef program = job.config.program;
  ReleaseChoice &choice = job.config.release;
  if (job.ownsProcess)
    program = pathOfProgram(program);
  if (!program.contains('/') || program.ends_with("/lld-cuda"))
    return;
  const std::string release = releaseOfToolkit(program);
  if (findRelease(release))
    cantFail(readRelease(release, choice));
  // One that isn't known leaves the choice to the inputs; one that is newer
  // than all, as far as the newest goes.
  else if (VersionTuple version, newest;
           !version.tryParse(release) &&
           !newest.tryParse(newestRelease().name) && version > newest)
    choice.request.release = &newestRelease();
}

} // namespace lld::cuda
