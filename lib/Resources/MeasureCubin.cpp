//===- MeasureCubin.cpp - What kernels of a finished image need -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads from a finished cubin what each kernel needs: registers, stack, shared
/// memory, barriers, occupancy. cubin-check and cubin-size call measureCubin()
/// for each linked cubin in the files that they look at
/// (lib/Finished/ReadResources.cpp, Facts.cpp), the linker when another program
/// has made the image of a link with LTO as a whole (ResourceReport.cpp). All
/// comes from attributes and section sizes. Unlike in a link, there is no call
/// graph: the numbers of a kernel that ptxas has compiled as a whole include
/// those of its callees.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/Architectures.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/NvInfo.h"
#include "lld-cuda/Resources/Report.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda::report {

namespace {

class CubinMeasurement {
public:
  explicit CubinMeasurement(const CubinFile &file) : file(file) {}
  Expected<Image> run();

private:
  void findSections();
  void addFunction(unsigned symbol, const Elf_Sym &sym);
  Error readInfo(unsigned section);
  void readRecord(const NvInfoRecord &record, unsigned text);
  uint64_t sizeOf(StringRef kind, StringRef kernel) const {
    const unsigned section = sectionsByName.lookup((kind + kernel).str());
    return section ? uint64_t(file.sections()[section].sh_size) : 0;
  }

  struct Facts {
    std::optional<uint32_t> registers, stack;
    uint32_t frame = 0, barriers = 0;
    uint32_t threads = 0; ///< Of a block; 0: not promised.
  };

  const CubinFile &file;
  Image image;
  StringMap<unsigned> sectionsByName;
  DenseMap<unsigned, Facts> bySymbol, byText;
};

} // namespace

void CubinMeasurement::findSections() {
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    const Elf_Shdr &shdr = file.sections()[i];
    if (shdr.sh_flags & SHF_CUDA_MERCURY)
      continue;
    const StringRef name = file.sectionName(i);
    sectionsByName.try_emplace(name, i);
    if (name.starts_with(".text.") && shdr.sh_flags & SHF_EXECINSTR)
      image.code += shdr.sh_size;
    else if (name == ".nv.global" || name == ".nv.global.init")
      image.globalMemory += shdr.sh_size;
    else if (name == ".nv.constant3")
      image.constantMemory += shdr.sh_size;
  }
}

/// Notes what a record says of the function that it names or, if it names none,
/// of the text section that the record's section is about.
void CubinMeasurement::readRecord(const NvInfoRecord &record, unsigned text) {
  // Nobody has checked yet what the records of this file name.
  const bool hasPair = record.hasPayload() && record.wordCount() >= 2 &&
                       record.word(0) < file.symtab().symbols.size();
  switch (record.code) {
  case EIATTR_REGCOUNT:
    if (hasPair)
      bySymbol[record.word(0)].registers = record.word(1);
    break;
  case EIATTR_FRAME_SIZE:
    if (hasPair)
      bySymbol[record.word(0)].frame = record.word(1);
    break;
  case EIATTR_MIN_STACK_SIZE:
    if (hasPair)
      bySymbol[record.word(0)].stack = record.word(1);
    break;
  case EIATTR_NUM_BARRIERS:
    if (text && !record.hasPayload())
      byText[text].barriers = record.value;
    break;
  case EIATTR_REQNTID:
  case EIATTR_MAX_THREADS:
    if (!text || !record.hasPayload() || record.wordCount() < 3)
      break;
    if (uint32_t &threads = byText[text].threads;
        !threads || record.code == EIATTR_REQNTID)
      threads = std::min<uint64_t>(
          uint64_t(record.word(0)) * record.word(1) * record.word(2), 1024);
    break;
  }
}

