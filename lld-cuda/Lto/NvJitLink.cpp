//===- NvJitLink.cpp - NVIDIA's library and what it makes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lto/NvJitLink.h"
#include "Ctx.h"
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

/// 12.0 to 12.9 write 57 to 64, 13.0 to 13.5 65 to 67.
static unsigned toCudaMajor(unsigned version) {
  constexpr unsigned FirstOf13 = 65;
  return !version ? 0 : version < FirstOf13 ? 12 : 13;
}

std::optional<unsigned> readLtoMajor(Ctx &ctx, ArrayRef<InputUnit *> units) {
  unsigned major = 0;
  StringRef first;
  auto refuse = [&](StringRef label, unsigned of, const Twine &other) {
    ctx.diag.report(DiagId::LtoMajor,
                    {"Input file ", diag::file(label), " has LTO IR of CUDA ",
                     of, ", which can't be linked ", other.str()});
    return std::nullopt;
  };
  for (const InputUnit *unit : units)
    for (const LtoSource &source : unit->ltoIR) {
      const unsigned own = toCudaMajor(source.version);
      if (own && major && own != major)
        return refuse(unit->label, own,
                      "with that of CUDA " + Twine(major) + " in '" + first +
                          "'");
      if (own && !major) {
        major = own;
        first = unit->label;
      }
    }
  const ReleaseChoice &choice = ctx.config.release;
  const unsigned wanted =
      choice.isFixed ? choice.request.release->toolkit / 10 : choice.cudaMajor;
  if (major && wanted && major != wanted)
    return refuse(first, major,
                  "into an image of CUDA " + Twine(wanted) +
                      "; compile it again, or choose another release");
  return major;
}

void addNvJitLinkCandidates(const Config &config, unsigned major, LtoJob &job) {
  SmallVector<StringRef, 3> names;
  if (major != 12)
    names.push_back("libnvJitLink.so.13");
  if (major != 13)
    names.push_back("libnvJitLink.so.12");
  names.push_back("libnvJitLink.so");
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

bool checkFinalCubin(Ctx &ctx, StringRef cubin) {
  if (!ctx.config.release.isFixed || !ctx.rules.writesOldFiles() ||
      cubin.size() <= ELF::EI_OSABI ||
      uint8_t(cubin[ELF::EI_OSABI]) != elf::ELFOSABI_CUDA_13)
    return true;
  ctx.diag.report(DiagId::LtoMajor,
                  {"ptxas is of CUDA 13, and the image is to be one of ",
                   ctx.rules.release().name.str(),
                   "; put a ptxas of "
                   "CUDA 12 first in PATH"});
  return false;
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
