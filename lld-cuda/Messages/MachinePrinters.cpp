//===- MachinePrinters.cpp - Messages for other programs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The printers of --error-format: they write a link's messages as JSON lines,
/// as a SARIF log or in Visual Studio's form, for programs that read them.
/// createPrinter() makes the printer that the options ask for, one for people
/// included (Printers.cpp). Diagnostics.cpp calls it when the first message of
/// a link is printed, and DeviceLinkMessages.h for a device link. A message is
/// held back until the next one is reported, since the explanations that follow
/// it belong to the same record; finish() writes the last one.
///
//===----------------------------------------------------------------------===//

#include "Messages/Printers.h"
#include "Rules/Config.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "lld-cuda/FinalCode/SourceLines.h"
#include "lld-cuda/Support/Json.h"
#include "lld-cuda/Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <optional>
#include <utility>

using namespace llvm;

namespace lld::cuda {

//===----------------------------------------------------------------------===//
// What all have in common
//===----------------------------------------------------------------------===//

namespace {

class MachinePrinter : public DiagnosticPrinter {
public:
  MachinePrinter(raw_ostream &err, const Config &config)
      : err(err), config(config) {}
  void print(const Diagnostic &d) override;
  void printNote(StringRef line, const SourceLine *where) override;
  void finish() override;

protected:
  /// Writes a message whose explanations are complete.
  virtual void write(const Diagnostic &d) = 0;
  StringRef program() const {
    StringRef path = config.program;
    return path.drop_front(path.rfind('/') + 1);
  }

