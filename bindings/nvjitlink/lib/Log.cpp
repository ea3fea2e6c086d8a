//===- Log.cpp - From diagnostics to lines of a log -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// readDiagnostics() takes the diagnostics that liblld-cuda has added to a link
/// since the last call, and turns them into lines of the logs that a program
/// reads with nvJitLinkGetErrorLog() and nvJitLinkGetInfoLog(): "warning : "
/// and the text, which is how nvlink begins a line, without the word nvlink.
/// Job.cpp calls it after each step of a link and decides which lines go into
/// which log. What a compiler printed stays as it is and apart from the
/// linker's own errors, and so do explanations of errors, which Job.cpp puts
/// below them as notes.
///
//===----------------------------------------------------------------------===//

#include "Log.h"
#include "lldcuda.h"

namespace lld::cuda::nvjitlink {

static std::string asString(lldcuda_string text) {
  return std::string(text.data ? text.data : "", text.size);
}

/// nvlink's words without "nvlink ".
static const char *wordOf(int32_t severity) {
  if (severity >= LLDCUDA_SEVERITY_FATAL)
    return "fatal   : ";
  if (severity >= LLDCUDA_SEVERITY_ERROR)
    return "error   : ";
  if (severity >= LLDCUDA_SEVERITY_WARNING)
    return "warning : ";
  return "info    : ";
}

Said readDiagnostics(const lldcuda_link *link, size_t &first) {
  Said said;
  const size_t count = lldcuda_link_diagnostic_count(link);
  for (; first < count; ++first) {
    lldcuda_diagnostic d = lldcuda_diagnostic_init();
    if (lldcuda_link_diagnostic(link, first, &d) != LLDCUDA_OK)
      continue;
    const std::string text = asString(d.text);
    std::string line = text;
    if (d.severity > LLDCUDA_SEVERITY_VERBATIM)
      line.insert(0, wordOf(d.severity));
    if (line.empty() || line.back() != '\n')
      line += '\n';
    const bool isError = d.severity >= LLDCUDA_SEVERITY_ERROR;
    if (d.severity == LLDCUDA_SEVERITY_VERBATIM)
      said.compilers += line;
    else
      (isError ? said.errors : said.infos) += line;
    if (isError)
      said.texts.push_back(text);
    for (size_t i = 0; i != d.note_count; ++i) {
      std::string note = asString(lldcuda_link_note(link, first, i));
      if (isError)
        said.notes.push_back(std::move(note));
      else
        said.infos += "note: " + note + '\n';
    }
  }
  return said;
}

} // namespace lld::cuda::nvjitlink
