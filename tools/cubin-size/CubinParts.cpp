//===- CubinParts.cpp - What each byte of a cubin is for ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Divides the bytes of a cubin among functions and uses, for cubin-size.
/// Measure.cpp calls divideCubin() for each cubin that it has unpacked. The
/// function goes through the sections in the order of their offsets and gives
/// each byte to the first section that has it: a Mercury section may share its
/// bytes with the native one. The function that a section is about follows from
/// its name or from sh_info. What no section has is "headers", so the parts'
/// sum is the cubin's size. With --by=source, SourceLines.h divides code
/// further by the files that its line table names.
///
//===----------------------------------------------------------------------===//

#include "CubinParts.h"
#include "lld-cuda/BinaryFormat/SectionKinds.h"
#include "lld-cuda/FinalCode/SourceLines.h"
#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace lld::cuda {

StringRef getUseName(Use use) {
  static constexpr StringLiteral names[] = {
      "code",        "mercury", "constants", "data",    "records",
      "relocations", "symbols", "debug",     "headers", "no cubin"};
  return names[size_t(use)];
}

static Use getUse(StringRef name, const Elf_Shdr &section) {
  if (section.sh_flags & elf::SHF_CUDA_MERCURY ||
      name.starts_with(".nv.capmerc") || name.starts_with(".nv.merc"))
    return Use::Mercury;
  elf::SectionKind kind =
      elf::getContentKind(name, section.sh_type, section.sh_flags);
  switch (elf::getSectionBucket(kind, section.sh_type, section.sh_flags)) {
  case elf::SectionBucket::Tables:
    return Use::Symbols;
  case elf::SectionBucket::Debug:
    return Use::Debug;
  case elf::SectionBucket::Relocations:
    return Use::Relocations;
  case elf::SectionBucket::ReadOnly:
  case elf::SectionBucket::Appended:
    return Use::Constants;
  case elf::SectionBucket::Text:
    return Use::Code;
  case elf::SectionBucket::Data:
  case elf::SectionBucket::NoBits:
    return Use::Data;
  case elf::SectionBucket::Records:
    return Use::Records;
  }
  llvm_unreachable("all buckets are covered");
}

/// The function that a section is about. sh_info names its code, or a section
/// that does, as of relocations of .nv.info.f.
static StringRef getFunction(const CubinFile &file, unsigned index) {
  constexpr unsigned MaxSteps = 4;
  for (unsigned i = 0; i != MaxSteps; ++i) {
    StringRef name = file.sectionName(index);
    for (StringRef prefix : {".text.", ".nv.capmerc.text.", ".nv.uft.rel."})
      if (name.consume_front(prefix))
        return name;
    const Elf_Shdr &section = file.sections()[index];
    if (!(section.sh_flags & elf::SHF_INFO_LINK) || !section.sh_info ||
        section.sh_info >= file.sections().size())
      return {};
    index = section.sh_info;
  }
  return {};
}

static uint64_t bytesOf(const CubinFile &file, unsigned index) {
  return file.contents(index).size();
}

/// Sections with bytes, as they lie in the file.
static std::vector<unsigned> getOrder(const CubinFile &file) {
  std::vector<unsigned> order;
  for (unsigned i = 1, e = file.sections().size(); i < e; ++i)
    if (bytesOf(file, i))
      order.push_back(i);
  stable_sort(order, [&](unsigned a, unsigned b) {
    return file.sections()[a].sh_offset < file.sections()[b].sh_offset;
  });
  return order;
}

namespace {

/// Adds parts of code, one for each file that it was made of.
class CodeDivider {
public:
  CodeDivider(const CubinFile &file, bool bySource, CubinParts &result)
      : file(file), result(result) {
    if (bySource)
      lines.emplace(file);
  }

  void add(unsigned index, uint64_t size) {
    const ArrayRef<uint8_t> code = file.contents(index);
    CubinPart part = {Use::Code,   getFunction(file, index).str(),
                      "",          size,
                      code.size(), xxh3_64bits(code)};
    MapVector<StringRef, uint64_t> bytes;
    if (lines)
      for (const SourceRange &range : lines->ranges(index))
        bytes[range.file] += range.end - range.begin;
    for (auto [source, count] : bytes) {
      const uint64_t taken = std::min(count, size);
      if (!taken)
        continue;
      part.source = clean(source);
      part.size = taken;
      result.parts.push_back(part);
      part.codeSize = part.codeHash = 0;
      size -= taken;
    }
    if (!size)
      return;
    part.source.clear();
    part.size = size;
    result.parts.push_back(std::move(part));
  }

private:
  /// Removes dots from a path: "/a/b/../c.h" becomes "/a/c.h".
  static std::string clean(StringRef path) {
    SmallString<128> text(path);
    sys::path::remove_dots(text, /*remove_dot_dot=*/true);
    return text.str().str();
  }

  const CubinFile &file;
  CubinParts &result;
  std::optional<SourceLines> lines;
};

} // namespace

Expected<CubinParts> divideCubin(StringRef data, bool bySource) {
  Expected<CubinFile> file = CubinFile::create(MemoryBufferRef(data, "cubin"));
  if (!file)
    return file.takeError();
  CubinParts result;
  result.isRelocatable = file->header().e_type == elf::ET_REL;
  CodeDivider code(*file, bySource, result);
  // Two sections may share bytes (a Mercury section its native one's); they
  // are the first one's.
  uint64_t end = 0, sum = 0;
  for (unsigned index : getOrder(*file)) {
    const Elf_Shdr &section = file->sections()[index];
    const uint64_t begin = std::max<uint64_t>(section.sh_offset, end);
    end = std::max<uint64_t>(end, section.sh_offset + bytesOf(*file, index));
    if (begin >= end)
      continue;
    const Use use = getUse(file->sectionName(index), section);
    const uint64_t size = end - begin;
    sum += size;
    if (use == Use::Code)
      code.add(index, size);
    else
      result.parts.push_back(
          {use, getFunction(*file, index).str(), "", size, 0, 0});
  }
  result.parts.push_back({Use::Headers, "", "", data.size() - sum, 0, 0});
  return result;
}

} // namespace lld::cuda