  raw_ostream &err;
  const Config &config;

private:
  std::optional<Diagnostic> pending;
};

} // namespace

void MachinePrinter::print(const Diagnostic &d) {
  finish();
  pending = d;
  pending->notes.clear();
  pending->locations.clear();
}

void addNote(Diagnostic &d, StringRef line, const SourceLine *where) {
  if (where)
    d.locations.push_back({where->file, where->line, uint32_t(d.notes.size())});
  d.notes.push_back(line.str());
}

void MachinePrinter::printNote(StringRef line, const SourceLine *where) {
  if (pending)
    addNote(*pending, line, where);
}

void MachinePrinter::finish() {
  if (pending)
    write(*pending);
  pending.reset();
}

static bool isFailure(Severity severity) {
  return severity == Severity::Error || severity == Severity::Fatal ||
         severity == Severity::Closing;
}

static StringRef nameOf(Severity severity) {
  switch (severity) {
  case Severity::Verbatim:
    return "output";
  case Severity::Info:
    return "info";
  case Severity::Warning:
  case Severity::Remark:
    return "warning";
  case Severity::Error:
    return "error";
  case Severity::Fatal:
  case Severity::Closing:
    return "fatal";
  }
  llvm_unreachable("unknown severity");
}

/// Names of files and symbols may have any bytes.
static json::Value jsonText(StringRef text) { return json::fixUTF8(text); }

static std::string textOf(const Diagnostic &d, const Config &config) {
  return StringRef(wordsOf(d, config)).rtrim('\n').str();
}

/// ARCHIVE and MEMBER of ARCHIVE:MEMBER; other files have no member.
static std::pair<StringRef, StringRef> splitLabel(StringRef label) {
  const size_t colon = label.rfind(".a:");
  if (colon == StringRef::npos)
    return {label, ""};
  return {label.take_front(colon + 2), label.drop_front(colon + 3)};
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

namespace {
class JsonPrinter : public MachinePrinter {
public:
  using MachinePrinter::MachinePrinter;

private:
  void write(const Diagnostic &d) override;
};
} // namespace

void JsonPrinter::write(const Diagnostic &d) {
  json::Object object{{"severity", nameOf(d.severity)},
                      {"id", getName(d.id)},
                      {"message", jsonText(textOf(d, config))}};
  auto addList = [&](StringRef key, Mention kind) {
    json::Array list;
    for (StringRef text : d.getAll(kind))
      list.push_back(jsonText(text));
    if (!list.empty())
      object[key] = std::move(list);
  };
  addList("symbols", Mention::Symbol);
  addList("files", Mention::File);
  addList("sections", Mention::Section);
  addList("offsets", Mention::Offset);
  if (!config.archName.empty())
    object["target"] = jsonText(config.archName);
  json::Array notes;
  for (const std::string &note : d.notes)
    notes.push_back(jsonText(note));
  if (!notes.empty())
    object["notes"] = std::move(notes);
  json::Array locations;
  for (const SourceLocation &l : d.locations)
    locations.push_back(json::Object{{"file", jsonText(l.file)},
                                     {"line", int64_t(l.line)},
                                     {"note", int64_t(l.note)}});
  if (!locations.empty())
    object["locations"] = std::move(locations);
  std::string line;
  raw_string_ostream(line) << json::Value(std::move(object)) << '\n';
  err << printableJson(line);
}

std::unique_ptr<DiagnosticPrinter> createJsonPrinter(raw_ostream &err,
                                                     const Config &config) {
  return std::make_unique<JsonPrinter>(err, config);
}

//===----------------------------------------------------------------------===//
// Visual Studio, MSBuild
//===----------------------------------------------------------------------===//

namespace {
/// "origin : error code: text"; no colons but these before the text.
class VisualStudioPrinter : public MachinePrinter {
public:
  using MachinePrinter::MachinePrinter;

private:
  void write(const Diagnostic &d) override;
};
} // namespace

void VisualStudioPrinter::write(const Diagnostic &d) {
  if (d.severity == Severity::Verbatim) {
    err << shownWords(d, config);
    return;
  }
  const auto [file, member] = splitLabel(d.getFile());
  std::string line = file.empty() ? program().str() : file.str();
  // A line of the source is what an editor can open.
  if (!d.locations.empty()) {
    const SourceLocation &source = d.locations.front();
    line = source.file + "(" + utostr(source.line) + ")";
  } else if (!member.empty())
    line += ("(" + member + ")").str();
  const bool isFatal = nameOf(d.severity) == "fatal";
  line += (" : " + (isFatal ? StringRef("fatal error") : nameOf(d.severity)) +
           " " + getName(d.id) + ": ")
              .str();
  line = printable(line);
  line += StringRef(shownWords(d, config)).rtrim('\n');
  line += '\n';
  for (const std::string &note : d.notes)
    line += ">>> " + printable(note) + "\n";
  err << line;
}

std::unique_ptr<DiagnosticPrinter>
createVisualStudioPrinter(raw_ostream &err, const Config &config) {
  return std::make_unique<VisualStudioPrinter>(err, config);
}

//===----------------------------------------------------------------------===//
// SARIF 2.1.0
//===----------------------------------------------------------------------===//

namespace {
class SarifPrinter : public MachinePrinter {
public:
  using MachinePrinter::MachinePrinter;
  void end() override;

private:
  void write(const Diagnostic &d) override;
  json::Array locationsOf(const Diagnostic &d) const;

  std::map<DiagId, size_t> ruleIndices;
  json::Array rules, results;
  bool failed = false;
};
} // namespace

/// A path as a URI: characters that mean something in one are escaped. The
/// colon would make the part before it a scheme.
static std::string uriOf(StringRef path) {
  std::string uri = path.starts_with("/") ? "file://" : "";
  for (char c : path)
    if (isAlnum(c) || StringRef("-._~/+,=@").contains(c))
      uri += c;
    else
      uri += ("%" + Twine(hexdigit(uint8_t(c) >> 4)) +
              Twine(hexdigit(uint8_t(c) & 15)))
                 .str();
  return uri;
}

static json::Object sarifMessage(StringRef text) {
  return json::Object{{"text", jsonText(text)}};
}

static json::Object physicalLocation(StringRef file, uint64_t line = 0) {
  json::Object location{
      {"artifactLocation", json::Object{{"uri", uriOf(file)}}}};
  if (line)
    location["region"] = json::Object{{"startLine", int64_t(line)}};
  return location;
}

/// The first line of the source that is known, which viewers show, then files
/// of the link.
json::Array SarifPrinter::locationsOf(const Diagnostic &d) const {
  json::Array logical;
  for (StringRef name : d.getSymbols())
    logical.push_back(json::Object{{"name", jsonText(demangleDeviceName(name))},
                                   {"decoratedName", jsonText(name)}});
  json::Array locations;
  if (!d.locations.empty()) {
    const SourceLocation &source = d.locations.front();
    locations.push_back(json::Object{
        {"physicalLocation", physicalLocation(source.file, source.line)}});
  }
  for (StringRef label : d.getAll(Mention::File)) {
    const auto [file, member] = splitLabel(label);
    json::Object location{{"physicalLocation", physicalLocation(file)}};
    json::Array parts = std::exchange(logical, json::Array());
    if (!member.empty())
      parts.push_back(json::Object{{"name", jsonText(member)},
                                   {"fullyQualifiedName", jsonText(label)},
                                   {"kind", "module"}});
    if (!parts.empty())
      location["logicalLocations"] = std::move(parts);
    locations.push_back(std::move(location));
  }
  if (!logical.empty())
    locations.push_back(json::Object{{"logicalLocations", std::move(logical)}});
  return locations;
}

void SarifPrinter::write(const Diagnostic &d) {
  failed |= isFailure(d.severity);
  const auto [rule, isNew] = ruleIndices.try_emplace(d.id, rules.size());
  if (isNew)
    rules.push_back(json::Object{{"id", getName(d.id)}});
  const StringRef name = nameOf(d.severity);
  json::Object result{{"ruleId", getName(d.id)},
                      {"ruleIndex", int64_t(rule->second)},
                      {"level", isFailure(d.severity) ? StringRef("error")
                                : name == "warning"   ? name
                                                      : StringRef("note")},
                      {"message", sarifMessage(textOf(d, config))}};
  json::Array locations = locationsOf(d);
  if (!locations.empty())
    result["locations"] = std::move(locations);
  json::Array notes;
  auto source = d.locations.begin();
  for (size_t i = 0; i != d.notes.size(); ++i) {
    json::Object note{{"message", sarifMessage(d.notes[i])}};
    if (source != d.locations.end() && source->note == i) {
      note["physicalLocation"] = physicalLocation(source->file, source->line);
      ++source;
    }
    notes.push_back(std::move(note));
  }
  if (!notes.empty())
    result["relatedLocations"] = std::move(notes);
  if (!config.archName.empty())
    result["properties"] = json::Object{{"target", jsonText(config.archName)}};
  results.push_back(std::move(result));
}

static std::string sarifLog(json::Array runs) {
  std::string log;
  raw_string_ostream(log) << json::Value(json::Object{
                                 {"$schema",
                                  "https://docs.oasis-open.org/sarif/sarif/"
                                  "v2.1.0/os/schemas/"
                                  "sarif-schema-2.1.0.json"},
                                 {"version", "2.1.0"},
                                 {"runs", std::move(runs)}})
                          << '\n';
  return printableJson(log);
}

void SarifPrinter::end() {
  finish();
  json::Object driver{{"name", jsonText(program())},
                      {"version", LLDCUDA_VERSION},
                      {"rules", std::move(rules)}};
  json::Object run{{"tool", json::Object{{"driver", std::move(driver)}}},
                   {"invocations", json::Array{json::Object{
                                       {"executionSuccessful", !failed}}}},
                   {"results", std::move(results)}};
  err << sarifLog(json::Array{std::move(run)});
}

std::unique_ptr<DiagnosticPrinter> createSarifPrinter(raw_ostream &err,
                                                      const Config &config) {
  return std::make_unique<SarifPrinter>(err, config);
}

std::string joinSarif(ArrayRef<std::string> logs) {
  json::Array runs;
  for (const std::string &log : logs) {
    Expected<json::Value> value = parseJson(log);
    if (!value) {
      // Other text, such as a compiler's, is among the logs: keep all as it is.
      consumeError(value.takeError());
      return join(logs, "");
    }
    for (json::Value &run : *value->getAsObject()->getArray("runs"))
      runs.push_back(std::move(run));
  }
  return sarifLog(std::move(runs));
}

std::unique_ptr<DiagnosticPrinter> createPrinter(raw_ostream &err,
                                                 const Config &config) {
  switch (config.errorFormat) {
  case ErrorFormat::Json:
    return createJsonPrinter(err, config);
  case ErrorFormat::Sarif:
    return createSarifPrinter(err, config);
  case ErrorFormat::VisualStudio:
    return createVisualStudioPrinter(err, config);
  case ErrorFormat::Text:
    break;
  }
  return config.isLld() ? createLldPrinter(err, config)
                        : createNvlinkPrinter(err, config);
}

} // namespace lld::cuda
