//===- Schedule.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bits 105..125 of a 16-byte instruction tell the hardware how to schedule it.
/// In final links for sm_100 and later, nvlink chooses them anew in kernels
/// that call nothing and have more than one basic block; everywhere else it
/// keeps what the compiler chose [scoreboards-reallocated].
///
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {
namespace {

using sass::InstructionSize;

/// Operations that can change the control flow.
constexpr unsigned FirstControlFlow = 0x140, EndOfControlFlow = 0x160;

/// The scheduling bits, by byte of the instruction.
constexpr size_t FirstControlByte = 13;
constexpr uint8_t ControlMask[] = {0xfe, 0xff, 0x3f};

/// Whether the code calls nothing and has more than one basic block. A kernel
/// of one block ends with its only exit, after which the compiler always puts
/// a branch to itself.
bool isCallFreeWithBlocks(ArrayRef<uint8_t> code) {
  unsigned flowCount = 0;
  bool isOneBlock = true;
  for (size_t i = 0; i < code.size(); i += InstructionSize) {
    const unsigned operation = sass::Instruction::read(&code[i]).operation();
    if (operation == sass::OpCALLAbs || operation == sass::OpCALLRel)
      return false;
    if (operation < FirstControlFlow || operation >= EndOfControlFlow)
      continue;
    ++flowCount;
    if (flowCount > 2 ||
        operation != (flowCount == 1 ? sass::OpEXIT : sass::OpBRA))
      isOneBlock = false;
  }
  return !(isOneBlock && flowCount == 2);
}

} // namespace

bool isScheduledAgain(const CubinFile &file, unsigned section) {
  if (file.header().e_type != elf::ET_EXEC ||
      file.smNumber() < elf::FirstMercurySM)
    return false;
  ArrayRef<uint8_t> code = file.contents(section);
  if (!file.sectionName(section).starts_with(".text.") ||
      code.size() % InstructionSize)
    return false;
  ArrayRef<Elf_Sym> symbols = file.symtab().symbols;
  uint32_t symbol = file.sections()[section].sh_info & 0xffffff;
  return symbol < symbols.size() &&
         symbols[symbol].st_other & elf::STO_CUDA_ENTRY &&
         isCallFreeWithBlocks(code);
}

bool differInSchedule(ArrayRef<uint8_t> a, ArrayRef<uint8_t> b) {
  bool differs = false;
  for (size_t i = 0; i != InstructionSize; ++i) {
    uint8_t difference = a[i] ^ b[i];
    differs |= difference != 0;
    if (i >= FirstControlByte)
      difference &= ~ControlMask[i - FirstControlByte];
    if (difference)
      return false;
  }
  return differs;
}

std::string scheduleText(size_t changed, size_t instructions) {
  return "scheduling of " + utostr(changed) + " of " + utostr(instructions) +
         " instructions differs";
}

std::vector<uint8_t> withScheduleOf(const CubinFile &file,
                                    const CubinFile &other,
                                    std::vector<RescheduledKernel> &kernels) {
  StringRef bytes = other.buffer().getBuffer();
  std::vector<uint8_t> out(bytes.bytes_begin(), bytes.bytes_end());
  size_t count = std::min(file.sections().size(), other.sections().size());
  for (unsigned i = 1; i < count; ++i) {
    ArrayRef<uint8_t> want = file.contents(i), have = other.contents(i);
    if (file.sectionName(i) != other.sectionName(i) ||
        want.size() != have.size() || want == have ||
        !isScheduledAgain(file, i))
      continue;
    size_t changed = 0;
    uint8_t *code = out.data() + other.sections()[i].sh_offset;
    for (size_t at = 0; at < want.size(); at += InstructionSize) {
      bool differs = false;
      for (size_t b = 0; b != std::size(ControlMask); ++b) {
        size_t byte = at + FirstControlByte + b;
        uint8_t difference = (want[byte] ^ have[byte]) & ControlMask[b];
        code[byte] ^= difference;
        differs |= difference != 0;
      }
      changed += differs;
    }
    if (changed)
      kernels.push_back(
          {file.sectionName(i).str(), changed, want.size() / InstructionSize});
  }
  return out;
}

} // namespace lld::cuda
