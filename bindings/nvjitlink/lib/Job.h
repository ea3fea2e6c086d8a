//===- Job.h - What is behind a handle --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A link, done by liblld-cuda. PTX is compiled by a ptxas when it is added.
/// What nothing but NVIDIA's library can compile, LTO IR above all, goes to
/// that:
///
/// * Nothing else was added, or PTX is wanted, or the library can't do less
///   than a whole link: it gets the whole job.
/// * Otherwise it makes a relocatable cubin of its part, which is linked with
///   the others here.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_JOB_H
#define LLD_CUDA_BINDINGS_NVJITLINK_JOB_H

#include "Interface.h"
#include "Log.h"
#include "Nvidia.h"
#include "Options.h"
#include "lldcuda.h"
#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace lld::cuda::nvjitlink {

enum class Output { Cubin, Ptx, LtoIR };

/// Each call locks the mutex; programs may use a handle in several threads.
class Job {
public:
  Job() = default;
  ~Job() { lldcuda_link_destroy(link); }
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;

  Result create(uint32_t count, const char *const *words);
  Result add(int type, std::string_view content, const char *name);
  Result addFile(int type, const char *path);
  Result complete();
  /// Success: `data` and `size` are the output, which stays as it is.
  Result output(Output which, const void *&data, size_t &size) const;

  std::mutex mutex;
  Log log;

private:
  enum class Stage {
    Broken, ///< The options are wrong.
    Open,
    Linked,
    Failed
  };

  bool keepsInputs() const;
  std::string displayName(const char *name);
  lldcuda_status addToLink(int type, std::string_view content,
                           const std::string &name);
  Result refuse(lldcuda_status status, int type, const std::string &name,
                bool hasName);
  Result refusePtx(const Said &said, const std::string &name, bool hasName);

  Result linkAll();
  Result completeWithNvidia();
  Result addToNvidia(Input input, Result compileError);
  Result handOn();
  Result linkNvidiasPart();
  Result failWithoutLtoIR();
  void takeNvidiasOutputs();
  bool needsNvidia() const;
  bool needsNothingElse() const;

  void startLap() { lap = std::chrono::steady_clock::now(); }
  void tellLap(const char *what);

  Stage stage = Stage::Open;
  Options options;
  lldcuda_link *link = nullptr;
  size_t diagnostics = 0; ///< Of the link that are in the logs.
  unsigned added = 0;     ///< Calls that add an input.
  std::chrono::steady_clock::time_point lap;

  /// If NVIDIA's library may be asked for the whole job. A list, as that keeps
  /// pointers to names.
  std::list<Input> inputs;
  const NvidiaLibrary *library = nullptr;
  /// Has what only NVIDIA's library can read, so that errors are told at once.
  std::unique_ptr<NvidiaJob> nvidia;
  std::string cubin, ptx, ltoIR; ///< What it has made.
};

/// Hands PTX to NVIDIA's library: lldcuda_options::compile.
int32_t compileByNvidia(void *, const lldcuda_compile_request *request,
                        lldcuda_compile_result *result);

/// Why nothing compiles PTX or LTO IR.
std::string noCompiler(Result result, const std::string &problem);

} // namespace lld::cuda::nvjitlink

#endif
