//===- Nvidia.h - Links that NVIDIA's library does --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A link that NVIDIA's own libnvJitLink does, and the inputs that it needs for
/// that. Delegate.cpp hands a whole job on when only NVIDIA's library can
/// compile an input (LTO IR, or PTX without a ptxas); Job.cpp keeps the inputs
/// until then.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_NVIDIA_H
#define LLD_CUDA_BINDINGS_NVJITLINK_NVIDIA_H

#include "Compilers.h"
#include "Log.h"
#include <string>
#include <vector>

namespace lld::cuda::nvjitlink {

/// What a program has added. NVIDIA's library doesn't copy names, and crashes
/// if an archive has none, so they stay here, and all have one.
struct Input {
  int type;
  std::string name;
  std::string content;
  bool needsNvidia = false; ///< LTO IR, or PTX that nothing else can compile.
  bool isRefused = false;   ///< By NVIDIA's library; not a part of the link.
};

/// A link by NVIDIA's library, which knows nothing of ours. After a failed
/// create() or complete() it isn't called any more, but for its logs: that may
/// crash.
class NvidiaJob {
public:
  explicit NvidiaJob(const NvidiaLibrary &library) : library(library) {}
  ~NvidiaJob();
  NvidiaJob(const NvidiaJob &) = delete;
  NvidiaJob &operator=(const NvidiaJob &) = delete;

  Result create(const std::vector<std::string> &options);
  /// The input has to stay until the link is done.
  Result add(const Input &input);
  Result complete();

  /// The cubin that NVIDIA's library has made. Empty: there is none.
  std::string cubin() const {
    return content(library.cubinSize, library.cubin);
  }
  /// The PTX that NVIDIA's library has made, with the NUL at its end.
  std::string ptx() const { return content(library.ptxSize, library.ptx); }
  std::string ltoIR() const {
    return content(library.ltoIRSize, library.ltoIR);
  }

  /// What the logs have gained since the last call.
  void takeLogs(Log &log);

  const std::string &path() const { return library.path; }

private:
  /// `get`: a ContentFn or TextFn.
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
