//===- Environment.cpp - What the process's environment says --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A variable after the other, each looked at once: getenv() for each name
/// would be 1 % of a small link.
///
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

/// Most variables are none that matters.
static bool mayMatter(const char *entry) {
  switch (entry[0]) {
  case 'C':
    return entry[1] == 'U';
  case 'L':
    return entry[1] == 'I';
  case 'P':
    return entry[1] == 'A';
  case 'T':
    return entry[1] == 'E' || entry[1] == 'M';
  }
  return false;
}

Environment lld::cuda::readEnvironment() {
  Environment environment;
  // Of several that are set, the first counts.
  StringRef toolkits[2], directories[4];
  const std::pair<StringLiteral, StringRef *> variables[] = {
      {"CUDA_HOME", &toolkits[0]}, {"CUDA_PATH", &toolkits[1]},
      {"TMPDIR", &directories[0]}, {"TMP", &directories[1]},
      {"TEMP", &directories[2]},   {"TEMPDIR", &directories[3]}};
  for (char **entry = environ; entry && *entry; ++entry) {
    if (!mayMatter(*entry))
      continue;
    const auto [name, value] = StringRef(*entry).split('=');
    if (name == "PATH")
      environment.path = value.str();
    else if (name == "LIBRARY_PATH")
      environment.libraryPath = value.str();
    else
      for (const auto &[wanted, to] : variables)
        if (name == wanted)
          *to = value;
  }
  for (StringRef root : toolkits)
    if (!root.empty())
      environment.toolkits.push_back(root.str());
  environment.temporaryDirectory = "/tmp";
  for (StringRef directory : reverse(directories))
    if (!directory.empty())
      environment.temporaryDirectory = directory.str();
  return environment;
}
