//===- cubin-dump.cpp - Prints or extracts device code --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The program cubin-dump: reads its command line, and prints what is in
/// cubins, fatbins, host objects and archives, as text, JSON or YAML, or writes
/// their images into files (--extract). Developers call it to look into files,
/// and the linker's tests to look at outputs. What is printed of each archive,
/// host object and fatbin is here; DumpCubin.cpp prints cubins. runCubinDump()
/// is its main function, also in cubin-tools. Exit status: 0, or 1 if an input
/// could not be read or not in full.
///
//===----------------------------------------------------------------------===//

#include "DumpCubin.h"
#include "Extract.h"
#include "Inputs.h"
#include "Sink.h"
#include "Tools.h"
#include "YamlWriter.h"
#include "lld-cuda/Dump/Names.h"
#include "lld-cuda/Support/Cleanup.h"
#include "lld-cuda/Support/Printable.h"
#include "lld-cuda/Support/Program.h"
#include "lld-cuda/Support/ToolOptions.h"
#include "lld-cuda/Support/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

namespace {

cl::OptionCategory category("cubin-dump options");
cl::SubCommand ownOptions;

cl::list<std::string> inputs(cl::Positional, cl::OneOrMore,
                             cl::desc("<file>..."), cl::cat(category),
                             cl::sub(ownOptions));
cl::list<DumpPart>
    parts(cl::desc("Parts to print (default: all):"), cl::sub(ownOptions),
          cl::values(clEnumValN(DumpAll, "all", "Everything"),
                     clEnumValN(DumpHeaders, "headers", "ELF header"),
                     clEnumValN(DumpSegments, "segments", "Program headers"),
                     clEnumValN(DumpSections, "sections", "Section headers"),
                     clEnumValN(DumpSymbols, "symbols", "Symbols"),
                     clEnumValN(DumpRelocations, "relocations", "Relocations"),
                     clEnumValN(DumpInfo, "info", "Records of .nv.info"),
                     clEnumValN(DumpCompat, "compat", "Records of .nv.compat"),
                     clEnumValN(DumpCallGraph, "callgraph", "Call graph"),
                     clEnumValN(DumpPrototypes, "prototypes", "Prototypes"),
                     clEnumValN(DumpNotes, "notes", "Notes"),
                     clEnumValN(DumpMercury, "mercury",
                                "Symbols, relocations, records and code of the "
                                "Mercury view")),
          cl::cat(category));
cl::list<std::string> sections(
    "section", cl::value_desc("name"),
    cl::desc("Print only this section and its contents. May be repeated"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> hex("hex", cl::desc("Print the bytes of sections in hexadecimal"),
                  cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> wantsJson("json", cl::desc("Print one JSON document"),
                        cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> yaml("yaml", cl::desc("Print YAML for yaml2obj"),
                   cl::cat(category), cl::sub(ownOptions));
cl::opt<std::string> extract("extract", cl::value_desc("dir"),
                             cl::desc("Write each image to a file in this "
                                      "directory and print the file names"),
                             cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> overwrite("overwrite",
                        cl::desc("With --extract: replace existing files"),
                        cl::cat(category), cl::sub(ownOptions));

bool failed = false;

void report(StringRef label, StringRef text) {
  outs().flush();
  WithColor::error(errs(), "cubin-dump")
      << asPrintable(label) << ": " << asPrintable(text) << '\n';
  failed = true;
}

std::string entryKindName(FatbinKind kind) {
  switch (kind) {
  case FatbinKind::PTX:
    return "PTX";
  case FatbinKind::ELF:
    return "ELF";
  case FatbinKind::LTOIR:
    return "LTOIR";
  case FatbinKind::Mercury:
    return "MERCURY";
  case FatbinKind::TileIR:
    return "TILEIR";
  case FatbinKind::Concatenated:
    return "CONCATENATED";
  }
  return hexText(uint16_t(kind));
}

std::string architectureName(elf::Architecture arch) {
  StringRef suffix = arch.suffix == elf::Architecture::Accelerated ? "a"
                     : arch.suffix == elf::Architecture::Family    ? "f"
                                                                   : "";
  return ("sm_" + Twine(arch.number) + suffix).str();
}

std::vector<std::string> entryFlagNames(uint64_t flags) {
  static constexpr struct {
    uint64_t flag;
    StringLiteral name;
  } names[] = {{FATBIN_64BIT, "64BIT"},
               {FATBIN_DEBUG, "DEBUG"},
               {FATBIN_ZLIB, "ZLIB"},
               {FATBIN_LZ4_BLOCK, "LZ4_BLOCK"},
               {FATBIN_LZ4_FRAME, "LZ4_FRAME"},
               {FATBIN_ZSTD, "ZSTD"},
               {FATBIN_LTO_SCRAMBLED, "LTO_SCRAMBLED"},
               {FATBIN_ACCELERATED, "ACCELERATED"},
               {FATBIN_FAMILY, "FAMILY"},
               {FATBIN_MERCURY, "MERCURY"}};
  std::vector<std::string> out;
  for (const auto &row : names) {
    if (!(flags & row.flag))
      continue;
    out.push_back(row.name.str());
    flags &= ~row.flag;
  }
  if (flags)
    out.push_back(hexText(flags));
  return out;
}

Fact entryFact(const FatbinEntry &entry, size_t index) {
  Fact fact;
  fact.what("kind", entryKindName(entry.kind))
      .name("architecture", architectureName(entry.arch))
      .names("flags", entryFlagNames(entry.flags))
      .name("version",
            (Twine(entry.versionMajor) + "." + Twine(entry.versionMinor)).str())
      .text("identifier", entry.identifier)
      .text("options", entry.options)
      .hex("stored_size", entry.payload.size())
      .hex("size",
           entry.isConcatenated ? entry.imageSize : entry.uncompressedSize)
      .hex("offset", entry.offset)
      .decimal("index", index);
  if (entry.isConcatenated)
    fact.hex("image_offset", entry.imageOffset);
  return fact;
}

std::vector<std::string> nameList(std::optional<StringRef> list) {
  std::vector<std::string> names;
  if (list)
    for (StringRef name : splitNames(*list))
      names.push_back(name.str());
  return names;
}

Fact hostObjectFact(const HostObject &object,
                    ArrayRef<EmbeddedFatbin> fatbins) {
  // HostObject tells only the type of a linked file; its fatbins are found
  // here.
  auto isIn = [&](bool relocatable) {
    return any_of(fatbins, [&](const EmbeddedFatbin &fatbin) {
      return fatbin.isRelocatable() == relocatable;
    });
  };
  const bool relocatable = object.hasRelocatableFatbin || isIn(true),
             wholeProgram = object.hasWholeProgramFatbin || isIn(false);
  Fact fact;
  fact.name("type", fileTypeName(object.fileType))
      .decimal("fatbins", fatbins.size())
      .name("fatbin_segment", object.hasFatbinSegment ? "yes" : "no")
      .name("relocatable_fatbin", relocatable ? "yes" : "no")
      .name("whole_program_fatbin", wholeProgram ? "yes" : "no")
      .names("module_ids", nameList(object.moduleIds))
      .names("kernels_external", nameList(object.kernelsExternal))
      .names("kernels_internal", nameList(object.kernelsInternal))
      .names("variables_external", nameList(object.variablesExternal))
      .names("variables_internal", nameList(object.variablesInternal))
      .names("constants_external", nameList(object.constantsExternal))
      .names("constants_internal", nameList(object.constantsInternal));
  return fact;
}

/// Dumps to a sink, as text or JSON.
class DumpVisitor final : public InputVisitor {
public:
  DumpVisitor(const DumpOptions &options, Sink &sink)
      : options(options), sink(sink) {}

  void archive(StringRef label, ArrayRef<ArchiveMember> members) override {
    sink.beginInput("archive", label);
    sink.beginList({"members", "member", "name"});
    for (const ArchiveMember &member : members) {
      Fact fact(member.name);
      if (member.thinPath.empty())
        fact.hex("size", member.data.size());
      else
        fact.text("path", member.thinPath);
      sink.fact(fact.hex("offset", member.offset));
    }
    sink.endList();
    sink.endInput({});
  }

  void hostObject(StringRef label, const HostObject &object,
                  ArrayRef<EmbeddedFatbin> fatbins) override {
    sink.beginInput("host-object", label);
    sink.single("host_object", hostObjectFact(object, fatbins));
    sink.endInput({});
  }

  void fatbin(StringRef label, const FatbinReader &fatbin) override {
    sink.beginInput("fatbin", label);
    sink.beginList({"entries", "entry", "name"});
    for (size_t i = 0; i != fatbin.entries().size(); ++i)
      sink.fact(entryFact(fatbin.entries()[i], i));
    sink.endList();
    sink.endInput({});
  }

  void cubin(MemoryBufferRef buffer) override {
    sink.beginInput("cubin", buffer.getBufferIdentifier());
    std::vector<std::string> errors;
    if (Expected<CubinFile> file = CubinFile::create(buffer))
      dumpCubin(*file, options, sink, errors);
    else
      errors.push_back(toString(file.takeError()));
    sink.endInput(errors);
    for (const std::string &error : errors)
      report(buffer.getBufferIdentifier(), error);
  }

  void error(StringRef label, Error error) override {
    const std::string text = toString(std::move(error));
    if (wantsJson) { // For who reads nothing else.
      sink.beginInput("unreadable", label);
      sink.endInput({text});
    }
    report(label, text);
  }

private:
  const DumpOptions &options;
  Sink &sink;
};

/// Writes each cubin as a YAML document.
class YamlVisitor final : public InputVisitor {
public:
  void archive(StringRef, ArrayRef<ArchiveMember>) override {}
  void hostObject(StringRef, const HostObject &,
                  ArrayRef<EmbeddedFatbin>) override {}
  void fatbin(StringRef, const FatbinReader &) override {}
  void cubin(MemoryBufferRef buffer) override {
    ++cubins;
    StringRef label = buffer.getBufferIdentifier();
    Expected<CubinFile> file = CubinFile::create(buffer);
    if (!file)
      return error(label, file.takeError());
    if (Error e = writeYaml(*file, outs()))
      error(label, std::move(e));
  }
  void error(StringRef label, Error error) override {
    ++errors;
    report(label, toString(std::move(error)));
  }

  unsigned cubins = 0, errors = 0;
};

DumpOptions dumpOptions() {
  DumpOptions options;
  options.sections = sections;
  options.hex = hex;
  unsigned chosen = 0;
  for (DumpPart part : parts)
    chosen |= part;
  // Bytes alone are what "--hex" without parts asks for.
  if (!chosen && !hex)
    chosen = DumpAll;
  options.parts = chosen;
  return options;
}

/// Returns whether all is well so far.
bool checkCommandLine() {
  if (wantsJson && yaml)
    report("command line", "--json and --yaml exclude each other");
  if (extract.getNumOccurrences()) {
    if (extract.empty())
      report("command line", "--extract needs the name of a directory");
    if (wantsJson || yaml || hex || !parts.empty() || !sections.empty())
      report("command line",
             "--extract can't be combined with options that print something");
  } else if (overwrite) {
    report("command line", "--overwrite needs --extract");
  }
  if (llvm::count(inputs, "-") > 1)
    report("command line", "standard input is given twice");
  return !failed;
}

/// `isNewFolder`: the folder for what is extracted goes again if there is
/// nothing for it.
SandboxRules makeSandboxRules(bool isNewFolder) {
  SandboxRules rules;
  rules.reads.emplace(inputs.begin(), inputs.end());
  SmallString<128> room; // For what members of wheels are unpacked to.
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, room);
  rules.folders.push_back(room.str().str());
  rules.onlyLooks = extract.empty();
  if (extract.empty())
    return rules;
  rules.folders.push_back(extract);
  if (isNewFolder) {
    StringRef name = StringRef(extract).rtrim('/');
    StringRef parent = sys::path::parent_path(name);
    rules.folders.push_back(parent.empty() ? "." : parent.str());
  }
  return rules;
}

void extractImages() {
  Extraction extraction(extract, overwrite);
  if (Error e = extraction.begin())
    return report("--extract", toString(std::move(e)));
  auto reportError = [](StringRef label, Error e) {
    report(label, toString(std::move(e)));
  };
  for (const std::string &input : inputs)
    if (!extraction.add(input, reportError))
      return;
  Expected<std::vector<std::string>> names = extraction.finish();
  if (!names)
    return report("--extract", toString(names.takeError()));
  for (const std::string &name : *names)
    outs() << asPrintable(name) << '\n';
}

void dump() {
  if (yaml) {
    for (const std::string &input : inputs) {
      YamlVisitor visitor;
      visitFile(input, visitor);
      if (!visitor.cubins && !visitor.errors)
        report(input, "it has no cubin");
    }
    return;
  }
  DumpOptions options = dumpOptions();
  std::unique_ptr<Sink> sink =
      wantsJson ? makeJsonSink(outs()) : makeTextSink(outs());
  DumpVisitor visitor(options, *sink);
  for (const std::string &input : inputs)
    visitFile(input, visitor);
}

} // namespace

int lld::cuda::runCubinDump(int argc, char **argv) {
  useToolOptions(ownOptions);
  setProgramName("cubin-dump");
  prepareProgram("cubin-dump");
  addToolOptions(category, "cubin-dump", argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Prints the contents of cubins\n");
  if (!checkCommandLine())
    return 1;
  bool isNewFolder = false;
  if (!extract.empty()) {
    cleanUpOnSignals();
    if (Error e = makeFolder(extract, isNewFolder)) {
      report("--extract", toString(std::move(e)));
      return 1;
    }
  }
  if (!applyToolOptions(makeSandboxRules(isNewFolder)))
    return 1;
  if (extract.empty())
    dump();
  else
    extractImages();
  if (failed && isNewFolder)
    ::rmdir(extract.c_str()); // Unless there is something in it.
  return finishOutput(failed);
}
