//===- SaveFile.cpp - What a link writes ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Output/SaveFile.h"
#include "Ctx.h"
#include "Input/InputFiles.h"
#include "lld-cuda/Finalize/CodeEdit.h"
#include "lld-cuda/Support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda;

/// What was written to the inputs meanwhile is the better explanation.
static void reportWriteError(Ctx &ctx, StringRef path, Error error) {
  if (!error)
    return;
  reportChangedInputs(ctx);
  if (ctx.diag.stopped())
    return consumeError(std::move(error));
  handleAllErrors(
      std::move(error),
      [&](const ECError &e) {
        ctx.diag.report(DiagId::CannotOpenOutput,
                        {"Could not open output file ", diag::file(path)});
        ctx.diag.explain(e.convertToErrorCode().message());
      },
      [&](const ErrorInfoBase &e) {
        ctx.diag.report(DiagId::CannotWriteOutput,
                        {"Internal error: writing file"});
        ctx.diag.explain(e.message());
      });
}

static void keepInMemory(Ctx &ctx, StringRef path, uint64_t size,
                         ArrayRef<OutputSpan> spans, bool afterErrors) {
  auto buffer = WritableMemoryBuffer::getNewMemBuffer(size, path);
  if (!buffer)
    return reportWriteError(ctx, path, createStringError("writing: no memory"));
  for (const OutputSpan &span : spans)
    llvm::copy(span.bytes, buffer->getBufferStart() + span.offset);
  ctx.outputs->inMemory.push_back({std::move(buffer), afterErrors});
}

void lld::cuda::saveFile(Ctx &ctx, StringRef path, uint64_t size,
                         std::vector<OutputSpan> spans) {
  if (path.empty())
    return ctx.diag.report(DiagId::CannotOpenOutput,
                           {"Could not open output file ", diag::file(path)});
  if (ctx.job.outputs == OutputMode::Memory)
    keepInMemory(ctx, path, size, spans, /*afterErrors=*/false);
  else if (ctx.job.outputs == OutputMode::Files)
    reportWriteError(ctx, path,
                     ctx.outputs->files.add({path, size, std::move(spans)}));
}

static void saveText(Ctx &ctx, StringRef path, std::string contents,
                     bool afterErrors) {
  const uint64_t size = contents.size();
  if (ctx.job.outputs == OutputMode::Memory)
    keepInMemory(ctx, path, size, {{0, arrayRefFromStringRef(contents)}},
                 afterErrors);
  if (ctx.job.outputs != OutputMode::Files)
    return;
  OutputRequest request(path, std::move(contents));
  request.afterErrors = afterErrors;
  reportWriteError(ctx, path, ctx.outputs->files.add(std::move(request)));
}

void lld::cuda::saveFile(Ctx &ctx, StringRef path, std::string contents) {
  saveText(ctx, path, std::move(contents), /*afterErrors=*/false);
}

void lld::cuda::saveFileAfterErrors(Ctx &ctx, StringRef path,
                                    std::string contents) {
  saveText(ctx, path, std::move(contents), /*afterErrors=*/!ctx.config.isLld());
}

void lld::cuda::commitOutputs(Ctx &ctx) {
  std::vector<MemoryOutput> &inMemory = ctx.outputs->inMemory;
  if (ctx.diag.exitStatus()) {
    ctx.outputs->files.discardAfterErrors();
    llvm::erase_if(inMemory, [](const auto &o) { return !o.afterErrors; });
  }
  if (!ctx.diag.stopped() && !(ctx.outputs->files.empty() && inMemory.empty()))
    reportChangedInputs(ctx);
  if (ctx.diag.stopped()) {
    inMemory.clear();
    return ctx.outputs->files.discard();
  }
  reportWriteError(ctx, ctx.config.output, ctx.outputs->files.commit());
}
