//===- Delegate.cpp - The part of a link that NVIDIA's library does -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// NVIDIA's libnvJitLink does what nothing else can do: it compiles LTO IR. It
/// gets such an input when the program adds it (addToNvidia()), so that the
/// program hears at once what is wrong with it. Job::complete() calls
/// completeWithNvidia() for links with -lto, or with PTX that nothing here
/// could compile.
///
/// There are two ways to finish the link. handOn() gives NVIDIA's library all
/// inputs and takes its image. linkNvidiasPart() gives it only what it alone
/// can compile, with -r, and links the relocatable cubin that comes back with
/// the other inputs; that takes a library of CUDA 13, with -lto one of 13.3.
/// Where there is no ptxas, compileByNvidia() has a library of CUDA 13 compile
/// each input that is PTX.
///
/// Whichever way it is, what NVIDIA's library makes of its inputs may be in the
/// cache (NvidiaCache.h); then it doesn't compile.
///
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "NvidiaCache.h"
#include "Results.h"
#include <algorithm>

namespace lld::cuda::nvjitlink {

std::string noCompiler(Result result, const std::string &problem) {
  const bool isPtx = result == Result::PtxCompile;
  std::string text = "ERROR " + nameOf(result) + ": no " +
                     (isPtx ? "PTX" : "LTO") + " compiler: set " +
                     (isPtx ? "LLDCUDA_PTXAS or " : "") + "LLDCUDA_NVJITLINK\n";
  if (!problem.empty())
    text += "note: " + problem + "\n";
  return text;
}

static bool compile(const lldcuda_compile_request *request,
                    lldcuda_compile_result *result) {
  Log log;
  bool isDone = false;
  std::string problem;
  const NvidiaLibrary *library = findNvidiaLibrary(&problem);
  if (!library || !library->linksRelocatably()) {
    Log::append(log.errors, noCompiler(Result::PtxCompile, problem));
  } else {
    std::vector<std::string> words = {
        "-arch=" + std::string(request->arch.data, request->arch.size), "-r"};
    for (size_t i = 0; i != request->option_count; ++i) {
      const lldcuda_string &option = request->options[i];
      const std::string word(option.data, option.size);
      // NVIDIA's library gives these two words to each compilation anyway.
      if (word != "-c" && word != "-m64")
        words.push_back("-Xptxas=" + word);
    }
    // Lives longer than the job, which keeps a pointer to the name.
    const Input input = {
        static_cast<int>(InputType::Ptx),
        std::string(request->name.data, request->name.size),
        std::string(request->source.data, request->source.size), true};
    NvidiaJob job(*library);
    if (job.create(words) == Result::Success &&
        job.add(input) == Result::Success &&
        job.complete() == Result::Success) {
      const std::string cubin = job.cubin();
      isDone = lldcuda_compile_set_output(result, cubin.data(), cubin.size()) ==
               LLDCUDA_OK;
    }
    job.takeLogs(log);
  }
  // Said again, with the name that the program gave, by whoever asked.
  const size_t last = log.errors.find("ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT");
  if (last != std::string::npos)
    log.errors.resize(last);
  const std::string text = log.infos + log.errors;
  lldcuda_compile_set_log(result, {text.data(), text.size()});
  return isDone;
}

int32_t compileByNvidia(void *, const lldcuda_compile_request *request,
                        lldcuda_compile_result *result) {
  try {
    return compile(request, result) ? 0 : 1;
  } catch (...) {
    return 1;
  }
}

bool Job::needsNvidia() const {
  return std::any_of(inputs.begin(), inputs.end(), [](const Input &input) {
    return input.needsNvidia && !input.isRefused;
  });
}

bool Job::needsNothingElse() const {
  return std::all_of(inputs.begin(), inputs.end(),
                     [](const Input &input) { return input.needsNvidia; });
}

Result Job::addToNvidia(Input input, Result compileError) {
  std::string problem;
  library = findNvidiaLibrary(&problem);
  if (!library) {
    Log::append(log.errors, noCompiler(compileError, problem));
    return compileError;
  }
  if (!nvidia) {
    auto job = std::make_unique<NvidiaJob>(*library);
    const Result result = job->create(options.given);
    job->takeLogs(log);
    if (result != Result::Success)
      return result;
    nvidia = std::move(job);
  }
  inputs.push_back(std::move(input));
  const Result result = nvidia->add(inputs.back());
  nvidia->takeLogs(log);
  inputs.back().isRefused = result != Result::Success;
  return result;
}

/// The outputs of NVIDIA's library for the inputs that `isPart` returns true
/// for: from the cache, or made by the job that `prepare` returns, which has
/// these inputs.
template <typename Fn, typename Prepare>
Result Job::makeByNvidia(const std::vector<std::string> &words, Fn isPart,
                         Prepare prepare, NvidiaOutputs &outputs) {
  NvidiaCache cache(link, *library, words);
  for (const Input &input : inputs)
    if (isPart(input))
      cache.add(input);
  const bool isCached = cache.find(outputs);
  // It says why the cache isn't used.
  Log::append(log.infos, readDiagnostics(link, diagnostics).infos);
  if (isCached) {
    Log::append(log.infos, outputs.infos);
    return Result::Success;
  }
  Result result = prepare(words);
  if (result == Result::Success)
    result = nvidia->complete();
  Log said;
  nvidia->takeLogs(said);
  Log::append(log.errors, said.errors);
  Log::append(log.infos, said.infos);
  if (result != Result::Success)
    return result;
  if (options.ptx)
    outputs.ptx = nvidia->ptx();
  else
    outputs.cubin = nvidia->cubin();
  outputs.ltoIR = nvidia->ltoIR();
  outputs.infos = std::move(said.infos);
  // A link that succeeds and nevertheless reports errors isn't stored: the next
  // one would take its outputs without them.
  if (said.errors.empty())
    cache.keep(outputs);
  Log::append(log.infos, readDiagnostics(link, diagnostics).infos);
  return result;
}

/// Begins a job of NVIDIA's library with the inputs that `isPart` returns true
/// for.
template <typename Fn>
Result Job::beginNvidia(const std::vector<std::string> &words, Fn isPart) {
  auto job = std::make_unique<NvidiaJob>(*library);
  Result result = job->create(words);
  for (const Input &input : inputs)
    if (result == Result::Success && isPart(input))
      result = job->add(input);
  nvidia = std::move(job);
  return result;
}

/// All inputs, in their order, by the options as they were given.
Result Job::handOn() {
  auto isPart = [](const Input &input) { return !input.isRefused; };
  NvidiaOutputs outputs;
  const Result result = makeByNvidia(
      options.given, isPart,
      [&](const std::vector<std::string> &words) {
        return nvidia && needsNothingElse()
                   ? Result::Success // It has them all.
                   : beginNvidia(words, isPart);
      },
      outputs);
  if (result != Result::Success)
    return result;
  cubin = std::move(outputs.cubin);
  ptx = std::move(outputs.ptx);
  ltoIR = std::move(outputs.ltoIR);
  log.info("note: this link was passed on to " + library->path);
  return result;
}

/// The result is added to our link. What is used of it only that can tell.
Result Job::linkNvidiasPart() {
  std::vector<std::string> words;
  for (const std::string &word : options.given)
    if (word.compare(0, 14, "-kernels-used=") != 0 &&
        word.compare(0, 16, "-variables-used=") != 0 &&
        word != "-optimize-unused-variables")
      words.push_back(word);
  if (!options.relocatable)
    words.push_back("-r");
  auto isPart = [](const Input &input) {
    return input.needsNvidia && !input.isRefused;
  };
  NvidiaOutputs outputs;
  const Result result = makeByNvidia(
      words, isPart,
      [&](const std::vector<std::string> &w) { return beginNvidia(w, isPart); },
      outputs);
  if (result != Result::Success)
    return result;
  ltoIR = std::move(outputs.ltoIR);
  const lldcuda_status status =
      addToLink(static_cast<int>(InputType::Cubin), outputs.cubin, "ltoPtx");
  if (status != LLDCUDA_OK)
    return refuse(status, static_cast<int>(InputType::Cubin), "ltoPtx", true);
  return linkAll();
}

/// Reports that inputs lack LTO IR, in the words of NVIDIA's library.
Result Job::failWithoutLtoIR() {
  if (options.ptx && !inputs.empty()) {
    log.error("ERROR: -ptx requires that all inputs have LTOIR");
    return Result::IncorrectInputType;
  }
  log.error("ERROR NVVM_ERROR_NO_MODULE_IN_PROGRAM (8) in nvvmCompileProgram "
            "callback");
  log.note("-lto needs an input that has LTO IR");
  return Result::NvvmCompile;
}

Result Job::completeWithNvidia() {
  if (!needsNvidia()) {
    // Objects that have LTO IR beside machine code were taken for their machine
    // code. Only NVIDIA's library can tell.
    const bool mayHaveLtoIR =
        std::any_of(inputs.begin(), inputs.end(), [](const Input &input) {
          const auto type = static_cast<InputType>(input.type);
          return type != InputType::Cubin && type != InputType::Ptx &&
                 !input.isRefused;
        });
    library = mayHaveLtoIR ? findNvidiaLibrary() : nullptr;
    return library ? handOn() : failWithoutLtoIR();
  }
  const bool linksParts = options.lto ? library->linksLtoRelocatably()
                                      : library->linksRelocatably();
  if (options.ptx || !linksParts || needsNothingElse())
    return handOn();
  return linkNvidiasPart();
}

} // namespace lld::cuda::nvjitlink
