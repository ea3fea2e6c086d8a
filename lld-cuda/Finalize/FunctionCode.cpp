//===- FunctionCode.cpp - What passes that change code ask of a function --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finalizer.cpp and DebugFrame.cpp ask these functions before they touch a
/// function's code: whether it has native and Mercury code in the output,
/// whether the link is one for a debugger, and where its jumps through tables
/// lead. findJumpTables() reads those from the function's
/// INDIRECT_BRANCH_TARGETS records. One damaged record voids all tables of the
/// function: where such a jump leads is then unknown, so nothing may be pending
/// at it.
///
//===----------------------------------------------------------------------===//

#include "Finalize/FunctionCode.h"
#include "Inputs.h"
#include "Symbols.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;
using namespace lld::cuda::elf;

namespace lld::cuda {

bool hasCode(const Function &f) {
  return f.reachable && f.text && f.text->mercury && !f.text->parts.empty() &&
         !f.text->mercury->parts.empty();
}

bool isDebugLink(const Inputs &inputs) {
  return inputs.config.debug && !inputs.config.suppressDebugInfo;
}

void setOwnContents(OutputSection &sec, MutableArrayRef<uint8_t> bytes) {
  sec.setContents(bytes);
  sec.parts[0].setCopy(bytes.data());
}

std::vector<JumpTable> findJumpTables(const Function &f) {
  constexpr size_t HeaderSize = 12, CountAt = 8;
  auto indexOf = [](const uint8_t *offset) {
    return read32le(offset) / uint32_t(sass::InstructionSize);
  };
  const uint32_t count = f.text->parts[0].bytes.size() / sass::InstructionSize;
  std::vector<JumpTable> tables;
  for (const InfoRecord &r : f.infoRecords[unsigned(View::Native)]) {
    if (r.record.code != EIATTR_INDIRECT_BRANCH_TARGETS)
      continue;
    ArrayRef<uint8_t> payload = r.record.payload;
    while (payload.size() >= HeaderSize) {
      JumpTable &table = tables.emplace_back();
      table.jump = indexOf(payload.data());
      const uint64_t size = read32le(payload.data() + CountAt);
      payload = payload.drop_front(HeaderSize);
      if (size > payload.size() / 4)
        return {};
      for (uint64_t i = 0; i != size; ++i) {
        const uint8_t *target = payload.data() + 4 * i;
        table.targets.push_back(indexOf(target));
        if (read32le(target) % sass::InstructionSize ||
            table.targets.back() >= count)
          return {};
      }
      payload = payload.drop_front(4 * size);
    }
  }
  return tables;
}

} // namespace lld::cuda
