//===- Reports.cpp - --trace, --cref, --dependency-file and the like ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These reports of ld.cuda are lists of inputs and symbols: which files and
/// members were taken and why, a dependency file for make, cross references,
/// unused functions. Link.cpp calls reportInputs() when the inputs are read, so
/// --trace tells of a link that fails later, too, and reportSymbols() when it
/// is known what is reachable. writeReport() is for all reports: "-" is
/// standard output, anything else becomes an output of the link and appears
/// with the image or not at all.
///
//===----------------------------------------------------------------------===//

#include "Report/Reports.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Output/SaveFile.h"
#include "Program.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/Page/Text.h"
#include "lld-cuda/Support/OutputFile.h"
#include "lld-cuda/Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

void writeReport(const Inputs &inputs, StringRef path, std::string text) {
  if (path == "-")
    inputs.out << text;
  else
    saveFile(inputs, path, std::move(text));
}

void writeReport(const Inputs &inputs, StringRef path, page::Text text) {
  if (path == "-") {
    inputs.out << text.str();
    return;
  }
  std::vector<OutputSpan> spans;
  uint64_t size = 0;
  for (page::Text::Block &block : text.takeBlocks()) {
    spans.push_back({size, inputs.memory.keep(std::move(block))});
    size += spans.back().bytes.size();
  }
  saveFile(inputs, path, size, std::move(spans));
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static void traceInputs(const Inputs &inputs) {
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units)
      if (!unit.holds.cubins.empty() || !unit.holds.bitcode.empty() ||
          !unit.holds.ltoIR.empty())
        inputs.out << asPrintable(unit.label) << '\n';
}

