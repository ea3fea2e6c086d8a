//===- PreparedInput.cpp - An input of many links -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input/PreparedInput.h"
#include "Input/OpenFile.h"
#include "lld-cuda/Linker.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace lld::cuda;

static OpenedFile readWhole(const LinkInput &input) {
  OpenedFile result;
  if (input.contents) {
    result.buffer =
        InputBuffer::copy(MemoryBufferRef(*input.contents, input.name));
    if (!result.buffer)
      result.error = std::make_error_code(std::errc::not_enough_memory);
    // No device has this number; the bytes' address tells files apart.
    else
      result.id = sys::fs::UniqueID(~uint64_t(0),
                                    uint64_t(result.buffer->getBufferStart()));
    return result;
  }
  InputBuffer::Options options;
  options.mayMap = false;
  options.whole = true;
  // Nobody could end a link that waits for a pipe.
  return readOpenFile(input.path, openToRead(input.path, FileKinds::Regular),
                      options);
}

std::shared_ptr<PreparedInput>
lld::cuda::prepareInput(const LinkInput &input,
                        std::vector<Diagnostic> &messages) {
  OpenedFile file = readWhole(input);
  if (file.buffer)
    return std::make_shared<PreparedInput>(std::move(file));
  if (file.error == std::errc::not_enough_memory)
    report_bad_alloc_error("no memory for an input");
  messages.push_back(
      openError(file, input.name.empty() ? input.path : input.name));
  return nullptr;
}