Error CubinMeasurement::readInfo(unsigned section) {
  const Elf_Shdr &shdr = file.sections()[section];
  const unsigned text = file.sectionName(section) == ".nv.info" ||
                                shdr.sh_info >= file.sections().size()
                            ? 0
                            : unsigned(shdr.sh_info);
  return forEachNvInfoRecord(file.contents(section),
                             [&](size_t, const NvInfoRecord &record) {
                               readRecord(record, text);
                               return Error::success();
                             });
}

void CubinMeasurement::addFunction(unsigned symbol, const Elf_Sym &sym) {
  const unsigned text = file.sectionIndex(symbol);
  const Elf_Shdr &shdr = file.sections()[text];
  const StringRef name = file.symtab().name(sym);
  Facts facts = bySymbol.lookup(symbol);
  const Facts launch = byText.lookup(text);
  facts.barriers = std::max<uint32_t>(launch.barriers,
                                      (shdr.sh_flags & SHF_CUDA_BARRIER_MASK) >>
                                          SHF_CUDA_BARRIER_SHIFT);
  const uint32_t registers = facts.registers.value_or(
      file.hasOldHeader() ? uint32_t(shdr.sh_info) >> 24 : 0);
  if (!(sym.st_other & STO_CUDA_ENTRY)) {
    DeviceFunction &f = image.functions.emplace_back();
    f.symbol = name;
    f.registers = registers;
    f.frame = facts.frame;
    f.depth.stack = facts.frame;
    f.code = sym.st_size;
    return;
  }
  Kernel &k = image.kernels.emplace_back();
  k.symbol = name;
  k.registers.own = k.registers.total = registers;
  k.barriers.own = k.barriers.total = facts.barriers;
  k.frame = facts.frame;
  k.depth.stack = facts.stack.value_or(facts.frame);
  if (facts.stack == UnboundedStack)
    k.depth.stack.reset();
  k.code = shdr.sh_size;
  k.codeWithCallees = k.code;
  k.shared = sizeOf(".nv.shared.", name);
  k.parameters = sizeOf(".nv.constant0.", name);
  k.literals = sizeOf(".nv.constant2.", name);
  if (k.shared) {
    const ArchitectureLimits *limits = getArchitectureLimits(file.smNumber());
    k.sharedReserved =
        std::min<uint64_t>(k.shared, limits ? limits->reservedShared : 0);
  }
  BlockNeeds needs;
  needs.threads = launch.threads ? launch.threads : UsualBlockSize;
  needs.registers = registers;
  needs.shared = k.shared - k.sharedReserved;
  k.occupancy = computeOccupancy(file.smNumber(), needs);
}

Expected<Image> CubinMeasurement::run() {
  findSections();
  for (unsigned i = 1; i < file.sections().size(); ++i)
    if (file.sections()[i].sh_type == SHT_CUDA_INFO &&
        !(file.sections()[i].sh_flags & SHF_CUDA_MERCURY))
      if (Error e = readInfo(i))
        return e;
  const ArrayRef<Elf_Sym> symbols = file.symtab().symbols;
  for (unsigned i = 1; i < symbols.size(); ++i) {
    const unsigned text = file.sectionIndex(i);
    // A function that begins further on in its section is a part of a kernel.
    if (symbols[i].getType() == ELF::STT_FUNC && !symbols[i].st_value && text &&
        text < file.sections().size() && !file.isCommon(i) &&
        file.sections()[text].sh_flags & SHF_EXECINSTR)
      addFunction(i, symbols[i]);
  }
  auto isBefore = [](const auto &a, const auto &b) {
    return a.symbol < b.symbol;
  };
  llvm::stable_sort(image.kernels, isBefore);
  llvm::stable_sort(image.functions, isBefore);
  Object &all = image.objects.emplace_back();
  all.kernels = image.kernels.size();
  all.functions = image.functions.size();
  all.code = image.code;
  all.data = image.globalMemory + image.constantMemory;
  return std::move(image);
}

Expected<Image> measureCubin(const CubinFile &file) {
  return CubinMeasurement(file).run();
}

} // namespace lld::cuda::report
