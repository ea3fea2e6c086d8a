//===- UnpackCubins.cpp - Whether a cubin takes part in the link ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions of Unpacker add a cubin to the link if its header, its
/// architecture and the toolkit that compiled it allow that: code for sm_80
/// links for sm_86, but not the other way round. UnpackFiles.cpp calls them for
/// each cubin that it finds when a link loads its inputs, and once more, for
/// the architecture only, when it is known which CUDA release's rules the link
/// follows (the inputs choose it unless --nvlink-release does). The checks have
/// nvlink's order, which decides which of several mistakes is reported
/// [input-toolkit], [architecture-pairs]. A cubin that is an executable is no
/// error: it is linked already and therefore ignored.
///
//===----------------------------------------------------------------------===//

#include "Input/InputStore.h"
#include "Input/ObjectFacts.h"
#include "Input/ToolkitMark.h"
#include "Input/Unpacker.h"
#include "lld-cuda/Object/Compat.h"
#include "lld-cuda/Object/Note.h"
#include "lld-cuda/Support/Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lld::cuda {

/// The first one for sm_90 whose objects link.
constexpr unsigned FirstToolkitForSM90 = 120;

void Unpacker::addCubin(StringRef data) {
  unit.holds.anyDeviceCode = true;
  // A cubin whose type isn't ET_REL is accepted only if its file has the suffix
  // .cubin.
  constexpr size_t typeOffset = 16;
  if (inputs.config.isCommandLine &&
      !StringRef(unit.label).ends_with(".cubin") &&
      data.size() >= sizeof(Elf_Ehdr) &&
      support::endian::read16le(data.data() + typeOffset) != ELF::ET_REL)
    return;
  if (addImage(data, unit.holds.cubins.size()) != Outcome::Linked)
    return;
  unit.host.countsForHostInfo = true;
  unit.host.registration = Registration::Path;
}

/// A file that ends before its section table's end: nvlink passes over it
/// without a word. Here it is an error, but one that lets the link go on, so
/// that what nvlink says of the rest is said as well.
static bool isCutOff(StringRef data) {
  auto &header = *reinterpret_cast<const Elf_Ehdr *>(data.data());
  const uint64_t size = uint64_t(header.e_shnum) * sizeof(Elf_Shdr);
  return header.e_shoff > data.size() || data.size() - header.e_shoff < size;
}

Unpacker::Outcome Unpacker::addImage(StringRef data, size_t position) {
  if (data.size() < sizeof(Elf_Ehdr))
    return damagedInput("ELF header of 64 bytes is cut off after " +
                        Twine(data.size()) + " bytes");
  // Linked executables are passed over, whatever is wrong with them.
  auto &header = *reinterpret_cast<const Elf_Ehdr *>(data.data());
  if (isCubin(data) && header.e_type == ELF::ET_EXEC) {
    addIgnoredWarning(inputs.config, unit.told.messages,
                      {diag::file(unit.label),
                       " is ignored: its device code is already linked"},
                      /*isLoss=*/true);
    return Outcome::Executable;
  }
  if (header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64) {
    report(DiagId::AddressSizeMismatch, {"Input file ", diag::file(unit.label),
                                         " size does not match target '-m64'"});
    return Outcome::Failed;
  }
  if (!isCubin(data))
    return damagedInput("it is not an ELF file for CUDA");
  if (!checkHeader(data))
    return Outcome::Failed;
  InputStore *store = isOwnData ? nullptr : unit.store;
  SharedOrOwn<CubinFile> file(store ? store->getCubin(data) : nullptr, [&] {
    return CubinFile::create(MemoryBufferRef(data, unit.label));
  });
  if (!file && unit.kind == ContentKind::Cubin && isCutOff(data)) {
    unit.told.cutOff = Diagnostic(
        DiagId::InputCutOff, {"Input file ", diag::file(unit.label),
                              " is damaged: ", toString(file.takeError())});
    return Outcome::Executable;
  }
  if (!file)
    return damagedInput(toString(file.takeError()));
  CompiledFor compiledFor;
  if (!checkCubin(*file, compiledFor))
    return Outcome::Failed;
  const bool isMercury = inputs.isMercury();
  const ObjectFacts *facts = nullptr;
  if (store)
    facts = store->getFacts(*file, isMercury);
  else if (!unit.systemLibrary && !unit.lazy)
    facts = findObjectFacts(*file, isMercury, inputs.factMemory,
                            inputs.mergesBatches);
  unit.holds.cubins.insert(unit.holds.cubins.begin() + position,
                           {*file, unit.label, compiledFor, facts});
  return Outcome::Linked;
}

