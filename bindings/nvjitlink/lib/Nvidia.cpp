//===- Nvidia.cpp - Links that NVIDIA's library does ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An NvidiaJob is a link that NVIDIA's libnvJitLink does; it calls that
/// library through the functions which Compilers.cpp has loaded. Delegate.cpp
/// makes one for LTO IR, and for PTX where there is no ptxas. After a failed
/// create() or complete() the job asks for the logs and for nothing else, since
/// other calls may crash. Those logs grow; takeLogs() takes over what is new in
/// them since it was called last.
///
//===----------------------------------------------------------------------===//

#include "Nvidia.h"
#include "Results.h"

namespace lld::cuda::nvjitlink {

NvidiaJob::~NvidiaJob() {
  if (handle)
    library.destroy(&handle);
}

Result NvidiaJob::create(const std::vector<std::string> &options) {
  std::vector<const char *> words;
  words.reserve(options.size());
  for (const std::string &option : options)
    words.push_back(option.c_str());
  const Result result =
      resultOf(library.create(&handle, words.size(), words.data()));
  isUsable = result == Result::Success && handle;
  return result;
}

Result NvidiaJob::add(const Input &input) {
  if (!isUsable)
    return Result::Internal;
  // PTX is a string there; the size may count the NUL or not.
  return resultOf(library.addData(handle, input.type, input.content.c_str(),
                                  input.content.size(), input.name.c_str()));
}

Result NvidiaJob::complete() {
  if (!isUsable)
    return Result::Internal;
  const Result result = resultOf(library.complete(handle));
  isUsable = result == Result::Success;
  return result;
}

void NvidiaJob::takeLog(SizeFn *size, TextFn *get, size_t &taken,
                        std::string &log) {
  size_t bytes = 0;
  if (!handle || size(handle, &bytes) != 0 || !bytes)
    return;
  // The library writes a NUL after an empty log, whose size is 0.
  std::string text(bytes + 1, '\0');
  if (get(handle, text.data()) != 0)
    return;
  text.resize(bytes - 1);
  if (taken < text.size())
    Log::append(log, std::string_view(text).substr(taken));
  taken = text.size();
}

void NvidiaJob::takeLogs(Log &log) {
  takeLog(library.errorLogSize, library.errorLog, takenErrors, log.errors);
  takeLog(library.infoLogSize, library.infoLog, takenInfos, log.infos);
}

} // namespace lld::cuda::nvjitlink
