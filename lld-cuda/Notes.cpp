//===- Notes.cpp - Contents of the two notes -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// .note.nv.tkinfo: a record of our own, then those of all inputs, not with -r.
/// .note.nv.cuinfo: the smallest virtual architecture of all inputs (spec: ELF
/// output, section 7).
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Passes.h"
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
static constexpr StringLiteral NvlinkVersion =
    "Cuda compilation tools, release 13.0, V13.0.88";
static constexpr StringLiteral NvlinkBuild =
    "Build cuda_13.0.r13.0/compiler.36424714_0";
static constexpr StringLiteral OwnTool = "lld-cuda";
static constexpr StringLiteral OwnVersion =
    "lld-cuda " LLDCUDA_VERSION ", links like nvlink V13.0.88";
static constexpr size_t OwnBuildLength =
    NvlinkTool.size() + NvlinkVersion.size() + NvlinkBuild.size() -
    OwnTool.size() - OwnVersion.size();

static void writeTkInfo(Ctx &ctx) {
  TkInfoNote own;
  own.file = ctx.config.noteFile;
  own.command = ctx.config.noteCommand;
  std::string build = "Build " LLDCUDA_VERSION;
  build.resize(OwnBuildLength, ' ');
  if (ctx.config.nvlinkNote) {
    own.tool = NvlinkTool;
    own.toolVersion = NvlinkVersion;
    own.build = NvlinkBuild;
  } else {
    own.tool = OwnTool;
    own.toolVersion = OwnVersion;
    own.build = build;
  }
  SmallVector<char, 128> record;
  writeTkInfoNote(own, record);
  ctx.tkinfo->setContents(ctx.save(record));
  // nvlink's -r forgets what made the inputs.
  if (ctx.isRelocatable() && !ctx.keepsForRelink())
    return;
  for (const ObjectFile &obj : ctx.objects)
    if (unsigned i = findNote(obj.file, ".note.nv.tkinfo"))
      ctx.tkinfo->append(obj.file.contents(i), obj.file.contents(i).size(), 1);
}

void writeNotes(Ctx &ctx) {
  writeTkInfo(ctx);
  CuInfoNote note;
  note.virtualArch = ctx.sm();
  bool first = true;
  for (const ObjectFile &obj : ctx.objects) {
    if (!obj.virtualArch)
      continue;
    note.virtualArch =
        first ? obj.virtualArch : std::min(note.virtualArch, obj.virtualArch);
    first = false;
  }
  SmallVector<char, 32> record;
  writeCuInfoNote(note, record);
  ctx.cuinfo->setContents(ctx.save(record));
}

} // namespace lld::cuda