bool Unpacker::checkHeader(StringRef data) {
  auto &header = *reinterpret_cast<const Elf_Ehdr *>(data.data());
  const uint32_t flags = header.e_flags;
  const bool isOld = header.e_ident[ELF::EI_OSABI] != elf::ELFOSABI_CUDA_13;
  if (isOld && !(flags & elf::EF_CUDA_12_64BIT_ADDRESS))
    report(DiagId::NoAddressSizeFlag,
           {"expected 64bit object ", diag::file(unit.label),
            " to have EF_CUDA_64BIT_ADDRESS set"});
  if (header.e_ident[ELF::EI_ABIVERSION] !=
          (isOld ? elf::ABIVERSION_CUDA_12 : elf::ABIVERSION_CUDA_13) ||
      (isOld && flags & elf::EF_CUDA_12_OTHER_ABI))
    return report(DiagId::AbiMismatch, {"Input file ", diag::file(unit.label),
                                        " abi does not match"});
  return true;
}

/// Whether the header or .nv.compat says that the code is for an "a"
/// architecture; a damaged section is told of when it is merged.
static bool isAccelerated(const CubinFile &file) {
  const uint32_t flag = file.hasOldHeader() ? elf::EF_CUDA_12_ACCELERATED
                                            : elf::EF_CUDA_13_ACCELERATED;
  if (file.header().e_flags & flag)
    return true;
  unsigned index = file.findSection(".nv.compat");
  if (!index)
    return false;
  bool result = false;
  consumeError(forEachNvInfoRecord(
      file.contents(index), [&](size_t, const NvInfoRecord &record) {
        if (record.code == COMPAT_CUDA_ACCELERATOR_TARGET)
          result = record.value & 1;
        return Error::success();
      }));
  return result;
}

bool Unpacker::checkArchitecture(const CubinFile &file) {
  elf::Architecture object;
  object.number = file.smNumber();
  if (object.number == 0)
    return report(DiagId::UnknownArch, {"Unknown arch name 'sm_0'"});
  // Most code is for the target itself, which needs no look at suffixes.
  if (object.number == inputs.sm() && !rules.keepsAcceleratedApart())
    return true;
  if (isAccelerated(file))
    object.suffix = elf::Architecture::Accelerated;
  const elf::Architecture target = inputs.config.arch;
  const bool isForOneOnly = object.suffix == elf::Architecture::Accelerated &&
                            rules.keepsAcceleratedApart();
  auto warnIfNative = [&] {
    if (!object.isMercury() && target.isMercury())
      report(DiagId::LimitedArch,
             {"Output is limited to run on SM Arch '", target.number,
              "' only due to limitations in input file ",
              diag::file(unit.label).bare()});
  };
  if (isForOneOnly && target.suffix != elf::Architecture::Accelerated) {
    warnIfNative();
    return report(DiagId::AcceleratedArch,
                  {"cannot link accelerated arch to non-accelerated"});
  }
  // Before the inputs have chosen the release, any that allows it will do.
  const unsigned toolkit = pairsToolkit(
      choice.isFixed ? rules.release().toolkit : newestRelease().toolkit);
  if (isForOneOnly ? object == target
                   : elf::isLinkCompatible(object, target, toolkit))
    return true;
  warnIfNative();
  report(DiagId::ArchMismatch,
         {"Input file ", diag::file(unit.label), " arch does not match target ",
          diag::quoted(inputs.config.archName)});
  explain("it is for sm_" + Twine(object.number) +
          (object.suffix == elf::Architecture::Accelerated ? "a" : ""));
  return false;
}

