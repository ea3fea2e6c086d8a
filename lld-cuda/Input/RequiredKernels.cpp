//===- RequiredKernels.cpp - --require-kernels: reading the list ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// RequiredKernels holds the kernels that --require-kernels names, in the
/// option or in a file (@FILE), and finds which of them a symbol means.
/// readInputs() in Link.cpp has them read before any input, LazyMembers.cpp
/// notes archive members that define such a kernel and aren't linked, and
/// ExplainRequired.cpp reports at the end of the link which kernels are
/// missing. A list is split at commas outside of brackets: "scale<int,
/// float>,add" has two names. readOptionFile() reads version scripts, too, and
/// keeps all such files for --reproduce and --dependency-file.
///
//===----------------------------------------------------------------------===//

#include "Input/RequiredKernels.h"
#include "Input/InputFiles.h"
#include "Input/SymbolControl.h"
#include "Input/SymbolPatterns.h"
#include "Inputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

std::vector<std::string> splitKernelList(StringRef list) {
  std::vector<std::string> names;
  unsigned depth = 0;
  size_t begin = 0;
  auto take = [&](size_t end) {
    if (const StringRef name = list.slice(begin, end).trim(); !name.empty())
      names.push_back(name.str());
    begin = end + 1;
  };
  for (size_t i = 0; i != list.size(); ++i) {
    if (StringRef("(<[{").contains(list[i]))
      ++depth;
    else if (StringRef(")>]}").contains(list[i]) && depth)
      --depth;
    else if (list[i] == ',' && !depth)
      take(i);
  }
  take(list.size());
  return names;
}

Expected<std::vector<std::string>> readKernelFile(StringRef text) {
  std::vector<std::string> names;
  for (size_t line = 1; !text.empty(); ++line) {
    StringRef name;
    std::tie(name, text) = text.split('\n');
    name = name.split('#').first.trim();
    if (any_of(name, [](unsigned char c) { return c < ' ' || c == '\x7f'; }))
      return createStringError("line " + Twine(line) +
                               ": a control character in a name");
    if (!name.empty())
      names.push_back(name.str());
  }
  if (names.empty())
    return createStringError("it names no kernel");
  return names;
}

static std::string withoutBlanks(StringRef name) {
  std::string text = name.str();
  erase_if(text, [](char c) { return isSpace(c); });
  return text;
}

void RequiredKernels::add(ArrayRef<std::string> list) {
  for (const std::string &name : list)
    if (numbers.try_emplace(withoutBlanks(name), written.size()).second)
      written.push_back(name);
}

std::vector<size_t> RequiredKernels::find(StringRef symbol) const {
  std::vector<size_t> found;
  auto look = [&](StringRef name) {
    auto it = numbers.find(withoutBlanks(name));
    if (it != numbers.end() && !is_contained(found, it->second))
      found.push_back(it->second);
  };
  SymbolForms forms(symbol);
  look(forms.mangled());
  StringRef demangled = forms.demangled();
  look(demangled);
  // Instances of templates have a return type.
  if (demangled.consume_front("void "))
    look(demangled);
  look(forms.withoutParameters());
  return found;
}

void RequiredKernels::noteUntaken(const InputUnit &unit) {
  untaken.resize(written.size());
  for (const LoadedCubin &cubin : unit.holds.cubins) {
    const CubinSymbolTable &table = cubin.file.symtab();
    for (unsigned i = 1; i < table.symbols.size(); ++i)
      if (isKernelDefinition(cubin.file, i))
        for (size_t kernel : find(table.name(table.symbols[i])))
          if (untaken[kernel].empty())
            untaken[kernel] = unit.label;
  }
}

const OptionFile *readOptionFile(Inputs &inputs, StringRef option,
                                 StringRef path) {
  constexpr size_t MaxSize = 16 << 20; // Of what people or scripts write.
  OpenedFile file = openFile(inputs, path.str());
  if (!file.buffer) {
    inputs.diag.report(openError(file, path));
    return nullptr;
  }
  if (file.buffer->getBufferSize() > MaxSize) {
    inputs.diag.report(Diagnostic(
        DiagId::InvalidValue, Severity::Error,
        {option, path,
         ": the file is larger than 16 MB, so it is not a text file"}));
    return nullptr;
  }
  inputs.optionFiles.push_back({option.str(), path.str(), std::move(file)});
  return &inputs.optionFiles.back();
}

static bool addKernelFile(Inputs &inputs, StringRef path) {
  const OptionFile *file = readOptionFile(inputs, "--require-kernels=@", path);
  if (!file)
    return false;
  Expected<std::vector<std::string>> names =
      readKernelFile(file->file.buffer->getBuffer());
  if (names) {
    inputs.requiredKernels->add(*names);
    return true;
  }
  inputs.diag.report(Diagnostic(DiagId::InvalidValue, Severity::Error,
                                {"--require-kernels: ", diag::file(path), ": ",
                                 toString(names.takeError())}));
  return false;
}

bool readRequiredKernels(Inputs &inputs) {
  bool ok = true;
  if (!inputs.config.lld.requiredKernels.empty())
    inputs.requiredKernels = std::make_unique<RequiredKernels>();
  for (StringRef value : inputs.config.lld.requiredKernels) {
    if (value.consume_front("@")) {
      ok &= addKernelFile(inputs, value);
      continue;
    }
    const std::vector<std::string> names = splitKernelList(value);
    if (names.empty()) {
      inputs.diag.report(Diagnostic(DiagId::InvalidValue, Severity::Error,
                                    {"--require-kernels: no kernel is named"}));
      ok = false;
    }
    inputs.requiredKernels->add(names);
  }
  return ok;
}

} // namespace lld::cuda
