//===- CallGraphFuzzer.cpp - Fuzzes the call graph's readers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the readers of .nv.callgraph and .nv.prototype
/// (lib/Object/CallGraph.h). libFuzzer calls LLVMFuzzerTestOneInput() with each
/// input that it makes, in runs of scripts/fuzz.sh. The input becomes the
/// contents of both sections in a cubin that is otherwise sound, since
/// CubinFuzzer.cpp fuzzes all the rest of a cubin. A record that is read must
/// name functions and prototypes that exist.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/CallGraph.h"
#include <cstring>
#include <string>

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

namespace {
enum : unsigned { Strings = 1, Symtab, CallGraph, Prototype, SectionCount };
constexpr unsigned FunctionCount = 5;
} // namespace

template <typename T> static void append(std::string &to, const T &value) {
  to.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

/// A cubin with the null symbol, some functions, and a variable.
static std::string makeCubin(StringRef records) {
  const StringRef strings("\0f\0(i)i\0", 8);
  Elf_Shdr shdrs[SectionCount] = {};
  std::string bytes(sizeof(Elf_Ehdr), '\0');
  auto begin = [&](unsigned section, uint32_t type) {
    shdrs[section].sh_type = type;
    shdrs[section].sh_offset = bytes.size();
  };
  auto end = [&](unsigned section) {
    shdrs[section].sh_size = bytes.size() - shdrs[section].sh_offset;
  };

  begin(Strings, elf::SHT_STRTAB);
  bytes += strings;
  end(Strings);
  begin(Symtab, elf::SHT_SYMTAB);
  shdrs[Symtab].sh_link = Strings;
  shdrs[Symtab].sh_entsize = sizeof(Elf_Sym);
  Elf_Sym sym = {};
  append(bytes, sym);
  sym.st_name = 1;
  sym.st_info = elf::STT_FUNC;
  for (unsigned i = 0; i < FunctionCount; ++i)
    append(bytes, sym);
  sym.st_info = elf::STT_CUDA_OBJECT;
  append(bytes, sym);
  end(Symtab);
  begin(CallGraph, elf::SHT_CUDA_CALLGRAPH);
  begin(Prototype, elf::SHT_CUDA_PROTOTYPE);
  bytes += records;
  end(CallGraph);
  end(Prototype);

  Elf_Ehdr header = {};
  memcpy(header.e_ident, elf::ElfMagic, 4);
  header.e_ident[elf::EI_CLASS] = elf::ELFCLASS64;
  header.e_ident[elf::EI_DATA] = elf::ELFDATA2LSB;
  header.e_machine = elf::EM_CUDA;
  header.e_shoff = bytes.size();
  header.e_shentsize = sizeof(Elf_Shdr);
  header.e_shnum = SectionCount;
  header.e_shstrndx = Strings;
  memcpy(bytes.data(), &header, sizeof(header));
  for (const Elf_Shdr &shdr : shdrs)
    append(bytes, shdr);
  return bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
  std::string data = makeCubin({reinterpret_cast<const char *>(input), size});
  CubinFile file = llvm::cantFail(CubinFile::create({data, "fuzz"}));
  const CubinSymbolTable &symtab = file.symtab();
  auto requireFunction = [&](uint32_t index) {
    require(index < symtab.symbols.size());
    require(symtab.symbols[index].getType() == elf::STT_FUNC);
  };

  llvm::Error error = forEachCallGraphRecord(
      file, CallGraph, [&](const CallGraphRecord &record) {
        requireFunction(record.symbol);
        if (record.group == CallGraphGroup::Calls ||
            record.group == CallGraphGroup::Takes)
          require(record.other < symtab.symbols.size());
        else
          requirePart(record.prototype, data);
        return llvm::Error::success();
      });
  if (error)
    requireText(std::move(error));

  error = forEachPrototype(file, Prototype,
                           [&](uint32_t symbol, StringRef prototype) {
                             requireFunction(symbol);
                             requirePart(prototype, data);
                             return llvm::Error::success();
                           });
  if (error)
    requireText(std::move(error));
  return 0;
}
