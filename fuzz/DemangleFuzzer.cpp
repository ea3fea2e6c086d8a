//===- DemangleFuzzer.cpp - Fuzzes nvlink's form of C++ names -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the demangler that prints C++ names as nvlink does (lib/Demangle).
/// libFuzzer calls LLVMFuzzerTestOneInput() with each input that it makes, in
/// runs of scripts/fuzz.sh; an input is a name, once as it is and once with
/// "_Z" in front. A name that isn't mangled must stay as it is, and no name may
/// become a text of several megabytes.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Demangle/Demangle.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

/// Names are C strings; some are mangled, all others stay as they are.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef name(reinterpret_cast<const char *>(bytes), size);
  name = name.take_until([](char c) { return c == 0; });
  std::string mangled = ("_Z" + name).str();
  // Substitutions multiply a name's length, but not without limit.
  constexpr size_t maxText = 4 << 20;
  require(demangleLikeNvlink(mangled).size() < maxText);
  require(name.contains("_Z") || demangleLikeNvlink(name) == name);
  for (const std::string &text : {mangled, name.str()}) {
    const std::string shown = demangleDeviceName(text);
    require(shown.size() < maxText);
    // Three points stand for a pair of brackets' contents.
    require(shortenName(shown).size() <= 3 * shown.size());
  }
  return 0;
}
