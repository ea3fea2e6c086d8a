//===- SaveFile.cpp - Outputs until the end of a link ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// saveFile() takes all that a link writes: the image from Writer.cpp, the
/// register file, reports. As the LinkJob says, each output becomes a temporary
/// file beside its target, or stays in memory for a user of the library.
/// Driver.cpp, Library.cpp and LinkSession.cpp call commitOutputs() at the end
/// of a link: it puts all outputs in place together, or none. After errors it
/// writes only those outputs that nvlink writes even then, and after a fatal
/// error none.
///
/// Before that commitOutputs() looks once more whether an input was written to
/// during the link, which is an error: parts of the image might be of another
/// version than the rest. If an output can't be written, the inputs are also
/// checked, since a changed input explains the failure better.
///
//===----------------------------------------------------------------------===//

#include "Output/SaveFile.h"
#include "Input/InputFiles.h"
#include "Inputs.h"
#include "Parallel.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/Support/LongLived.h"
#include "lld-cuda/Support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstring>

using namespace llvm;
using namespace lld::cuda;

/// Reports an output that can't be written, or inputs that were changed
/// meanwhile, which is the better explanation.
static void reportWriteError(const Inputs &inputs, StringRef path,
                             Error error) {
  if (!error)
    return;
  reportChangedInputs(inputs);
  if (inputs.diag.stopped())
    return consumeError(std::move(error));
  handleAllErrors(
      std::move(error),
      [&](const ECError &e) {
        inputs.diag.report(DiagId::CannotOpenOutput,
                           {"Could not open output file ", diag::file(path)});
        inputs.diag.explain(e.convertToErrorCode().message());
      },
      [&](const ErrorInfoBase &e) {
        inputs.diag.report(DiagId::CannotWriteOutput,
                           {"Internal error: writing file"});
        inputs.diag.explain(e.message());
      });
}

static void keepInMemory(const Inputs &inputs, StringRef path, uint64_t size,
                         ArrayRef<OutputSpan> spans, bool afterErrors) {
  LongLived kept; // The caller of the link gets it.
  auto buffer = WritableMemoryBuffer::getNewUninitMemBuffer(size, path);
  if (!buffer) // Told as a lack of memory is told everywhere else.
    report_bad_alloc_error("no memory for the output");
  char *const begin = buffer->getBufferStart(), *at = begin;
  for (const OutputSpan &span : spans) {
    std::fill(at, begin + span.offset, '\0');
    at = begin + span.offset;
    // std::copy() doesn't know that these are bytes on both sides.
    if (!span.bytes.empty())
      memcpy(at, span.bytes.data(), span.bytes.size());
    at += span.bytes.size();
  }
  std::fill(at, begin + size, '\0');
  inputs.tools.outputs->inMemory.push_back({std::move(buffer), afterErrors});
}

/// Reports that are to be printed don't come here.
static bool isStandardOutput(const Inputs &inputs, StringRef path) {
  return path == "-" && inputs.config.writesToStandardOutput();
}

LinkOutputs::LinkOutputs() = default;
LinkOutputs::~LinkOutputs() = default;

/// Makes the change of a file whose new contents are read back (--check) before
/// they replace the old ones.
static FileChange *makeChange(const Inputs &inputs,
                              std::function<void(StringRef)> readBack) {
  auto change = std::make_unique<FileChange>();
  change->check = [readBack = std::move(readBack)](StringRef written) {
    readBack(written);
    return Error::success();
  };
  inputs.tools.outputs->changes.push_back(std::move(change));
  return inputs.tools.outputs->changes.back().get();
}

void lld::cuda::saveFile(const Inputs &inputs, StringRef path, uint64_t size,
                         std::vector<OutputSpan> spans,
                         const std::function<void(StringRef)> &readBack) {
  if (path.empty())
    return inputs.diag.report(
        DiagId::CannotOpenOutput,
        {"Could not open output file ", diag::file(path)});
  if (inputs.job.outputs == OutputMode::Memory)
    keepInMemory(inputs, path, size, spans, /*afterErrors=*/false);
  if (readBack && inputs.job.outputs == OutputMode::Memory)
    readBack(inputs.tools.outputs->inMemory.back().buffer->getBuffer());
  if (inputs.job.outputs != OutputMode::Files)
    return;
  OutputRequest request(path, size, std::move(spans));
  request.loop = [&inputs](size_t n, function_ref<void(size_t)> fn) {
    parallelForEach(inputs, n, fn);
  };
  if (readBack)
    request.change = makeChange(inputs, readBack);
  request.toStandardOutput = isStandardOutput(inputs, path);
  reportWriteError(inputs, path,
                   inputs.tools.outputs->files.add(std::move(request)));
}

static void saveText(const Inputs &inputs, StringRef path, std::string contents,
                     bool afterErrors) {
  const uint64_t size = contents.size();
  if (inputs.job.outputs == OutputMode::Memory)
    keepInMemory(inputs, path, size, {{0, arrayRefFromStringRef(contents)}},
                 afterErrors);
  if (inputs.job.outputs != OutputMode::Files)
    return;
  OutputRequest request(path, std::move(contents));
  request.afterErrors = afterErrors;
  request.toStandardOutput = isStandardOutput(inputs, path);
  reportWriteError(inputs, path,
                   inputs.tools.outputs->files.add(std::move(request)));
}

void lld::cuda::saveFile(const Inputs &inputs, StringRef path,
                         std::string contents) {
  saveText(inputs, path, std::move(contents), /*afterErrors=*/false);
}

void lld::cuda::saveFileAfterErrors(const Inputs &inputs, StringRef path,
                                    std::string contents) {
  saveText(inputs, path, std::move(contents),
           /*afterErrors=*/!inputs.config.isLld());
}

void lld::cuda::commitOutputs(const Inputs &inputs) {
  std::vector<MemoryOutput> &inMemory = inputs.tools.outputs->inMemory;
  if (inputs.diag.exitStatus()) {
    inputs.tools.outputs->files.discardAfterErrors();
    llvm::erase_if(inMemory, [](const auto &o) { return !o.afterErrors; });
  }
  if (!inputs.diag.stopped() &&
      !(inputs.tools.outputs->files.empty() && inMemory.empty()))
    reportChangedInputs(inputs);
  if (inputs.diag.stopped()) {
    inMemory.clear();
    return inputs.tools.outputs->files.discard();
  }
  reportWriteError(inputs, inputs.config.output,
                   inputs.tools.outputs->files.commit());
}
