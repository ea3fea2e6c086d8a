//===- NoteFuzzer.cpp - Fuzzes the readers of cubins' notes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the readers and writers of .note.nv.cuinfo and .note.nv.tkinfo
/// (lib/Object/Note.h). libFuzzer calls LLVMFuzzerTestOneInput() with each
/// input that it makes, in runs of scripts/fuzz.sh; an input is the contents of
/// such a section. A note that is read must say the same after it was written
/// and read again.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/Note.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

static llvm::ArrayRef<uint8_t> toArrayRef(const llvm::SmallVector<char> &v) {
  return {reinterpret_cast<const uint8_t *>(v.data()), v.size()};
}

static void checkCuInfo(llvm::ArrayRef<uint8_t> section) {
  llvm::Expected<CuInfoNote> note = readCuInfoNote(section);
  if (!note)
    return requireText(note.takeError());
  llvm::SmallVector<char> written;
  writeCuInfoNote(*note, written);
  CuInfoNote again = llvm::cantFail(readCuInfoNote(toArrayRef(written)));
  require(again.version == note->version &&
          again.virtualArch == note->virtualArch &&
          again.toolkit == note->toolkit);
}

/// Strings may share bytes in the input, so that records are compared by what
/// they say after they were written and read again.
static void checkTkInfo(llvm::ArrayRef<uint8_t> section) {
  llvm::Expected<std::vector<TkInfoNote>> notes = readTkInfoNotes(section);
  if (!notes)
    return requireText(notes.takeError());
  StringRef data(reinterpret_cast<const char *>(section.data()),
                 section.size());
  for (const TkInfoNote &note : *notes) {
    for (StringRef part :
         {note.file, note.tool, note.toolVersion, note.build, note.command})
      requirePart(part, data);
    llvm::SmallVector<char> written;
    writeTkInfoNote(note, written);
    auto again = llvm::cantFail(readTkInfoNotes(toArrayRef(written)));
    require(again.size() == 1);
    require(again[0].file == note.file && again[0].tool == note.tool &&
            again[0].toolVersion == note.toolVersion &&
            again[0].build == note.build && again[0].command == note.command);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  checkCuInfo({bytes, size});
  checkTkInfo({bytes, size});
  if (llvm::Error error = checkNotes({bytes, size}))
    requireText(std::move(error));
  return 0;
}
