//===- Times.cpp - The table of -time -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// addTimes() appends lines to the table of -time, which has the time of each
/// compiler that a link has run [time-table]. readInputs() in Link.cpp calls it
/// at the start of a link, for the table's header, then addCompileTimes() with
/// the times of ptxas when the inputs are loaded; LtoNvidia.cpp adds those of
/// link-time optimization. The file is appended to at once, and not put in
/// place with the outputs at the end: several links of a build may share it.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Inputs.h"
#include "Report/Reports.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace lld::cuda {

bool addTimes(const Inputs &inputs, StringRef lines) {
  if (!inputs.config.timeFile || inputs.job.outputs == OutputMode::None)
    return true;
  constexpr StringLiteral header =
      "source file name , phase name , phase input files , phase output file , "
      "arch , tool, metric , unit\n";
  const std::string &path = *inputs.config.timeFile;
  if (path == "-") {
    inputs.out << (lines.empty() ? StringRef(header) : lines);
    return true;
  }
  if (inputs.job.outputs != OutputMode::Files)
    return true;
  std::error_code ec;
  raw_fd_ostream os(path, ec, sys::fs::CD_OpenAlways, sys::fs::FA_Write,
                    sys::fs::OF_Append);
  if (ec) {
    inputs.diag.report(DiagId::CannotOpenOutput,
                       {"Cannot open file ", diag::file(path)});
    return false;
  }
  uint64_t size = 0;
  if (!sys::fs::file_size(path, size) && size == 0)
    os << header;
  os << lines;
  os.close();
  if (os.has_error()) {
    // nvlink doesn't report this, so it is a remark and no error.
    Diagnostic d(
        DiagId::CannotWriteOutput, Severity::Remark,
        {"the table of times in ", diag::file(path), " isn't complete"});
    d.notes.push_back(os.error().message());
    inputs.diag.report(std::move(d));
  }
  os.clear_error();
  return true;
}

void addCompileTimes(const Inputs &inputs) {
  if (!inputs.config.timeFile)
    return;
  std::string lines;
  raw_string_ostream os(lines);
  for (const InputFile &file : inputs.files) {
    for (const InputUnit &unit : file.units) {
      bool isFile = unit.kind == ContentKind::PTX;
      const std::string label = inputs.diag.shown(unit.label);
      for (double time : unit.told.compileTimes)
        os << (isFile ? label : "ptx") << " , ptxas , " << label
           << (isFile ? " ,  , " : " , cubin , ") << inputs.config.archName
           << " , nvlink , " << format("%.4f", time) << " , ms\n";
    }
  }
  if (!lines.empty())
    addTimes(inputs, lines);
}

} // namespace lld::cuda
