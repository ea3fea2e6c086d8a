//===- Diagnostics.cpp - Messages of a link, for the program --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A link of lldcuda.h keeps its messages for the program that uses it, and
/// these functions hand them out: one by one with the names that they mention
/// (lldcuda_link_diagnostic() and its neighbours), or all together as a text
/// (lldcuda_link_log()). Link.cpp gives record() what the linker has said in a
/// call.
///
/// A message that names a file gets the number of the input that has that name:
/// one about "lib.a:x.o" is about the input "lib.a". If two inputs have the
/// name, the number is 0, for none. What a program has got stays valid until it
/// destroys the link, so records and logs are added and never changed.
///
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "lld-cuda/Support/LongLived.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::capi;

static int32_t severityOf(Severity severity) {
  switch (severity) {
  case Severity::Verbatim:
    return LLDCUDA_SEVERITY_VERBATIM;
  case Severity::Info:
    return LLDCUDA_SEVERITY_INFO;
  case Severity::Warning:
  case Severity::Remark:
    return LLDCUDA_SEVERITY_WARNING;
  case Severity::Error:
    return LLDCUDA_SEVERITY_ERROR;
  case Severity::Fatal:
  case Severity::Closing:
    return LLDCUDA_SEVERITY_FATAL;
  }
  return LLDCUDA_SEVERITY_FATAL;
}

static int32_t sortOf(Mention kind) {
  switch (kind) {
  case Mention::Nothing:
    return 0;
  case Mention::Symbol:
    return LLDCUDA_NAME_SYMBOL;
  case Mention::File:
    return LLDCUDA_NAME_FILE;
  case Mention::Section:
    return LLDCUDA_NAME_SECTION;
  case Mention::Offset:
    return LLDCUDA_NAME_OFFSET;
  }
  return 0;
}

/// Members of archives are "NAME:MEMBER".
uint32_t lldcuda_link::findInput(StringRef label) const {
  uint32_t found = 0;
  if (label.empty() || !session)
    return 0;
  for (auto [input, number] : zip(session->accepted(), inputs)) {
    StringRef rest = label;
    if (!rest.consume_front(input.name) ||
        (!rest.empty() && !rest.starts_with(":")))
      continue;
    if (found)
      return 0;
    found = number;
  }
  return found;
}

void lldcuda_link::record(ArrayRef<Diagnostic> messages, uint32_t input) {
  LongLived kept;
  for (const Diagnostic &d : messages) {
    DiagnosticRecord next;
    next.severity = severityOf(d.severity);
    next.input = input ? input : findInput(d.getFile());
    next.id = getName(d.id);
    next.text = d.text;
    for (const Diagnostic::Range &range : d.getMentions())
      if (int32_t sort = sortOf(range.kind))
        next.names.push_back(
            {sort, d.text.substr(range.begin, range.end - range.begin)});
    next.notes = d.notes;
    records.push_back(std::move(next));
  }
}

lldcuda_status lldcuda_link::fail(lldcuda_status status, StringRef id,
                                  const Twine &text, uint32_t input) {
  LongLived kept;
  DiagnosticRecord next;
  next.severity = LLDCUDA_SEVERITY_FATAL;
  next.input = input;
  next.id = id;
  next.text = text.str();
  records.push_back(std::move(next));
  return status;
}

size_t lldcuda_link_diagnostic_count(const lldcuda_link *link) {
  if (!link)
    return 0;
  std::lock_guard<std::mutex> lock(link->mutex);
  return link->records.size();
}

lldcuda_status lldcuda_link_diagnostic(const lldcuda_link *link, size_t index,
                                       lldcuda_diagnostic *diagnostic) {
  if (!link)
    return LLDCUDA_ERROR_INVALID_ARGUMENT;
  std::lock_guard<std::mutex> lock(link->mutex);
  if (index >= link->records.size())
    return LLDCUDA_ERROR_INVALID_ARGUMENT;
  const DiagnosticRecord &record = link->records[index];
  lldcuda_diagnostic value = {};
  value.severity = record.severity;
  value.input = record.input;
  value.id = asString(record.id);
  value.text = asString(record.text);
  value.symbol = asString(record.first(LLDCUDA_NAME_SYMBOL));
  value.file = asString(record.first(LLDCUDA_NAME_FILE));
  value.section = asString(record.first(LLDCUDA_NAME_SECTION));
  value.offset = asString(record.first(LLDCUDA_NAME_OFFSET));
  value.note_count = record.notes.size();
  return writeStruct(diagnostic, value) ? LLDCUDA_OK
                                        : LLDCUDA_ERROR_INVALID_ARGUMENT;
}

lldcuda_string lldcuda_link_note(const lldcuda_link *link, size_t diagnostic,
                                 size_t note) {
  if (!link)
    return asString("");
  std::lock_guard<std::mutex> lock(link->mutex);
  if (diagnostic >= link->records.size() ||
      note >= link->records[diagnostic].notes.size())
    return asString("");
  return asString(link->records[diagnostic].notes[note]);
}

lldcuda_string lldcuda_link_name(const lldcuda_link *link, size_t diagnostic,
                                 int32_t sort, size_t index) {
  if (!link)
    return asString("");
  std::lock_guard<std::mutex> lock(link->mutex);
  if (diagnostic < link->records.size())
    for (const DiagnosticRecord::Name &name : link->records[diagnostic].names)
      if (name.sort == sort && index-- == 0)
        return asString(name.text);
  return asString("");
}

static StringRef wordOf(int32_t severity) {
  switch (severity) {
  case LLDCUDA_SEVERITY_INFO:
    return "info    : ";
  case LLDCUDA_SEVERITY_WARNING:
    return "warning : ";
  case LLDCUDA_SEVERITY_ERROR:
    return "error   : ";
  case LLDCUDA_SEVERITY_FATAL:
    return "fatal   : ";
  }
  return "";
}

lldcuda_string lldcuda_link_log(lldcuda_link *link) {
  lldcuda_string result = asString("");
  callWith(link, [&]() -> lldcuda_status {
    LongLived kept;
    std::string text;
    for (const DiagnosticRecord &record : link->records) {
      text += (wordOf(record.severity) + record.text).str();
      if (!StringRef(record.text).ends_with("\n"))
        text += '\n';
      for (const std::string &note : record.notes)
        text += ">>> " + note + '\n';
    }
    if (link->logs.empty() || link->logs.back() != text)
      link->logs.push_back(std::move(text));
    result = asString(link->logs.back());
    return LLDCUDA_OK;
  });
  return result;
}
