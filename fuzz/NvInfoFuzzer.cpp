//===- NvInfoFuzzer.cpp - Fuzzes the reader of attributes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the reader and the writer of attribute records, as in .nv.info
/// (lib/Object/NvInfo.h). libFuzzer calls LLVMFuzzerTestOneInput() with each
/// input that it makes, in runs of scripts/fuzz.sh; an input is the contents of
/// a section. Each record that is read is written again, and the result must be
/// the input up to where an error ended the walk.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/NvInfo.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

/// What was read is written again; it must be the input up to where an error
/// ended the walk.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  llvm::SmallVector<char> written;
  llvm::Error error = forEachNvInfoRecord(
      {bytes, size}, [&](size_t offset, const NvInfoRecord &record) {
        require(offset == written.size());
        require(record.hasPayload() || record.payload.empty());
        requirePart({reinterpret_cast<const char *>(record.payload.data()),
                     record.payload.size()},
                    data);
        for (unsigned i = 0; i < record.wordCount(); ++i)
          (void)record.word(i);
        writeNvInfoRecord(record, written);
        return llvm::Error::success();
      });
  require(data.starts_with(StringRef(written.data(), written.size())));
  if (error)
    requireText(std::move(error));
  else
    require(written.size() == size);
  return 0;
}
