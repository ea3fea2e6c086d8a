//===- DumpCubin.cpp - Prints the parts of one cubin ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Prints the parts of a cubin that the command line of cubin-dump selects. Its
/// main() calls dumpCubin() for each cubin that it finds in its inputs; the
/// facts come from lib/Dump, and a sink (Sink.h) prints them as text or JSON.
/// RecordLists has the lists that a dump consists of, in order. Records of the
/// Mercury form (the second form in which a cubin holds its code from sm_100
/// on) have lists of their own, so that a test of the native code does not see
/// them. A damaged section is reported, and the dump continues with the next.
///
//===----------------------------------------------------------------------===//

#include "DumpCubin.h"
#include "lld-cuda/Dump/Facts.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lld::cuda {
namespace {

struct RecordList {
  DumpPart part;
  RecordGroup group;
  bool isMercury;
  FactList list;
};

constexpr FactList SegmentList{"segments", "segment", "type"},
    SectionList{"sections", "section", "name"};

constexpr RecordList RecordLists[] = {
    {DumpSymbols, RecordGroup::Symbols, false, {"symbols", "symbol", "name"}},
    {DumpRelocations,
     RecordGroup::Relocations,
     false,
     {"relocations", "relocation", "section"}},
    {DumpInfo, RecordGroup::Info, false, {"info", "info", "section"}},
    {DumpCompat, RecordGroup::Compat, false, {"compat", "compat", "section"}},
    {DumpCallGraph,
     RecordGroup::CallGraph,
     false,
     {"callgraph", "callgraph", "section"}},
    {DumpPrototypes,
     RecordGroup::Prototypes,
     false,
     {"prototypes", "prototype", "section"}},
    {DumpNotes, RecordGroup::Notes, false, {"notes", "note", "section"}},
    {DumpMercury,
     RecordGroup::Symbols,
     true,
     {"mercury_symbols", "mercury-symbol", "name"}},
    {DumpMercury,
     RecordGroup::Relocations,
     true,
     {"mercury_relocations", "mercury-relocation", "section"}},
    {DumpMercury,
     RecordGroup::Info,
     true,
     {"mercury_info", "mercury-info", "section"}},
    {DumpMercury,
     RecordGroup::Capmerc,
     true,
     {"capmerc", "capmerc", "section"}},
};

/// Whether the section is listed with the Mercury view. Types that only occur
/// there belong to it even if the flag is missing.
bool isMercury(const Elf_Shdr &s) {
  switch (s.sh_type) {
  case elf::SHT_CUDA_CAPMERC:
  case elf::SHT_CUDA_MERC_SYMTAB:
  case elf::SHT_CUDA_MERC_RELA:
  case elf::SHT_CUDA_MERC_INFO:
    return true;
  case elf::SHT_RELA:
  case elf::SHT_REL:
  case elf::SHT_CUDA_INFO:
    return s.sh_flags & elf::SHF_CUDA_MERCURY;
  }
  return false;
}

class Dumper {
public:
  Dumper(const CubinFile &file, const DumpOptions &options, Sink &sink,
         std::vector<std::string> &errors)
      : file(file), options(options), sink(sink), errors(errors),
        labels(Labels::forReaders(file)) {}

  void run() {
    bool wholeFile = options.sections.empty();
    if (wholeFile && options.parts & DumpHeaders)
      sink.single("header", headerFact(file, labels));
    if (wholeFile && options.parts & DumpSegments)
      dumpSegments();
    if (options.parts & DumpSections)
      dumpSections();
    for (const RecordList &list : RecordLists)
      if (options.parts & list.part)
        dumpRecords(list);
    if (options.hex)
      dumpBytes();
  }

private:
  bool isSelected(unsigned section) const {
    return options.sections.empty() ||
           is_contained(options.sections, file.sectionName(section));
  }

  void dumpSegments() {
    SegmentMap map(file);
    sink.beginList(SegmentList);
    for (unsigned i = 0; i != file.programHeaders().size(); ++i)
      sink.fact(segmentFact(file, labels, map, i));
    sink.endList();
  }

  void dumpSections() {
    sink.beginList(SectionList);
    // The null section says something if there are too many sections for the
    // ELF header.
    for (unsigned i = file.header().e_shnum ? 1 : 0; i < file.sections().size();
         ++i)
      if (isSelected(i))
        sink.fact(sectionFact(file, labels, i));
    sink.endList();
  }

  void dumpRecords(const RecordList &list) {
    sink.beginList(list.list);
    for (unsigned i = 1; i < file.sections().size(); ++i) {
      const RecordReader *reader = recordReaderFor(file, i);
      if (!reader || reader->group != list.group ||
          isMercury(file.sections()[i]) != list.isMercury || !isSelected(i))
        continue;
      if (Error error = reader->read(file, labels, i,
                                     [&](Fact &&fact) { sink.fact(fact); }))
        errors.push_back(toString(std::move(error)));
    }
    sink.endList();
  }

  void dumpBytes() {
    for (unsigned i = 1; i < file.sections().size(); ++i)
      if (isSelected(i))
        sink.bytes(labels.sections[i], file.contents(i));
  }

  const CubinFile &file;
  const DumpOptions &options;
  Sink &sink;
  std::vector<std::string> &errors;
  Labels labels;
};

} // namespace

void dumpCubin(const CubinFile &file, const DumpOptions &options, Sink &sink,
               std::vector<std::string> &errors) {
  Dumper(file, options, sink, errors).run();
}

} // namespace lld::cuda