/// "13.0" for 130.
static std::string describeToolkit(unsigned toolkit) {
  return utostr(toolkit / 10) + "." + utostr(toolkit % 10);
}

/// What to do about an object of a newer toolkit. In a toolkit directory the
/// user calls nvcc, so the advice is about nvcc's options.
void Unpacker::explainNewer() {
  const std::string newest = describeToolkit(newestToolkit(choice));
  const std::string toolkit =
      releaseOfToolkit(pathOfProgram(inputs.config.program));
  if (choice.isFixed && findRelease(toolkit) == choice.request.release)
    explain("this link follows the rules of its toolkit, CUDA " + newest +
            "; nvcc -Xnvlink --newer-inputs=warn links the input anyway, and a "
            "toolkit made by lld-cuda-toolkit --release=inputs follows the "
            "newest input's rules");
  else if (choice.isFixed)
    explain("this link follows the rules of CUDA " + newest +
            "; without --nvlink-release it follows the newest input's rules, "
            "and --newer-inputs=warn links the input anyway");
  else
    explain("compile it with CUDA " + newest +
            " or older, or link with a newer version of this linker; "
            "--newer-inputs=warn links it anyway");
}

/// Whether objects of that toolkit can be linked [input-toolkit].
bool Unpacker::checkToolkit(const CubinFile &file, uint32_t toolkit) {
  // nvlink writes the number with a sign.
  if (refusesToolkit(choice, toolkit)) {
    report(DiagId::NewerThanToolkit,
           {"Input file ", diag::file(unit.label), " newer than toolkit (",
            itostr(int32_t(toolkit)), " vs ", newestToolkit(choice), ")"});
    explainNewer();
    return false;
  }
  if (file.smNumber() == 90 && toolkit < FirstToolkitForSM90)
    return report(DiagId::NeedsRecompilation,
                  {"Input file ", diag::file(unit.label),
                   " must be recompiled with toolkit >= Cuda 12.0"});
  if (file.header().e_type == elf::ET_CUDA_EWP &&
      toolkit != rules.release().toolkit &&
      (choice.refusesNewer.value_or(choice.isFixed) ||
       toolkit < rules.release().toolkit))
    return report(DiagId::WholeProgramToolkit,
                  {"linking with -ewp objects requires using current toolkit"});
  // Its encoding isn't known [input-older-mercury], [mercury12-older].
  constexpr uint32_t FirstReadable = 129;
  if (file.hasMercuryFlag() && file.findSection(OldCubinNoteName) &&
      toolkit < FirstReadable)
    return report(DiagId::NeedsRecompilation,
                  {"Input file ", diag::file(unit.label),
                   " has Mercury code of CUDA 12, which can't be linked; "
                   "recompile it with CUDA 13.0"});
  return true;
}

/// The order of the checks is nvlink's: only the first mistake is reported.
bool Unpacker::checkCubin(const CubinFile &file, CompiledFor &compiledFor) {
  if (!checkArchitecture(file))
    return false;
  Expected<CompiledFor> read = readCompiledFor(file);
  if (!read) {
    damagedInput(toString(read.takeError()));
    return false;
  }
  compiledFor = *read;
  if (!checkToolkit(file, compiledFor.toolkit))
    return false;
  const uint32_t flags = file.header().e_flags;
  const bool isMercury = file.hasMercuryFlag();
  if (file.hasOldHeader() && flags & elf::EF_CUDA_12_UNUSABLE) {
    damagedInput("e_flags 0x" + Twine::utohexstr(flags) +
                 " have a bit that no compiler sets");
    return false;
  }
  if (isMercury &&
      (flags & elf::EF_CUDA_13_SASS || file.smNumber() < elf::FirstMercurySM)) {
    damagedInput("e_flags 0x" + Twine::utohexstr(flags) +
                 " contradict each other");
    return false;
  }
  if (!isMercury && file.smNumber() >= elf::FirstMercurySM)
    report(DiagId::LimitedArch,
           {"Output is limited to run on SM Arch '", inputs.config.arch.number,
            "' only due to limitations in input file ",
            diag::file(unit.label).bare()});
  return true;
}

} // namespace lld::cuda
