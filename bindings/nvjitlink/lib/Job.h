//===- Job.h - A link of libnvJitLink's interface ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A link behind a handle of libnvJitLink's interface, carried out by
/// liblld-cuda (lldcuda.h). Exports.cpp calls a member function for each
/// exported function that a program calls: create(), then add() and addFile(),
/// complete() and output(). PTX is compiled by ptxas when it is added. What
/// only NVIDIA's library can compile, LTO IR above all, is given to that
/// library (Delegate.cpp):
/// * If nothing else was added, if the result is to be PTX, or if the library
///   can only do whole links, it does the whole job.
/// * Otherwise it makes a relocatable cubin of its part, which is linked with
///   the other inputs here.
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
#include <optional>
#include <string>

namespace lld::cuda::nvjitlink {

struct NvidiaOutputs;

/// The outputs that a program can ask for.
enum class Output { Cubin, Ptx, LtoIR };

/// One job. Callers lock `mutex` during each call, since programs may use a
/// handle in several threads. Functions return the result that the program
/// gets; messages are in `log`.
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
  /// On success sets `data` and `size` to the output, which doesn't change and
  /// belongs to the job.
  Result output(Output which, const void *&data, size_t &size) const;

  std::mutex mutex;
  Log log;

private:
  enum class Stage {
    Broken, ///< The options are wrong: only the logs can be read.
    Open,
    Linked,
    Failed
  };

  bool keepsInputs() const;
  lldcuda_status addToLink(int type, std::string_view content,
                           std::string_view name);
  std::optional<Result> refuseUnread(int type, std::string_view content,
                                     std::string_view name);
  Result refuse(lldcuda_status status, int type, const std::string &name,
                bool hasName);
  Result refusePtx(const Said &said, const std::string &name, bool hasName);

  Result linkAll();
  Result completeWithNvidia();
  Result addToNvidia(Input input, Result compileError);
  Result handOn();
  Result linkNvidiasPart();
  Result failWithoutLtoIR();
  template <typename Fn, typename Prepare>
  Result makeByNvidia(const std::vector<std::string> &words, Fn isPart,
                      Prepare prepare, NvidiaOutputs &outputs);
  template <typename Fn>
  Result beginNvidia(const std::vector<std::string> &words, Fn isPart);
  bool needsNvidia() const;
  bool needsNothingElse() const;

  void startLap() { lap = std::chrono::steady_clock::now(); }
  void tellLap(const char *what);

  Stage stage = Stage::Open;
  Options options;
  lldcuda_link *link = nullptr;
  size_t diagnostics = 0; ///< Number of the link's diagnostics in the logs.
  unsigned added = 0;     ///< Number of calls that add an input.
  std::chrono::steady_clock::time_point lap;

  /// The inputs, kept if NVIDIA's library may have to do the whole job. A list,
  /// because that library keeps pointers to names.
  std::list<Input> inputs;
  const NvidiaLibrary *library = nullptr;
  /// The inputs that only NVIDIA's library can read. It gets them when they are
  /// added, so that errors are reported at once.
  std::unique_ptr<NvidiaJob> nvidia;
  std::string cubin, ptx, ltoIR; ///< NVIDIA's outputs.
};

/// Compiles PTX by NVIDIA's library: a callback for lldcuda_options::compile.
/// Returns 0 for success.
int32_t compileByNvidia(void *, const lldcuda_compile_request *request,
                        lldcuda_compile_result *result);

/// Returns a message that says why nothing compiles PTX or LTO IR, for the log.
std::string noCompiler(Result result, const std::string &problem);

} // namespace lld::cuda::nvjitlink

#endif
