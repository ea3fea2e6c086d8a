//===- Notes.cpp - Contents of the two notes ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// writeNotes() fills in the output's notes: .note.nv.tkinfo says which tools
/// made the image, with a record of this link and, except with -r, those of all
/// inputs; .note.nv.cuinfo has the smallest virtual architecture of all inputs
/// [note-contents]. writeTables() in Link.cpp calls it near the end of a link.
/// getVirtualArch() is asked for the ELF header, too (Writer.cpp). The record
/// of this link is padded to the length of nvlink's, so that images of both
/// linkers can be compared byte by byte.
///
//===----------------------------------------------------------------------===//

#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Passes.h"
#include "Program.h"
#include "lld-cuda/Object/Note.h"

using namespace llvm;

namespace lld::cuda {

static unsigned findNote(const CubinFile &file, StringRef name) {
  for (unsigned i = 1; i < file.sections().size(); ++i)
    if (file.sections()[i].sh_type == elf::SHT_NOTE &&
        file.sectionName(i) == name)
      return i;
  return 0;
}

// A record of our own has the length of nvlink's, so that nothing else in the
// file moves: what two linkers wrote can be compared byte by byte.
static constexpr StringLiteral NvlinkTool = "nvlink";
static constexpr StringLiteral OwnTool = "lld-cuda";

/// A link whose inputs are data has LinkOptions::note for that, whatever else
/// it does as nvlink.
static bool namesReference(const Inputs &inputs) {
  return inputs.config.isCommandLine
             ? inputs.rules.namesReferenceInNote()
             : inputs.config.release.request.namesReference;
}

static void writeTkInfo(const Inputs &inputs, const Program &program) {
  TkInfoNote own;
  if (inputs.rules.writesOldFiles())
    own.version = inputs.rules.release().toolkit;
  own.file = inputs.config.noteFile;
  own.command = inputs.config.noteCommand;
  const Release &release = inputs.rules.release();
  const std::string version =
      ("lld-cuda " LLDCUDA_VERSION ", links like nvlink V" + release.name)
          .str();
  std::string build = "Build " LLDCUDA_VERSION;
  if (inputs.config.isNvJitLinkNote) {
    own.tool = "nvJIT API";
    own.toolVersion = release.version;
    own.build = "Build system must define TOOLS_VERSION_EXTENDED";
    own.command = "JIT API Command Line Options";
    own.file = "in-memory-ELF-image";
  } else if (namesReference(inputs)) {
    own.tool = NvlinkTool;
    own.toolVersion = release.version;
    own.build = release.build;
  } else {
    own.tool = OwnTool;
    own.toolVersion = version;
    build.resize(NvlinkTool.size() + release.version.size() +
                     release.build.size() - OwnTool.size() - version.size(),
                 ' ');
    own.build = build;
  }
  SmallVector<char, 128> record;
  writeTkInfoNote(own, record);
  program.tkinfo->setContents(inputs.memory.save(record));
  // nvlink's -r forgets what made the inputs.
  if (inputs.rules.dropsNotesOfInputs())
    return;
  for (const ObjectFile &obj : program.objects)
    if (unsigned i = findNote(obj.file, ".note.nv.tkinfo"))
      program.tkinfo->append(obj.file.contents(i), obj.file.contents(i).size(),
                             1);
}

uint16_t getVirtualArch(const Inputs &inputs, const Program &program) {
  uint16_t smallest = inputs.sm();
  for (const ObjectFile &obj : program.objects)
    smallest = std::min<uint16_t>(smallest, obj.compiledFor.virtualArch);
  return smallest;
}

void writeNotes(const Inputs &inputs, const Program &program) {
  if (!program.tkinfo)
    return;
  writeTkInfo(inputs, program);
  CuInfoNote note;
  note.virtualArch = getVirtualArch(inputs, program);
  if (inputs.rules.writesOldFiles()) {
    note.version = CuInfoNote::OfCuda12;
    if (!program.objects.empty())
      note.virtualArch =
          std::as_const(program.objects)[program.objects.size() - 1]
              .compiledFor.virtualArch;
  }
  note.toolkit = inputs.rules.release().toolkit;
  SmallVector<char, 32> record;
  writeCuInfoNote(note, record);
  program.cuinfo->setContents(inputs.memory.save(record));
}

} // namespace lld::cuda