/// Quotes a path as make and ninja read it. Backslashes before a character that
/// is escaped count as escapes, too, so they are doubled.
static std::string quoteForMake(StringRef path) {
  std::string text;
  size_t backslashes = 0;
  for (char c : path) {
    if (c == '#' || c == ' ' || c == ':')
      text.append(backslashes + 1, '\\');
    else if (c == '$')
      text += '$';
    text += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return text;
}

/// Whether make and ninja have a way to write the name.
static bool canBeDependency(StringRef path) {
  return path.find_first_of("\n\r\t;") == StringRef::npos &&
         !path.ends_with("\\");
}

static void writeDependencies(const Inputs &inputs, StringRef path) {
  std::string text;
  raw_string_ostream os(text);
  std::vector<StringRef> files;
  DenseSet<StringRef> seen;
  auto isLeftOut = [&](StringRef file) {
    if (canBeDependency(file))
      return false;
    inputs.diag.report(
        DiagId::NoDependency,
        {"--dependency-file: ", diag::file(file),
         " is left out: a Makefile rule can't name a file whose name contains "
         "a newline, a tab or ';', or ends in a backslash"});
    return true;
  };
  for (const InputFile &file : inputs.files)
    if (file.buffer && seen.insert(file.path).second && !isLeftOut(file.path))
      files.push_back(file.path);
  for (const OptionFile &option : inputs.optionFiles)
    if (seen.insert(option.path).second && !isLeftOut(option.path))
      files.push_back(option.path);
  if (!isLeftOut(inputs.config.output)) {
    os << quoteForMake(inputs.config.output) << ':';
    for (StringRef file : files)
      os << " \\\n  " << quoteForMake(file);
    os << '\n';
    // A rule for each file, so that a missing one isn't make's error but a
    // reason to link again.
    for (StringRef file : files)
      os << '\n' << quoteForMake(file) << ":\n";
  }
  writeReport(inputs, path, std::move(text));
}

static void writeExtractions(const Inputs &inputs, StringRef path) {
  std::string text = "reference\textracted\tsymbol\n";
  for (const MemberExtraction &e : inputs.extractions)
    text += printable(e.by) + "\t" + printable(e.member) + "\t" +
            inputs.diag.display(e.symbol) + "\n";
  writeReport(inputs, path, std::move(text));
}

void reportInputs(const Inputs &inputs) {
  const LldConfig &lld = inputs.config.lld;
  if (lld.verbose && !inputs.config.environmentFlags.empty())
    inputs.out << "LLD_CUDA_FLAGS: "
               << asPrintable(inputs.config.environmentFlags) << '\n';
  if (lld.trace || lld.verbose)
    traceInputs(inputs);
  if (lld.dependencyFile)
    writeDependencies(inputs, *lld.dependencyFile);
  if (lld.whyExtract)
    writeExtractions(inputs, *lld.whyExtract);
  writeReproducer(inputs, lld.options);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Which objects name each symbol that files share, the defining one first.
static SmallVector<std::pair<const Symbol *, std::vector<const ObjectFile *>>,
                   0>
collectReferences(const Program &program) {
  MapVector<const Symbol *, std::vector<const ObjectFile *>> users;
  for (const ObjectFile &obj : program.objects) {
    for (const Symbol *s : obj.symbols) {
      if (!s || s->isLocal() || s->name.empty() ||
          (s->isVariable() && static_cast<const Variable *>(s)->isReserved))
        continue;
      std::vector<const ObjectFile *> &list = users[s];
      if (list.empty() || list.back() != &obj)
        list.push_back(&obj);
    }
  }
  for (auto &[s, list] : users)
    if (s->defined)
      std::stable_partition(list.begin(), list.end(),
                            [s = s](const ObjectFile *obj) {
                              return obj->ordinal == s->definedIn;
                            });
  auto result = users.takeVector();
  llvm::sort(result, [](const auto &a, const auto &b) {
    return a.first->name < b.first->name;
  });
  return result;
}

void printCrossReferences(const Inputs &inputs, const Program &program,
                          raw_ostream &os) {
  constexpr unsigned Column = 50;
  os << "Cross Reference Table\n\n"
     << left_justify("Symbol", Column) << "File\n";
  for (auto &[s, users] : collectReferences(program)) {
    std::string name = inputs.diag.display(s->name);
    for (size_t i = 0; i != users.size(); ++i) {
      if (i == 0 && name.size() >= Column)
        os << name << '\n' << left_justify("", Column);
      else
        os << left_justify(i ? "" : StringRef(name), Column);
      os << asPrintable(users[i]->label) << '\n';
    }
  }
}

static void traceSymbol(const Inputs &inputs, const Program &program,
                        StringRef name) {
  for (const ObjectFile &obj : program.objects) {
    for (unsigned i = 1; i < obj.symbols.size(); ++i) {
      const Elf_Sym &sym = obj.inputSymbol(i);
      StringRef other = obj.file.symtab().name(sym);
      if (sym.getType() == STT_SECTION ||
          (other != name && inputs.diag.demangle(other) != name))
        continue;
      StringRef what = sym.st_shndx == SHN_UNDEF       ? "reference to "
                       : obj.file.isCommon(i)          ? "common definition of "
                       : sym.getBinding() == STB_LOCAL ? "static definition of "
                       : sym.getBinding() == STB_WEAK  ? "weak definition of "
                                                       : "definition of ";
      inputs.out << asPrintable(obj.label) << ": " << what << asPrintable(name)
                 << (obj.isLost(i) ? ", not taken" : "") << '\n';
    }
  }
}

/// Lists functions that were left out; variables always stay.
static void printDiscarded(const Inputs &inputs, Program &program) {
  for (const Function &f : program.functions)
    if (f.defined && !f.reachable && f.text)
      inputs.out << "removing unused section "
                 << asPrintable(program.objects[f.definedIn].label) << ":("
                 << asPrintable(f.text->name) << ")\n";
}

void tellMissingReports(const Inputs &inputs) {
  const Config &config = inputs.config;
  const LldConfig &lld = config.lld;
  std::string missing;
  auto add = [&](bool isWanted, StringRef option) {
    if (isWanted)
      missing += ((missing.empty() ? "" : ", ") + option).str();
  };
  // There is no image, only its assembly.
  if (config.emitPtx) {
    add(!config.resources.files.empty() || inputs.job.resources,
        "--resource-report");
    add(config.resources.budget.has_value(), "--budget");
  }
  add(!config.why.live.empty(), "--why-live");
  add(!config.why.stack.empty(), "--why-stack");
  add(!config.why.registers.empty(), "--why-registers");
  add(!config.why.shared.empty(), "--why-shared");
  add(!config.why.barriers.empty(), "--why-barriers");
  add(lld.mapFile || lld.printMap, "--Map");
  add(lld.cref, "--cref");
  add(lld.printGcSections, "--print-gc-sections");
  // -v of ld.cuda asks for the table only beside other things.
  add(lld.memoryUsage != MemoryUsageFormat::None && !lld.verbose,
      "--print-memory-usage");
  constexpr StringLiteral Why =
      ": all device code is LTO IR, from which the compiler makes the whole "
      "image, so nothing is linked";
  constexpr StringLiteral Cure =
      "-Xptxas=-v prints the registers, stack and memory of each kernel";
  if (!missing.empty()) {
    inputs.diag.report(DiagId::LtoIncomplete, {"no ", missing, Why});
    inputs.diag.explain(Cure);
  }
}

void reportSymbols(const Inputs &inputs, Program &program) {
  const LldConfig &lld = inputs.config.lld;
  if (lld.printGcSections)
    printDiscarded(inputs, program);
  for (const std::string &name : lld.traceSymbols)
    traceSymbol(inputs, program, name);
  // With a map the table is a part of the map, as in other linkers.
  if (lld.cref && !lld.mapFile)
    printCrossReferences(inputs, program, inputs.out);
}

} // namespace lld::cuda
