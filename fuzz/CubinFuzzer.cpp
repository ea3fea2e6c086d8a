//===- CubinFuzzer.cpp - Fuzzes the checked view of a cubin ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the checks that make a cubin safe to read (lib/Object/Cubin.h), and
/// the function that renames symbols. libFuzzer calls LLVMFuzzerTestOneInput()
/// with each input that it makes, in runs of scripts/fuzz.sh; an input is a
/// cubin. If CubinFile::create() accepts it, everything that Cubin.h promises
/// must hold: all names, contents, symbols and relocations are read.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/Note.h"
#include "lld-cuda/Object/NoteCommand.h"
#include "lld-cuda/Object/RenameSymbols.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

static StringRef toStringRef(llvm::ArrayRef<uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

template <typename RelTy>
static void checkRelocations(llvm::ArrayRef<RelTy> entries, StringRef data,
                             const CubinSymbolTable &table) {
  requirePart({reinterpret_cast<const char *>(entries.data()),
               entries.size() * sizeof(RelTy)},
              data);
  for (const RelTy &entry : entries)
    require(entry.getSymbol(false) < table.symbols.size());
}

static void checkSymbols(const CubinSymbolTable &table, StringRef data) {
  for (const Elf_Sym &sym : table.symbols)
    requirePart(table.name(sym), data);
}

/// Everything that the header says is safe after create() is done here.
/// Every third symbol gets another name. The result may be refused, if tables
/// of the input overlap; what is read has the names.
static void checkRenamed(const CubinFile &file) {
  llvm::ArrayRef<Elf_Sym> symbols = file.symtab().symbols;
  SymbolNames names;
  for (unsigned i = 1; i < symbols.size(); i += 3)
    names[i] = "another.name";
  llvm::Expected<llvm::SmallVector<char, 0>> bytes = renameSymbols(file, names);
  if (!bytes)
    return requireText(bytes.takeError());
  llvm::Expected<CubinFile> renamed = CubinFile::create(
      llvm::MemoryBufferRef({bytes->data(), bytes->size()}, "renamed"));
  if (!renamed)
    return requireText(renamed.takeError());
  require(renamed->symtab().symbols.size() == symbols.size());
  for (unsigned i = 1; i < symbols.size(); i += 3)
    require(renamed->symtab().name(renamed->symtab().symbols[i]) ==
            "another.name");
}

/// The first word of the recorded command is taken out of it.
static void checkToolNotes(const CubinFile &file) {
  llvm::Expected<CompiledFor> target = readCompiledFor(file);
  if (!target)
    requireText(target.takeError());
  const unsigned section = file.findSection(".note.nv.tkinfo");
  auto notes = readTkInfoNotes(file.contents(section));
  if (!notes)
    return requireText(notes.takeError());
  const StringRef command =
      notes->empty() ? StringRef() : notes->front().command;
  const StringRef word = command.take_front(command.find(' '));
  std::optional<std::string> changed = dropFromNoteCommand(file.buffer(), word);
  if (!changed)
    return;
  CubinFile written =
      llvm::cantFail(CubinFile::create(llvm::MemoryBufferRef(*changed, "")));
  auto after = llvm::cantFail(readTkInfoNotes(written.contents(section)));
  require(after.size() == 1);
  require(after.front().command == command.drop_front(word.size()));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  llvm::Expected<CubinFile> file = CubinFile::create({data, "fuzz"});
  if (!file) {
    requireText(file.takeError());
    return 0;
  }
  require(isCubin(data));
  unsigned count = file->sections().size();
  for (unsigned i = 0; i < count; ++i) {
    requirePart(file->sectionName(i), data);
    requirePart(toStringRef(file->contents(i)), data);
    switch (file->sections()[i].sh_type) {
    case elf::SHT_REL:
      checkRelocations(file->rels(i), data, file->symtab());
      break;
    case elf::SHT_RELA:
    case elf::SHT_CUDA_RESOLVED_RELA:
      checkRelocations(file->relas(i), data, file->symtab());
      break;
    case elf::SHT_CUDA_MERC_RELA:
    case elf::SHT_CUDA_MERC_RESOLVED_RELA:
      checkRelocations(file->relas(i), data, file->mercurySymtab());
      break;
    }
  }
  if (count > 1) {
    unsigned found = file->findSection(file->sectionName(count - 1));
    require(found != 0 &&
            file->sectionName(found) == file->sectionName(count - 1));
  }
  require(file->findSection("no such section") == 0 ||
          data.contains("no such section"));

  checkSymbols(file->symtab(), data);
  checkSymbols(file->mercurySymtab(), data);
  for (unsigned i = 0; i < file->symtab().symbols.size(); ++i)
    require(file->sectionIndex(i) < count ||
            file->sectionIndex(i) == elf::SHN_ABS || file->isCommon(i));
  for (unsigned i = 0; i < file->mercurySymtab().symbols.size(); ++i)
    require(file->mercurySectionIndex(i) < count ||
            file->mercurySectionIndex(i) >= elf::SHN_LORESERVE);
  for (uint32_t offset : {0u, 1u, uint32_t(size), ~0u}) {
    llvm::Expected<StringRef> string = file->string(offset);
    if (string)
      requirePart(*string, data);
    else
      requireText(string.takeError());
  }
  checkRenamed(*file);
  checkToolNotes(*file);
  llvm::ArrayRef<Elf_Phdr> phdrs = file->programHeaders();
  requirePart({reinterpret_cast<const char *>(phdrs.data()),
               phdrs.size() * sizeof(Elf_Phdr)},
              data);
  return 0;
}
