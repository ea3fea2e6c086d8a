//===- Exports.cpp - The exported nvJitLink functions ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that this stand-in for NVIDIA's libnvJitLink exports:
/// nvJitLinkCreate(), nvJitLinkAddData(), nvJitLinkComplete() and so on.
/// Programs that link device code at run time, such as cuSPARSE or Numba, call
/// them in that order. Each checks its arguments and finds the job behind the
/// handle (Handles.cpp), locks the job's mutex and calls a member function of
/// Job, which does the link. Exceptions become a result, and nothing else
/// leaves a function. The exported names with a release, which NVIDIA's headers
/// call, are aliases at the end.
///
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "Job.h"
#include <cstring>
#include <new>

using namespace lld::cuda::nvjitlink;

#define EXPORT extern "C" __attribute__((visibility("default")))

/// The C++ runtime in this library keeps what a thread throws in thread-local
/// storage. The loader would allocate that when the thread throws for the first
/// time, and end the process if there is no memory then. A variable with this
/// access model gives each thread its storage from the beginning.
static thread_local volatile bool storageIsThere
    __attribute__((tls_model("initial-exec")));

namespace {

Result findJob(Handle handle, std::shared_ptr<Job> &job) {
  if (!handle)
    return Result::NullInput;
  job = findHandle(handle);
  return job ? Result::Success : Result::InvalidInput;
}

/// Calls fn() and returns its result as a number. An exception, which can only
/// be a lack of memory, becomes Result::Internal.
template <typename Fn> int codeOfCall(Fn fn) noexcept {
  storageIsThere = true;
  try {
    return codeOf(fn());
  } catch (...) {
    return codeOf(Result::Internal);
  }
}

/// Runs fn(job) for a handle; `isGood`: the other arguments are.
template <typename Fn> int call(Handle handle, bool isGood, Fn fn) noexcept {
  return codeOfCall([&] {
    std::shared_ptr<Job> job;
    Result result = findJob(handle, job);
    if (result == Result::Success && !isGood)
      result = Result::NullInput;
    if (result == Result::Success) {
      std::lock_guard<std::mutex> lock(job->mutex);
      result = fn(*job);
    }
    return result;
  });
}

int outputSize(Handle handle, Output which, size_t *size) {
  return call(handle, size, [&](Job &job) {
    const void *data;
    size_t bytes;
    const Result result = job.output(which, data, bytes);
    if (result == Result::Success)
      *size = bytes;
    return result;
  });
}

int outputContent(Handle handle, Output which, void *to) {
  return call(handle, to, [&](Job &job) {
    const void *data;
    size_t bytes;
    const Result result = job.output(which, data, bytes);
    if (result == Result::Success && bytes)
      memcpy(to, data, bytes);
    return result;
  });
}

/// The size of a log with its NUL; an empty log has none, and size 0.
int logSize(Handle handle, std::string Log::*which, size_t *size) {
  return call(handle, size, [&](Job &job) {
    const std::string &text = job.log.*which;
    *size = text.empty() ? 0 : text.size() + 1;
    return Result::Success;
  });
}

int logText(Handle handle, std::string Log::*which, char *to) {
  return call(handle, to, [&](Job &job) {
    const std::string &text = job.log.*which;
    if (!text.empty())
      memcpy(to, text.c_str(), text.size() + 1);
    return Result::Success;
  });
}

} // namespace

EXPORT int nvJitLinkCreate(Handle *handle, uint32_t count,
                           const char **options) {
  return codeOfCall([&] {
    if (!handle || !options)
      return Result::NullInput;
    auto job = std::make_shared<Job>();
    const Result result = job->create(count, options);
    *handle = addHandle(std::move(job));
    return result;
  });
}

EXPORT int nvJitLinkDestroy(Handle *handle) {
  return codeOfCall([&] {
    if (!handle || !*handle)
      return Result::NullInput;
    if (!removeHandle(*handle))
      return Result::InvalidInput;
    *handle = nullptr;
    return Result::Success;
  });
}

EXPORT int nvJitLinkAddData(Handle handle, int type, const void *data,
                            size_t size, const char *name) {
  return call(handle, true, [&](Job &job) {
    return job.add(type,
                   data
                       ? std::string_view(static_cast<const char *>(data), size)
                       : std::string_view(),
                   name);
  });
}

EXPORT int nvJitLinkAddFile(Handle handle, int type, const char *path) {
  return call(handle, path, [&](Job &job) { return job.addFile(type, path); });
}

EXPORT int nvJitLinkComplete(Handle handle) {
  return call(handle, true, [](Job &job) { return job.complete(); });
}

EXPORT int nvJitLinkGetLinkedCubinSize(Handle handle, size_t *size) {
  return outputSize(handle, Output::Cubin, size);
}
EXPORT int nvJitLinkGetLinkedCubin(Handle handle, void *cubin) {
  return outputContent(handle, Output::Cubin, cubin);
}
EXPORT int nvJitLinkGetLinkedPtxSize(Handle handle, size_t *size) {
  return outputSize(handle, Output::Ptx, size);
}
EXPORT int nvJitLinkGetLinkedPtx(Handle handle, char *ptx) {
  return outputContent(handle, Output::Ptx, ptx);
}
EXPORT int nvJitLinkGetLinkedLTOIRSize(Handle handle, size_t *size) {
  return outputSize(handle, Output::LtoIR, size);
}
EXPORT int nvJitLinkGetLinkedLTOIR(Handle handle, void *ltoIR) {
  return outputContent(handle, Output::LtoIR, ltoIR);
}

EXPORT int nvJitLinkGetErrorLogSize(Handle handle, size_t *size) {
  return logSize(handle, &Log::errors, size);
}
EXPORT int nvJitLinkGetErrorLog(Handle handle, char *log) {
  return logText(handle, &Log::errors, log);
}
EXPORT int nvJitLinkGetInfoLogSize(Handle handle, size_t *size) {
  return logSize(handle, &Log::infos, size);
}
EXPORT int nvJitLinkGetInfoLog(Handle handle, char *log) {
  return logText(handle, &Log::infos, log);
}

EXPORT int nvJitLinkVersion(unsigned *major, unsigned *minor) {
  if (!major || !minor)
    return codeOf(Result::NullInput);
  *major = Major;
  *minor = Minor;
  return codeOf(Result::Success);
}

/// Not in NVIDIA's headers: hands out functions that know NVIDIA's handles.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is NVIDIA's.
EXPORT void *__nvJitLinkAPI(int) { return nullptr; }

//===----------------------------------------------------------------------===//
// The names that headers' inline functions call
//===----------------------------------------------------------------------===//

#define ALIAS(NAME, MAJOR, MINOR)                                              \
  EXPORT decltype(nvJitLink##NAME) __nvJitLink##NAME##_##MAJOR##_##MINOR       \
      __attribute__((alias("nvJitLink" #NAME)));
#include "Aliases.inc"
