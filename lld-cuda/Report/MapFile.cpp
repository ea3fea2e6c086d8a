//===- MapFile.cpp - -Map and --print-map ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// reportMap() writes the map of a link: the output's sections in the file's
/// order, each with the pieces of inputs that it was made of and the symbols in
/// it. writeOutput() in Link.cpp calls it when the image is made, since offsets
/// are known then:
///
///     Offset  Address     Size Align Out     In      Symbol
///        780        0      180   128 .text._Z1kPi
///        780        0      180   128         k.o:(.text._Z1kPi)
///        780        0      180     0                 k(int*)
///
/// All numbers are hexadecimal. The address is that in the section's memory:
/// code, constant bank, shared or global memory each begin at 0; the driver
/// chooses the place of code and global memory.
///
//===----------------------------------------------------------------------===//

#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Numbered.h"
#include "Program.h"
#include "Report/Reports.h"
#include "lld-cuda/Support/Printable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

/// An input section in an output section, or a block of it.
struct Piece {
  const ObjectFile *file;
  unsigned section;
  uint64_t base, size;
};

class MapWriter {
public:
  MapWriter(const Inputs &inputs, Program &program, const Numbered &numbered,
            raw_ostream &os)
      : inputs(inputs), program(program), numbered(numbered), os(os) {}
  void write();

private:
  void collect();
  void addPiece(const OutputSection &sec, const Piece &piece);
  void writeSection(const OutputSection &sec);
  void writeDiscarded();
  void writeDiscardedConstants();
  /// Positions in the file; sections without bytes have none.
  void writeNumbers(std::optional<uint64_t> offset, uint64_t address,
                    uint64_t size, uint64_t align);

  const Inputs &inputs;
  Program &program;
  const Numbered &numbered;
  raw_ostream &os;
  MapVector<const OutputSection *, std::vector<Piece>> pieces;
  MapVector<const OutputSection *, std::vector<const Symbol *>> symbols;
};

} // namespace

void MapWriter::addPiece(const OutputSection &sec, const Piece &piece) {
  if (!sec.writesMoved())
    return pieces[&sec].push_back(piece);
  const std::vector<MovedBlock> &moved = sec.extras->moved;
  auto it = partition_point(
      moved, [&](const MovedBlock &b) { return b.before < piece.base; });
  for (; it != moved.end() && it->before - piece.base < piece.size; ++it)
    pieces[&sec].push_back({piece.file, piece.section, it->now, it->size});
}

void MapWriter::collect() {
  for (const ObjectFile &obj : program.objects)
    for (unsigned i = 1; i < obj.file.sections().size(); ++i)
      if (const SectionPlacement p = obj.placement(i); p.section)
        addPiece(*p.section, {&obj, i, p.base, obj.file.sections()[i].sh_size});
  for (const Symbol *s : numbered.finalSymbols)
    if (s->section && !s->isSection())
      symbols[s->section].push_back(s);
  // Sorted by address; pieces at one address stay in the order of creation.
  for (auto &[sec, list] : pieces)
    llvm::stable_sort(
        list, [](const Piece &a, const Piece &b) { return a.base < b.base; });
  for (auto &[sec, list] : symbols)
    llvm::stable_sort(list, [](const Symbol *a, const Symbol *b) {
      return a->value < b->value;
    });
}

void MapWriter::writeNumbers(std::optional<uint64_t> offset, uint64_t address,
                             uint64_t size, uint64_t align) {
  if (offset)
    os << format("%8llx ", (unsigned long long)*offset);
  else
    os << "       - ";
  os << format("%8llx %8llx %5llx ", (unsigned long long)address,
               (unsigned long long)size, (unsigned long long)align);
}

void MapWriter::writeSection(const OutputSection &sec) {
  auto fileOffset = [&](uint64_t address) -> std::optional<uint64_t> {
    if (sec.isNoBits() || sec.isSharedCopy)
      return std::nullopt;
    return sec.fileOffset + address;
  };
  writeNumbers(fileOffset(0), 0, sec.size, sec.align);
  os << asPrintable(sec.name) << '\n';

  // Code has no pieces; it is a function's definition.
  if (sec.isText() && sec.owner && sec.owner->defined) {
    writeNumbers(fileOffset(0), 0, sec.size, sec.align);
    os << "        " << asPrintable(program.objects[sec.owner->definedIn].label)
       << ":(" << asPrintable(sec.name) << ")\n";
  }
  const std::vector<Piece> &parts = pieces[&sec];
  const std::vector<const Symbol *> &names = symbols[&sec];
  auto nextName = names.begin();
  auto writeNames = [&](uint64_t end) {
    for (; nextName != names.end() && (*nextName)->value < end; ++nextName) {
      const Symbol &s = **nextName;
      writeNumbers(fileOffset(s.value), s.value, s.size, 0);
      os << "                " << inputs.diag.display(s.name) << '\n';
    }
  };
  for (size_t i = 0; i != parts.size(); ++i) {
    const Piece &p = parts[i];
    const Elf_Shdr &shdr = p.file->file.sections()[p.section];
    writeNumbers(fileOffset(p.base), p.base, p.size, shdr.sh_addralign);
    os << "        " << asPrintable(p.file->label) << ":("
       << asPrintable(p.file->file.sectionName(p.section)) << ")\n";
    if (i + 1 != parts.size())
      writeNames(parts[i + 1].base);
  }
  writeNames(~uint64_t(0));
}

void MapWriter::writeDiscarded() {
  bool first = true;
  for (const Function &f : program.functions) {
    if (!f.defined || f.reachable || !f.text)
      continue;
    if (std::exchange(first, false))
      os << "\nDiscarded functions, which no kernel reaches:\n";
    os << format("%8llx ", (unsigned long long)f.size)
       << asPrintable(program.objects[f.definedIn].label) << ": "
       << inputs.diag.display(f.name) << '\n';
  }
}

/// Lists constants that were left out, because there were more than 64 KiB and
/// kernels are pruned [constants-laid-out-anew].
void MapWriter::writeDiscardedConstants() {
  bool first = true;
  for (const Variable &v : program.variables) {
    if (!v.isLeftOut)
      continue;
    if (std::exchange(first, false))
      os << "\nDiscarded constants, which nothing refers to:\n";
    os << format("%8llx ", (unsigned long long)v.size)
       << asPrintable(program.objects[v.definedIn].label) << ": "
       << inputs.diag.display(v.name) << '\n';
  }
}

void MapWriter::write() {
  collect();
  os << "  Offset  Address     Size Align Out     In      Symbol\n";
  for (const OutputSection *sec : numbered.finalSections)
    if (sec->view() == View::Native)
      writeSection(*sec);
  writeDiscarded();
  writeDiscardedConstants();
}

void reportMap(const Inputs &inputs, Program &program,
               const Numbered &numbered) {
  const LldConfig &lld = inputs.config.lld;
  if (!lld.printMap && !lld.mapFile)
    return;
  std::string text;
  raw_string_ostream os(text);
  MapWriter(inputs, program, numbered, os).write();
  if (lld.printMap)
    inputs.out << text;
  if (lld.cref && lld.mapFile) {
    os << '\n';
    printCrossReferences(inputs, program, os);
  }
  if (lld.mapFile)
    writeReport(inputs, *lld.mapFile, std::move(text));
}

} // namespace lld::cuda
