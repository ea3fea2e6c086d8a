//===- NvJitLink.cpp - Compiles NVIDIA's LTO IR to PTX --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Has NVIDIA's libnvJitLink compile the LTO IR of a link, whose format only
/// NVIDIA knows. main() of lld-cuda-lto calls runNvJitLink() for a job of kind
/// "nvjitlink", which the linker (Lto/LtoNvidia.cpp) starts for a link with
/// -lto when all inputs are loaded, before it merges them. With -lto -ptx the
/// library gives the text that nvlink -lto compiles [lto-libnvjitlink]. The
/// interface is declared here as its documentation has it, so that neither a
/// header nor the library is needed to build. Its functions are exported with
/// the release as a suffix only.
///
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "lld-cuda/Lto/Protocol.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>

using namespace llvm;

namespace lld::cuda::lto {

namespace {

enum InputType { InputNone, LtoIR = 3, Fatbin = 4, Object = 5 };

class NvJitLink {
public:
  ~NvJitLink() {
    if (handle)
      destroy(&handle);
  }
  bool load(ArrayRef<const char *> candidates);
  int compile(const Job &job);

private:
  struct Handle;
  template <typename Fn>
  bool find(Fn &function, StringRef name, StringRef suffix);
  bool findAll(StringRef suffix);
  std::string readErrors();
  int fail();

  const char *path = nullptr; ///< The library's.
  void *library = nullptr;
  Handle *handle = nullptr;
  int (*create)(Handle **, uint32_t, const char *const *) = nullptr;
  int (*destroy)(Handle **) = nullptr;
  int (*addData)(Handle *, int, const void *, size_t, const char *) = nullptr;
  int (*complete)(Handle *) = nullptr;
  int (*getPtxSize)(Handle *, size_t *) = nullptr;
  int (*getPtx)(Handle *, char *) = nullptr;
  int (*getErrorLogSize)(Handle *, size_t *) = nullptr;
  int (*getErrorLog)(Handle *, char *) = nullptr;
};

} // namespace

template <typename Fn>
bool NvJitLink::find(Fn &function, StringRef name, StringRef suffix) {
  std::string symbol = ("__nvJitLink" + name + suffix).str();
  function = reinterpret_cast<Fn>(dlsym(library, symbol.c_str()));
  return function;
}

bool NvJitLink::findAll(StringRef suffix) {
  return find(create, "Create", suffix) && find(destroy, "Destroy", suffix) &&
         find(addData, "AddData", suffix) &&
         find(complete, "Complete", suffix) &&
         find(getPtxSize, "GetLinkedPtxSize", suffix) &&
         find(getPtx, "GetLinkedPtx", suffix) &&
         find(getErrorLogSize, "GetErrorLogSize", suffix) &&
         find(getErrorLog, "GetErrorLog", suffix);
}

/// The first candidate that can be loaded.
bool NvJitLink::load(ArrayRef<const char *> candidates) {
  std::string reasons;
  for (const char *candidate : candidates) {
    library = dlopen(candidate, RTLD_NOW | RTLD_LOCAL);
    path = candidate;
    if (library)
      break;
    reasons += std::string(dlerror()) + "\n";
  }
  if (!library) {
    errs() << reasons;
    return false;
  }
  unsigned major = 0, minor = 0;
  auto version = reinterpret_cast<int (*)(unsigned *, unsigned *)>(
      dlsym(library, "nvJitLinkVersion"));
  if (version && version(&major, &minor) == 0 &&
      findAll("_" + std::to_string(major) + "_" + std::to_string(minor)))
    return true;
  // Releases before 12.3 don't tell theirs.
  for (minor = 0; minor != 3; ++minor)
    if (findAll("_12_" + std::to_string(minor)))
      return true;
  errs() << "the library lacks functions of nvJitLink " << major << '.' << minor
         << '\n';
  return false;
}

std::string NvJitLink::readErrors() {
  size_t size = 0;
  if (getErrorLogSize(handle, &size) != 0 || size == 0)
    return {};
  std::string text(size, '\0');
  if (getErrorLog(handle, text.data()) != 0)
    return {};
  // The text ends with a NUL.
  return StringRef(text).split('\0').first.str();
}

int NvJitLink::fail() {
  outs() << readErrors();
  return CompileFailed;
}

int NvJitLink::compile(const Job &job) {
  if (create(&handle, job.options.size(), job.options.data()) != 0) {
    outs() << "ERROR: nvJitLink does not accept the options:";
    for (const char *option : job.options)
      outs() << ' ' << option;
    outs() << '\n';
    handle = nullptr;
    return CompileFailed;
  }
  for (const JobInput &input : job.inputs) {
    InputType type = StringSwitch<InputType>(input.kind)
                         .Case("object", Object)
                         .Case("fatbin", Fatbin)
                         .Case("ltoir", LtoIR)
                         .Default(InputNone);
    if (addData(handle, type, input.data.data(), input.data.size(),
                input.name) != 0) {
      // Newer LTO IR is refused without a name.
      std::string text = readErrors();
      if (StringRef(text).contains("in nvvmAddNVVMContainerToProgram"))
        outs() << "'" << input.name << "': ";
      outs() << text;
      return CompileFailed;
    }
  }
  size_t size = 0;
  if (complete(handle) != 0 || getPtxSize(handle, &size) != 0)
    return fail();
  std::string ptx(size, '\0');
  if (getPtx(handle, ptx.data()) != 0)
    return fail();
  outs() << readErrors();
  Error e = writeAnswer(job.output, StringRef(ptx).split('\0').first);
  if (!e && !job.loaded.empty())
    e = writeAnswer(job.loaded, path);
  if (e) {
    errs() << toString(std::move(e)) << '\n';
    return BadJob;
  }
  return Done;
}

int runNvJitLink(const Job &job) {
  NvJitLink link;
  return link.load(job.libraries) ? link.compile(job) : int(LibraryMissing);
}

} // namespace lld::cuda::lto
