//===- Libraries.cpp - Searching for libraries ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// -l: lib<name>.a in the directories of -L, then in those of $LIBRARY_PATH.
/// A library that isn't there is passed over: compiler drivers hand us the host
/// libraries, too (spec: inputs, section 2.1).
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "InputFiles.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

using namespace llvm;
using namespace lld::cuda;

std::string lld::cuda::findLibrary(const Ctx &ctx, StringRef name) {
  auto findIn = [&](StringRef directory) {
    std::string path = (directory + "/lib" + name + ".a").str();
    return sys::fs::exists(path) ? path : std::string();
  };
  for (const std::string &directory : ctx.config.libraryPaths)
    if (std::string path = findIn(directory); !path.empty())
      return path;
  if (const char *list = ::getenv("LIBRARY_PATH")) {
    for (StringRef rest = list; !rest.empty();) {
      StringRef directory;
      std::tie(directory, rest) = rest.split(':');
      if (std::string path = findIn(directory);
          !directory.empty() && !path.empty())
        return path;
    }
  }
  return {};
}
