//===- Schedule.cpp - Scheduling fields of instructions -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares the code of two cubins without the fields that tell the hardware
/// how to schedule an instruction. cubin-diff's Compare.cpp calls
/// withScheduleOf() to find out whether two cubins differ in nothing else, and
/// Meaning.cpp to ignore such differences in sections that differ. The fields
/// are bits 105 to 125 of a 16-byte instruction: stalls, scoreboards, waits,
/// which operands to keep. From sm_100 on nvlink makes code anew, and chooses
/// them where it finds a reason: in kernels that call nothing
/// [scoreboards-reallocated], with -g in others, too, and in all code of an
/// older compiler [scoreboards-older-code]. So they may differ anywhere in code
/// without a difference in what it does.
///
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {
namespace {

using sass::InstructionSize;

/// The scheduling bits, by byte of the instruction.
constexpr size_t FirstControlByte = 13;
constexpr uint8_t ControlMask[] = {0xfe, 0xff, 0x3f};

} // namespace

bool mayBeScheduledAgain(const CubinFile &file, unsigned section) {
  return file.smNumber() >= elf::FirstMercurySM &&
         file.sectionName(section).starts_with(".text.") &&
         file.contents(section).size() % InstructionSize == 0;
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

std::vector<uint8_t>
withScheduleOf(const CubinFile &file, const CubinFile &other,
               std::vector<ScheduleDifference> &functions) {
  StringRef bytes = other.buffer().getBuffer();
  std::vector<uint8_t> out(bytes.bytes_begin(), bytes.bytes_end());
  size_t count = std::min(file.sections().size(), other.sections().size());
  for (unsigned i = 1; i < count; ++i) {
    ArrayRef<uint8_t> want = file.contents(i), have = other.contents(i);
    if (file.sectionName(i) != other.sectionName(i) ||
        want.size() != have.size() || want == have ||
        !mayBeScheduledAgain(file, i))
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
      functions.push_back(
          {file.sectionName(i).str(), changed, want.size() / InstructionSize});
  }
  return out;
}

} // namespace lld::cuda
