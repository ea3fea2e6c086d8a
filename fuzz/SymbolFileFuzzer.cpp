//===- SymbolFileFuzzer.cpp - Fuzzes files that name symbols --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the readers of files in which options of ld.cuda name symbols:
/// version scripts and lists of kernels (--require-kernels). libFuzzer calls
/// LLVMFuzzerTestOneInput() with each input that it makes, in runs of
/// scripts/fuzz.sh; an input is read as both. Each pattern in a version script
/// is compared with some names and with itself, and each kernel in a list must
/// be found by its own name.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "Input/RequiredKernels.h"
#include "Input/SymbolPatterns.h"
#include "Input/VersionScript.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

static void tryPattern(StringRef text, bool isExact, NameForm form) {
  require(!text.empty());
  touch(text);
  llvm::Expected<SymbolPattern> pattern =
      SymbolPattern::create(text, isExact, form);
  if (!pattern)
    return requireText(pattern.takeError());
  for (StringRef name : {text, StringRef("_ZN2ns1fIiEEvT_"), StringRef("k")}) {
    SymbolForms forms(name);
    const bool matches = pattern->matches(forms);
    require(!pattern->isExact() || form == NameForm::Demangled || matches ||
            name != text);
    touch(forms.demangled());
    touch(forms.withoutParameters());
  }
}

static void readKernels(StringRef data) {
  llvm::Expected<std::vector<std::string>> names = readKernelFile(data);
  if (!names)
    return requireText(names.takeError());
  require(!names->empty());
  RequiredKernels kernels;
  kernels.add(*names);
  require(kernels.names().size() <= names->size());
  // A name is found by itself.
  for (const std::string &name : *names)
    require(!kernels.find(name).empty());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const StringRef data(reinterpret_cast<const char *>(bytes), size);
  if (llvm::Expected<VersionScript> script = readVersionScript(data)) {
    for (const VersionScript::Pattern &p : script->patterns)
      tryPattern(p.text, p.isExact,
                 p.isCxx ? NameForm::Demangled : NameForm::Mangled);
    for (const std::string &version : script->versions)
      touch(version);
  } else {
    requireText(script.takeError());
  }
  readKernels(data);
  for (const std::string &name : splitKernelList(data))
    require(!name.empty());
  return 0;
}
