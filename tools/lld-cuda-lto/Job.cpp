//===- Job.cpp - Reads the linker's job for LTO ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The linker is static and loads no library, so it leaves the generation of
/// code to this program: it writes a job file and starts lld-cuda-lto; its
/// main() calls Job::read(). The file is a list of words that end with NUL: a
/// command, and then records of a key and a fixed number of words. An input is
/// a piece of the one data file, by offset and size, and must lie inside of it.
/// writeAnswer() replaces the answer as a whole, so the linker never reads half
/// of one.
///
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "lld-cuda/Support/OutputFile.h"
#include "lld-cuda/Support/RegularFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda::lto {

static Error badJob(const Twine &text) { return createStringError(text); }

/// How many words follow a key; -1: there is no such key.
static int wordsOf(StringRef key) {
  if (key == "input")
    return 4;
  if (key == "set")
    return 2;
  return key == "library" || key == "loaded" || key == "option" ||
                 key == "data" || key == "output" || key == "resolution"
             ? 1
             : -1;
}

Error Job::addInput(ArrayRef<StringRef> words) {
  uint64_t offset, size;
  if (words[1].getAsInteger(10, offset) || words[2].getAsInteger(10, size) ||
      !data || offset > data->getBufferSize() ||
      size > data->getBufferSize() - offset)
    return badJob("an input lies outside the data");
  inputs.push_back(
      {words[0], data->getBuffer().substr(offset, size), words[3].data(), {}});
  return Error::success();
}

Expected<Job> Job::read(StringRef path) {
  Job job;
  auto file = readRegularFile(path, /*endsWithNull=*/true);
  if (!file)
    return badJob(path + ": " + file.getError().message());
  job.words = std::move(*file);
  std::vector<StringRef> words;
  for (StringRef rest = job.words->getBuffer(); !rest.empty();) {
    size_t end = rest.find('\0');
    if (end == StringRef::npos)
      return badJob("the last word has no end");
    words.push_back(rest.take_front(end));
    rest = rest.drop_front(end + 1);
  }
  if (words.empty())
    return badJob("the job is empty");
  job.command = words.front();
  for (size_t i = 1; i != words.size();) {
    StringRef key = words[i++];
    int count = wordsOf(key);
    if (count < 0 || words.size() - i < size_t(count))
      return badJob("unknown or incomplete record '" + key + "'");
    ArrayRef<StringRef> values = ArrayRef(words).slice(i, count);
    i += count;
    if (key == "library") {
      job.libraries.push_back(values[0].data());
    } else if (key == "loaded") {
      job.loaded = values[0];
    } else if (key == "option") {
      job.options.push_back(values[0].data());
    } else if (key == "output") {
      job.output = values[0];
    } else if (key == "set") {
      job.settings[values[0]].push_back(values[1]);
    } else if (key == "input") {
      if (Error e = job.addInput(values))
        return e;
    } else if (key == "resolution") {
      if (job.inputs.empty())
        return badJob("a resolution before all inputs");
      job.inputs.back().resolutions.push_back(values[0]);
    } else {
      auto data = readRegularFile(values[0]);
      if (!data)
        return badJob(values[0] + ": " + data.getError().message());
      job.data = std::move(*data);
    }
  }
  return job;
}

Error writeAnswer(StringRef path, StringRef contents) {
  Error e = writeOutputFile(path, contents.size(),
                            OutputSpan{0, arrayRefFromStringRef(contents)});
  return e ? createStringError(path + ": " + toString(std::move(e)))
           : Error::success();
}

} // namespace lld::cuda::lto
