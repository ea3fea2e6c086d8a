//===- Nvidia.h - Links by NVIDIA's library ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A link that NVIDIA's own libnvJitLink does, and the inputs that it needs.
/// Delegate.cpp makes one when only NVIDIA's library can compile an input (LTO
/// IR, or PTX without a ptxas); Job.cpp keeps the inputs until then.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_NVIDIA_H
#define LLD_CUDA_BINDINGS_NVJITLINK_NVIDIA_H

#include "Compilers.h"
#include "Log.h"
#include <string>
#include <vector>

namespace lld::cuda::nvjitlink {

/// An input that a program has added. NVIDIA's library doesn't copy names, and
/// crashes if an archive has none, so names are kept here, and every input has
/// one.
struct Input {
  int type;
  std::string name;
  std::string content;
  bool needsNvidia = false; ///< LTO IR, or PTX that nothing else can compile.
  bool isRefused = false;   ///< NVIDIA's library refused it; no part of the
                            ///< link.
};

/// A link by NVIDIA's library, which must outlive it. After a failed create()
/// or complete() the library is only asked for its logs, since other calls may
/// crash.
class NvidiaJob {
public:
  explicit NvidiaJob(const NvidiaLibrary &library) : library(library) {}
  ~NvidiaJob();
  NvidiaJob(const NvidiaJob &) = delete;
  NvidiaJob &operator=(const NvidiaJob &) = delete;

  Result create(const std::vector<std::string> &options);
  /// Adds an input, which must exist until the link is done.
  Result add(const Input &input);
  Result complete();

  /// Returns the cubin that NVIDIA's library has made; empty if there is none.
  std::string cubin() const {
    return content(library.cubinSize, library.cubin);
  }
  /// Returns the PTX that NVIDIA's library has made, with the NUL at its end;
  /// empty if there is none.
  std::string ptx() const { return content(library.ptxSize, library.ptx); }
  std::string ltoIR() const {
    return content(library.ltoIRSize, library.ltoIR);
  }

  /// Adds to `log` what the library's logs have gained since the last call.
  void takeLogs(Log &log);

private:
  /// Returns an output or a log. `get` is a ContentFn or TextFn.
  template <typename Fn> std::string content(SizeFn *size, Fn *get) const {
    size_t bytes = 0;
    if (!isUsable || !size || !get || size(handle, &bytes) != 0)
      return "";
    std::string text(bytes, '\0');
    return get(handle, text.data()) == 0 ? text : "";
  }
  void takeLog(SizeFn *size, TextFn *get, size_t &taken, std::string &log);

  const NvidiaLibrary &library;
  Handle handle = nullptr;
  bool isUsable = false;
  size_t takenErrors = 0, takenInfos = 0;
};

} // namespace lld::cuda::nvjitlink

#endif
