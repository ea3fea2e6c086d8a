//===- NvJitLink.cpp - NVIDIA's library and what it makes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lto/NvJitLink.h"
#include "Config.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lld::cuda {

/// A name without a slash would be looked for by the loader, a relative path
/// has no folders above it.
static std::string absolute(StringRef path) {
  SmallString<256> text = path;
  sys::fs::make_absolute(text);
  return text.str().str();
}

void addNvJitLinkCandidates(const Config &config, LtoJob &job) {
  static constexpr StringLiteral names[] = {
      "libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"};
  auto addFrom = [&](const Twine &folder) {
    for (StringRef name : names) {
      std::string path = (folder + "/" + name).str();
      if (sys::fs::exists(path))
        job.add({"library", path});
    }
  };
  if (!config.nvJitLinkPath.empty()) {
    if (sys::fs::is_directory(config.nvJitLinkPath))
      addFrom(config.nvJitLinkPath);
    else
      job.add({"library", absolute(config.nvJitLinkPath)});
    return;
  }
  StringSet<> seen;
  auto addToolkit = [&](const Twine &root) {
    std::string path = root.str();
    if (path.empty() || !seen.insert(path).second)
      return;
    for (StringRef folder :
         {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      addFrom(path + "/" + folder);
  };
  if (!config.nvvmPath.empty())
    addToolkit(config.nvvmPath + "/..");
  addToolkit(config.cudaPath);
  auto addToolkitOf = [&](StringRef program) {
    SmallString<256> real;
    addToolkit(
        sys::path::parent_path(sys::path::parent_path(absolute(program))));
    if (!sys::fs::real_path(program, real))
      addToolkit(sys::path::parent_path(sys::path::parent_path(real)));
  };
  // Those of a toolkit go together: the library may write PTX that another
  // one's ptxas doesn't know, and takes no newer LTO IR.
  if (std::string ptxas = findPtxas(config); !ptxas.empty())
    addToolkitOf(ptxas);
  for (const std::string &root : config.environment.toolkits)
    addToolkit(root);
  for (StringRef tool : {"nvcc", "nvlink"})
    if (std::string path = findInPath(config, tool); !path.empty())
      addToolkitOf(path);
  // By the loader's own search: LD_LIBRARY_PATH, ld.so.conf.
  for (StringRef name : names)
    job.add({"library", name});
}

std::string withPlainTarget(std::string ptx) {
  constexpr StringLiteral directive = "\n.target sm_";
  size_t at = ptx.find(directive);
  if (at == std::string::npos)
    return ptx;
  at += directive.size();
  while (at < ptx.size() && isDigit(ptx[at]))
    ++at;
  if (at < ptx.size() && isAlpha(ptx[at]))
    ptx.erase(at, 1);
  return ptx;
}

/// Functions that ptxas itself knows.
static bool isBuiltin(StringRef name) {
  return name == "vprintf" || name == "malloc" || name == "free" ||
         name == "__assertfail";
}

bool isPtxComplete(StringRef ptx) {
  for (StringRef rest = ptx, line; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    if (!line.consume_front(".extern .func"))
      continue;
    line = line.ltrim();
    if (line.starts_with("("))
      line = line.split(')').second.ltrim();
    if (!isBuiltin(line.take_until([](char c) {
                         return c == ' ' || c == '(' || c == ';';
                       })
                       .rtrim()))
      return false;
  }
  return true;
}

bool isPtxLarge(StringRef ptx) {
  constexpr size_t MaxFunctions = 10;
  return ptx.count("\n{\n") > MaxFunctions;
}

} // namespace lld::cuda
