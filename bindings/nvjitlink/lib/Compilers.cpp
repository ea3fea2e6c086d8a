//===- Compilers.cpp - Finding NVIDIA's compilers -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// This library stands in for NVIDIA's libnvJitLink, but needs two of NVIDIA's
/// compilers, which it finds here: a ptxas for PTX, and NVIDIA's own
/// libnvJitLink for LTO IR, which is loaded. Job.cpp asks for ptxas when a
/// handle is created, Delegate.cpp for the library when an input needs it. The
/// first answer holds for the whole process, and the library is never unloaded.
///
/// The search must not find this very file (isOwnFile()), nor a library of
/// another major release of CUDA. Folders above this file that anybody may
/// write to are passed over: what lies there could be anybody's code.
///
//===----------------------------------------------------------------------===//

#include "Compilers.h"
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace lld::cuda::nvjitlink {

static std::string variable(const char *name) {
  const char *value = ::secure_getenv(name);
  return value ? value : "";
}

const CompilerEnvironment &environment() {
  static const CompilerEnvironment *const theOne = [] {
    auto *e = new CompilerEnvironment;
    e->ptxas = variable("LLDCUDA_PTXAS");
    e->nvJitLink = variable("LLDCUDA_NVJITLINK");
    e->cudaHome = variable("CUDA_HOME");
    e->cache = variable("LLDCUDA_CACHE_DIR");
    const std::string compat = variable("LLDCUDA_COMPAT");
    e->compat = !compat.empty() && compat != "0";
    return e;
  }();
  return *theOne;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static std::string parentOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

static std::string fileName() {
  return "libnvJitLink.so." + std::to_string(Major);
}

/// The file that this code is in; empty: unknown.
static std::string ownFile() {
  Dl_info info;
  if (!::dladdr(reinterpret_cast<const void *>(&ownFile), &info) ||
      !info.dli_fname)
    return "";
  char *real = ::realpath(info.dli_fname, nullptr);
  std::string path = real ? real : "";
  ::free(real);
  return path;
}

static bool isOwnFile(const std::string &path) {
  struct stat own, other;
  return ::stat(ownFile().c_str(), &own) == 0 &&
         ::stat(path.c_str(), &other) == 0 && own.st_dev == other.st_dev &&
         own.st_ino == other.st_ino;
}

static bool isFile(const std::string &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// Anybody may have put something there, as into /tmp.
static bool isWritableByAll(const std::string &folder) {
  struct stat status;
  return ::stat(folder.c_str(), &status) != 0 || (status.st_mode & S_IWOTH);
}

namespace {
/// A folder with programs, and one with libraries.
struct CompilerFolders {
  std::string bin, lib;
  /// Whether it is a toolkit, whose release only the library in it tells.
  bool isToolkit = false;
};
} // namespace

/// Adds the folders of a toolkit, as it is installed or unpacked.
static void addToolkit(std::vector<CompilerFolders> &places,
                       const std::string &root) {
  // A relative one would depend on the current directory.
  if (root.empty() || root[0] != '/')
    return;
  for (const char *lib : {"/lib64", "/lib", "/targets/x86_64-linux/lib",
                          "/targets/sbsa-linux/lib"})
    places.push_back({root + "/bin", root + lib, true});
}

/// Returns the folders in which compilers are searched, in order.
static const std::vector<CompilerFolders> &placesToLook() {
  static const auto *const places = [] {
    auto *list = new std::vector<CompilerFolders>;
    // Python's site-packages is some folders above this file.
    for (std::string folder = parentOf(ownFile()); !folder.empty();
         folder = parentOf(folder)) {
      if (isWritableByAll(folder))
        continue;
      const std::string nvidia = folder + "/nvidia";
      if (Major == 13)
        list->push_back({nvidia + "/cu13/bin", nvidia + "/cu13/lib", false});
      else
        list->push_back(
            {nvidia + "/cuda_nvcc/bin", nvidia + "/nvjitlink/lib", false});
    }
    addToolkit(*list, environment().cudaHome);
    addToolkit(*list, "/usr/local/cuda");
    return list;
  }();
  return *places;
}

const std::string &findPtxas() {
  static const std::string *const ptxas = [] {
    if (!environment().ptxas.empty())
      return new std::string(environment().ptxas);
    for (const CompilerFolders &place : placesToLook()) {
      // An image of CUDA 12 can't have code of a later toolkit's ptxas.
      if (Major == 12 && place.isToolkit &&
          !isFile(place.lib + "/" + fileName()))
        continue;
      std::string path = place.bin + "/ptxas";
      if (isFile(path) && ::access(path.c_str(), X_OK) == 0)
        return new std::string(path);
    }
    return new std::string;
  }();
  return *ptxas;
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

template <typename Fn>
static void setFunction(void *library, Fn *&function, const char *name) {
  function = reinterpret_cast<Fn *>(::dlsym(library, name));
}

/// Returns null, with the reason in `problem`, if the library can't be used.
/// What is loaded stays: its threads and handlers at exit would run in code
/// that isn't there any more.
static const NvidiaLibrary *load(const std::string &path,
                                 std::string &problem) {
  if (isOwnFile(path)) {
    problem = path + " is this library itself";
    return nullptr;
  }
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    problem = ::dlerror();
    return nullptr;
  }
  auto *loaded = new NvidiaLibrary;
  loaded->path = path;
  VersionFn *version = nullptr;
  setFunction(library, version, "nvJitLinkVersion");
  setFunction(library, loaded->create, "nvJitLinkCreate");
  setFunction(library, loaded->destroy, "nvJitLinkDestroy");
  setFunction(library, loaded->addData, "nvJitLinkAddData");
  setFunction(library, loaded->complete, "nvJitLinkComplete");
  setFunction(library, loaded->cubinSize, "nvJitLinkGetLinkedCubinSize");
  setFunction(library, loaded->cubin, "nvJitLinkGetLinkedCubin");
  setFunction(library, loaded->ptxSize, "nvJitLinkGetLinkedPtxSize");
  setFunction(library, loaded->ptx, "nvJitLinkGetLinkedPtx");
  setFunction(library, loaded->ltoIRSize, "nvJitLinkGetLinkedLTOIRSize");
  setFunction(library, loaded->ltoIR, "nvJitLinkGetLinkedLTOIR");
  setFunction(library, loaded->errorLogSize, "nvJitLinkGetErrorLogSize");
  setFunction(library, loaded->errorLog, "nvJitLinkGetErrorLog");
  setFunction(library, loaded->infoLogSize, "nvJitLinkGetInfoLogSize");
  setFunction(library, loaded->infoLog, "nvJitLinkGetInfoLog");
  setFunction(library, loaded->privateApi, "__nvJitLinkAPI");
  const bool isComplete =
      version && loaded->create && loaded->destroy && loaded->addData &&
      loaded->complete && loaded->cubinSize && loaded->cubin &&
      loaded->ptxSize && loaded->ptx && loaded->errorLogSize &&
      loaded->errorLog && loaded->infoLogSize && loaded->infoLog;
  if (!isComplete || version(&loaded->major, &loaded->minor) != 0)
    problem = path + " lacks functions of libnvJitLink 12.3 and later";
  else if (loaded->major != Major)
    problem = path + " is of CUDA " + std::to_string(loaded->major) +
              ", this library of CUDA " + std::to_string(Major);
  else
    return loaded;
  delete loaded;
  return nullptr;
}

namespace {
struct Search {
  const NvidiaLibrary *library = nullptr;
  std::string problem;
};
} // namespace

static Search search() {
  Search result;
  if (!environment().nvJitLink.empty()) {
    const std::string &path = environment().nvJitLink;
    if (path[0] == '/')
      result.library = load(path, result.problem);
    else
      result.problem = "LLDCUDA_NVJITLINK is not an absolute path";
    return result;
  }
  std::vector<CompilerFolders> places;
  // A release's compilers go together.
  if (!findPtxas().empty())
    addToolkit(places, parentOf(parentOf(findPtxas())));
  places.insert(places.end(), placesToLook().begin(), placesToLook().end());
  for (const CompilerFolders &place : places) {
    const std::string path = place.lib + "/" + fileName();
    if (!isFile(path) || isOwnFile(path))
      continue;
    result.library = load(path, result.problem);
    if (result.library)
      return result;
  }
  return result;
}

const NvidiaLibrary *findNvidiaLibrary(std::string *problem) {
  static const auto *const result = new Search(search());
  if (problem)
    *problem = result->problem;
  return result->library;
}

} // namespace lld::cuda::nvjitlink
