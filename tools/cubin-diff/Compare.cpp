//===- Compare.cpp - The verdict on two cubins ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares two cubins: tries one verdict after another, from the strictest
/// down. cubin-diff's main() calls compare() if both files are cubins, and
/// CompareFiles.cpp calls it for each pair of cubins in other files. The
/// verdicts are: the same bytes; the same but for the notes in which a linker
/// names itself (Relayout.cpp); the same but for these and the scheduling of
/// instructions (Schedule.cpp); other bytes and the same meaning, or different
/// (Meaning.cpp). The cheap tests come first, and the last one is the only one
/// that lists differences.
///
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Relayout.h"
#include "Schedule.h"
#include "Side.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

/// The functions that are scheduled in another way, if nothing else differs.
static std::vector<ScheduleDifference> findRescheduled(const Side &a,
                                                       const Side &b) {
  std::vector<ScheduleDifference> functions;
  std::vector<uint8_t> bytes = withScheduleOf(a.file, b.file, functions);
  if (functions.empty())
    return {};
  StringRef patched = toStringRef(ArrayRef(bytes));
  if (patched == a.file.buffer().getBuffer())
    return functions;
  // Only code has changed, so that the file is as well-formed as before.
  Expected<CubinFile> file = CubinFile::create(
      MemoryBufferRef(patched, b.file.buffer().getBufferIdentifier()));
  if (!file) {
    consumeError(file.takeError());
    return {};
  }
  return differOnlyInNotes(a.file, *file) ? functions
                                          : std::vector<ScheduleDifference>();
}

static DiffReport malformed(MemoryBufferRef buffer, Error error) {
  return {Verdict::Different,
          {{Topic::Malformed, buffer.getBufferIdentifier().str(),
            "malformed: " + toString(std::move(error))}},
          {},
          /*isMalformed=*/true};
}

DiffReport compare(MemoryBufferRef aBuffer, MemoryBufferRef bBuffer,
                   const CompareOptions &options) {
  if (aBuffer.getBuffer() == bBuffer.getBuffer())
    return {Verdict::Identical, {}, {}};
  Expected<Side> a = Side::create(aBuffer);
  if (!a)
    return malformed(aBuffer, a.takeError());
  Expected<Side> b = Side::create(bBuffer);
  if (!b)
    return malformed(bBuffer, b.takeError());

  if (differOnlyInNotes(a->file, b->file))
    return {Verdict::IdenticalButNote, {}, {}};
  std::vector<ScheduleDifference> functions = findRescheduled(*a, *b);
  if (!functions.empty()) {
    DiffReport report{Verdict::Scheduling, {}, {}};
    for (const ScheduleDifference &function : functions)
      report.remarks.push_back(
          {Topic::Scheduling, "section " + function.section,
           scheduleText(function.changed, function.instructions)});
    return report;
  }
  return compareMeaning(*a, *b, options);
}

} // namespace lld::cuda
