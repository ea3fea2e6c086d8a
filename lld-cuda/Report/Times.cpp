//===- Times.cpp - The table of -time -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// [time-table]
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Input/InputFiles.h"
#include "Report/Reports.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace lld::cuda {

bool addTimes(Ctx &ctx, StringRef lines) {
  if (!ctx.config.timeFile || ctx.job.outputs == OutputMode::None)
    return true;
  constexpr StringLiteral header =
      "source file name , phase name , phase input files , phase output file , "
      "arch , tool, metric , unit\n";
  const std::string &path = *ctx.config.timeFile;
  if (path == "-") {
    ctx.out << (lines.empty() ? StringRef(header) : lines);
    return true;
  }
  if (ctx.job.outputs != OutputMode::Files)
    return true;
  std::error_code ec;
  raw_fd_ostream os(path, ec, sys::fs::CD_OpenAlways, sys::fs::FA_Write,
                    sys::fs::OF_Append);
  if (ec) {
    ctx.diag.report(DiagId::CannotOpenOutput,
                    {"Cannot open file ", diag::file(path)});
    return false;
  }
  uint64_t size = 0;
  if (!sys::fs::file_size(path, size) && size == 0)
    os << header;
  os << lines;
  os.close();
  if (os.has_error()) {
    // nvlink doesn't notice.
    Diagnostic d(DiagId::CannotWriteOutput, Severity::Remark,
                 {"the table of times in ", diag::file(path),
                  " isn't complete"});
    d.notes.push_back(os.error().message());
    ctx.diag.report(std::move(d));
  }
  os.clear_error();
  return true;
}

void addCompileTimes(Ctx &ctx) {
  if (!ctx.config.timeFile)
    return;
  std::string lines;
  raw_string_ostream os(lines);
  for (const InputFile &file : ctx.inputs) {
    for (const InputUnit &unit : file.units) {
      bool isFile = unit.kind == ContentKind::PTX;
      const std::string label = ctx.diag.shown(unit.label);
      for (double time : unit.told.compileTimes)
        os << (isFile ? label : "ptx") << " , ptxas , " << label << (isFile ? " ,  , " : " , cubin , ")
           << ctx.config.archName << " , nvlink , " << format("%.4f", time)
           << " , ms\n";
    }
  }
  if (!lines.empty())
    addTimes(ctx, lines);
}

} // namespace lld::cuda
