//===- Environment.cpp - The environment variables that a link uses -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// readEnvironment() collects the environment variables that a link uses (PATH,
/// CUDA_HOME, TMPDIR and so on); readEnvironmentFlags() finds LLD_CUDA_FLAGS,
/// whose words are added to the command line. The drivers (Driver.cpp,
/// DeviceLink.cpp) call them before a link starts; links of the library whose
/// options are data don't. No other part of a link asks for these variables.
/// Each variable of the process is looked at once: getenv() for each name would
/// take 1 % of the time of a small link.
///
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

/// Whether the variable has that name; `value` is its value then.
static bool take(const char *variable, StringLiteral name, StringRef &value) {
  for (size_t i = 0; i != name.size(); ++i)
    if (variable[i] != name[i])
      return false;
  if (variable[name.size()] != '=')
    return false;
  value = variable + name.size() + 1;
  return true;
}

StringRef lld::cuda::readEnvironmentFlags() {
  StringRef flags;
  for (char **next = environ; next && *next; ++next)
    if (**next == 'L' && take(*next, "LLD_CUDA_FLAGS", flags))
      break;
  return flags;
}

Environment lld::cuda::readEnvironment() {
  // In each array the first variable that is set counts.
  StringRef path, libraryPath, terminal, makeFlags, cache, toolkits[2],
      directories[4];
  for (char **next = environ; next && *next; ++next) {
    const char *v = *next;
    switch (v[0]) {
    case 'C':
      take(v, "CUDA_HOME", toolkits[0]) || take(v, "CUDA_PATH", toolkits[1]);
      break;
    case 'L':
      take(v, "LIBRARY_PATH", libraryPath) ||
          take(v, "LLDCUDA_CACHE_DIR", cache);
      break;
    case 'M':
      take(v, "MAKEFLAGS", makeFlags);
      break;
    case 'P':
      take(v, "PATH", path);
      break;
    case 'T':
      take(v, "TMPDIR", directories[0]) || take(v, "TMP", directories[1]) ||
          take(v, "TEMP", directories[2]) ||
          take(v, "TEMPDIR", directories[3]) || take(v, "TERM", terminal);
      break;
    }
  }
  Environment environment;
  environment.path = path.str();
  environment.libraryPath = libraryPath.str();
  environment.terminal = terminal.str();
  environment.makeFlags = makeFlags.str();
  environment.cacheFolder = cache.str();
  for (StringRef root : toolkits)
    if (!root.empty())
      environment.toolkits.push_back(root.str());
  environment.temporaryDirectory = "/tmp";
  for (StringRef directory : reverse(directories))
    if (!directory.empty())
      environment.temporaryDirectory = directory.str();
  return environment;
}
