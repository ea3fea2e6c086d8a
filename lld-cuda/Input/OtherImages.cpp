//===- OtherImages.cpp - Images in inputs that a link doesn't take --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions look at device code of inputs that the link doesn't take, so
/// that messages can say more: which architectures a fatbin has instead of the
/// target, and whether a missing symbol is defined in one of those images or in
/// code that is linked already. UnpackFiles.cpp and the explanations in
/// Explain/ call them, and only when there is something to tell, since images
/// may have to be decompressed for it; those of more than 64 MB aren't. In code
/// that is linked already a device function is a local symbol, named after its
/// kernel: $KERNEL$FUNCTION.
///
//===----------------------------------------------------------------------===//

#include "Input/OtherImages.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "lld-cuda/Object/Fatbin.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static void forEachFatbin(const InputUnit &unit,
                          function_ref<void(ArrayRef<FatbinEntry>)> fn) {
  auto visit = [&](StringRef data) {
    Expected<FatbinReader> reader = FatbinReader::create(data);
    if (reader)
      fn(reader->entries());
    else
      consumeError(reader.takeError());
  };
  if (unit.kind == ContentKind::Fatbin)
    return visit(unit.data);
  if (unit.kind != ContentKind::HostObject ||
      (!isHostObject(unit.data) && !isCoffObject(unit.data)))
    return;
  Expected<HostObject> object =
      HostObject::create(MemoryBufferRef(unit.data, unit.label));
  if (!object)
    return consumeError(object.takeError());
  for (StringRef fatbin : object->fatbins)
    visit(fatbin);
}

static std::string archName(const FatbinEntry &entry) {
  std::string name = utostr(entry.arch.number);
  if (entry.arch.suffix == Architecture::Accelerated)
    name += 'a';
  else if (entry.arch.suffix == Architecture::Family)
    name += 'f';
  return name;
}

std::string describeImages(ArrayRef<FatbinEntry> entries) {
  std::vector<std::string> words;
  auto add = [&](std::string word) {
    if (!is_contained(words, word))
      words.push_back(std::move(word));
  };
  for (const FatbinEntry &e : entries)
    if (e.kind == FatbinKind::ELF)
      add("sm_" + archName(e));
  for (const FatbinEntry &e : entries)
    if (e.kind == FatbinKind::PTX)
      add("PTX for compute_" + archName(e));
  for (const FatbinEntry &e : entries)
    if (e.kind == FatbinKind::LTOIR)
      add("LTO IR for lto_" + archName(e));
  if (words.empty())
    return "nothing";
  std::string last = words.back();
  words.pop_back();
  return words.empty() ? last : join(words, ", ") + " and " + last;
}

std::string describeImages(const InputUnit &unit) {
  std::string text;
  if (unit.told.isIgnoredCubin) {
    Expected<CubinFile> file =
        CubinFile::create(MemoryBufferRef(unit.data, unit.label));
    if (file)
      return "sm_" + utostr(file->smNumber());
    consumeError(file.takeError());
    return text;
  }
  forEachFatbin(unit, [&](ArrayRef<FatbinEntry> entries) {
    if (text.empty())
      text = describeImages(entries);
  });
  return text;
}

static bool definesWanted(const CubinFile &file,
                          function_ref<bool(StringRef)> isWanted) {
  const CubinSymbolTable &table = file.symtab();
  return any_of(table.symbols, [&](const Elf_Sym &sym) {
    return sym.st_shndx != SHN_UNDEF && sym.getBinding() != STB_LOCAL &&
           isWanted(table.name(sym));
  });
}

bool definesSymbol(const CubinFile &file, StringRef name) {
  return definesWanted(file, [&](StringRef other) { return other == name; });
}

/// In code that is linked already a device function is a local symbol of its
/// kernel, "$KERNEL$FUNCTION".
static bool definesLinked(const CubinFile &file, StringRef name) {
  const CubinSymbolTable &table = file.symtab();
  return any_of(table.symbols, [&](const Elf_Sym &sym) {
    StringRef found = table.name(sym);
    return sym.st_shndx != SHN_UNDEF && sym.getType() == STT_FUNC &&
           found.consume_back(name) && (found.empty() || found.ends_with("$"));
  });
}

static bool hasCubin(StringRef image,
                     function_ref<bool(const CubinFile &)> isWanted) {
  Expected<CubinFile> file = CubinFile::create(MemoryBufferRef(image, ""));
  if (file)
    return isWanted(*file);
  consumeError(file.takeError());
  return false;
}

/// Whether the entry has a cubin that is wanted; a compressed one is
/// decompressed first.
static bool hasCubin(const FatbinEntry &e,
                     function_ref<bool(const CubinFile &)> isWanted) {
  if (e.kind != FatbinKind::ELF)
    return false;
  SmallVector<uint8_t, 0> bytes;
  StringRef image = e.payload;
  if (e.isCompressed()) {
    if (Error err = decompress(e, SmallPayload, bytes)) {
      consumeError(std::move(err));
      return false;
    }
    image = toStringRef(bytes);
  }
  return hasCubin(image, isWanted);
}

static bool defines(const CubinFile &file, StringRef name) {
  return definesSymbol(file, name) || definesLinked(file, name);
}

bool definesInWholeProgram(const InputUnit &unit, StringRef name) {
  if (unit.source)
    unit.source->load(unit.data);
  for (const EmbeddedFatbin &fatbin : findEmbeddedFatbins(
           unit.data, [](Error e) { consumeError(std::move(e)); })) {
    Expected<FatbinReader> reader = FatbinReader::create(fatbin.data);
    if (!reader) {
      consumeError(reader.takeError());
      continue;
    }
    for (const FatbinEntry &e : reader->entries())
      if (hasCubin(e, [&](const CubinFile &f) { return defines(f, name); }))
        return true;
  }
  return false;
}

static bool hasOtherCubin(const InputUnit &unit,
                          function_ref<bool(const CubinFile &)> isWanted) {
  if (unit.told.isIgnoredCubin)
    return hasCubin(unit.data, isWanted);
  bool found = false;
  forEachFatbin(unit, [&](ArrayRef<FatbinEntry> entries) {
    for (const FatbinEntry &e : entries)
      found = found || hasCubin(e, isWanted);
  });
  return found;
}

bool definesInOtherImage(const InputUnit &unit, StringRef name) {
  return hasOtherCubin(
      unit, [&](const CubinFile &file) { return defines(file, name); });
}

bool definesInOtherImage(const InputUnit &unit,
                         function_ref<bool(StringRef)> isWanted) {
  return hasOtherCubin(unit, [&](const CubinFile &file) {
    return definesWanted(file, isWanted);
  });
}

} // namespace lld::cuda
