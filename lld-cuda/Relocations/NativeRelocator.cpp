//===- NativeRelocator.cpp - Values of relocations in native sections -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// relocateNative() writes the fields of relocations in a native section;
/// processRelocations() calls it for each section, in parallel if the link is
/// large. What becomes of an entry is decided before (RelocationFate.h), so
/// only the value is left: symbol plus addend, into the bits that the
/// relocation's type has (patchRelocation()). Mercury code needs more than that
/// and has MercuryRelocator.cpp. If an entry's symbol is a section, the addend
/// is an offset in that section as it was read; if the section was laid out
/// anew since, the offset is translated.
///
//===----------------------------------------------------------------------===//

#include "Relocations/SectionRelocator.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

class NativeRelocator final : public SectionRelocator {
public:
  NativeRelocator(const Inputs &inputs, const Program &program,
                  const RelocationSite &link, OutputSection &sec,
                  FirstRelocationError &error)
      : SectionRelocator(inputs, program, link, sec, error) {}

private:
  /// Contents have moved in line tables that were rebuilt, and in banks that
  /// were laid out anew.
  int64_t movedOffset(const Symbol &s, int64_t offset) const override {
    return s.section->movedOffset(offset);
  }

  void writeField(const RelocationEntry &e, const RelocationInfo &info,
                  const Symbol *s, RelocationValue value,
                  bool implicit) override {
    uint64_t target = value.address + e.addend;
    if (s && s->isSection())
      target = movedOffset(*s, target);
    patchRelocation(patcher.bytesAt(e.offset), info, target, value.bank,
                    implicit);
  }
};

} // namespace

void relocateNative(const Inputs &inputs, const Program &program,
                    const RelocationSite &link, OutputSection &sec,
                    FirstRelocationError &error) {
  NativeRelocator(inputs, program, link, sec, error).run();
}

} // namespace lld::cuda
