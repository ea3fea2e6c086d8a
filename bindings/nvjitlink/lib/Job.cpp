//===- Job.cpp - A link for a program that uses libnvJitLink --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A Job does the link behind a handle with liblld-cuda: Exports.cpp calls a
/// member function of Job for nvJitLinkCreate(), nvJitLinkAddData(),
/// nvJitLinkAddFile() and nvJitLinkComplete(). Options and inputs become calls
/// of lldcuda.h; statuses and messages become NVIDIA's results and the lines
/// that its library writes into its logs.
///
/// Images are to be those of NVIDIA's library byte for byte
/// (LLDCUDA_FLAG_EXACT), but for the note that says who made them, unless
/// LLDCUDA_COMPAT asks for that, too. Inputs are kept only if NVIDIA's library
/// may have to do the whole link after all (keepsInputs(), Delegate.cpp).
///
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "Results.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lld::cuda::nvjitlink {

//===----------------------------------------------------------------------===//
// Creating
//===----------------------------------------------------------------------===//

static std::vector<lldcuda_string>
asStrings(const std::vector<std::string> &texts) {
  std::vector<lldcuda_string> strings;
  strings.reserve(texts.size());
  for (const std::string &text : texts)
    strings.push_back({text.data(), text.size()});
  return strings;
}

Result Job::create(uint32_t count, const char *const *words) {
  startLap();
  stage = Stage::Broken;
  const Result result = readOptions(options, count, words, log);
  if (result != Result::Success)
    return result;
  const auto ptxasOptions = asStrings(options.ptxas);
  const auto kernels = asStrings(options.kernelsUsed);
  const auto variables = asStrings(options.variablesUsed);
  lldcuda_options o = lldcuda_options_init();
  o.arch = {options.arch.data(), options.arch.size()};
  o.release = lldcuda_str(Release);
  // What NVIDIA's library writes, to the byte. Whoever links at run time may
  // launch any kernel, whatever host code the objects have.
  o.flags = LLDCUDA_FLAG_EXACT | LLDCUDA_FLAG_IGNORE_HOST_INFO;
  if (options.relocatable)
    o.flags |= LLDCUDA_FLAG_RELOCATABLE;
  if (options.debug)
    o.flags |= LLDCUDA_FLAG_DEBUG;
  if (options.verbose)
    o.flags |= LLDCUDA_FLAG_VERBOSE;
  o.note = environment().compat ? LLDCUDA_NOTE_NVJITLINK : LLDCUDA_NOTE_OWN;
  // It has no such lists for relocatable links.
  if (!options.relocatable) {
    o.kernels_used = kernels.empty() ? nullptr : kernels.data();
    o.kernels_used_count = kernels.size();
    o.variables_used = variables.empty() ? nullptr : variables.data();
    o.variables_used_count = variables.size();
  }
  o.ptxas_options = ptxasOptions.data();
  o.ptxas_options_count = ptxasOptions.size();
  const std::string &ptxas = findPtxas();
  o.ptxas_path = {ptxas.data(), ptxas.size()};
  if (ptxas.empty())
    o.compile = compileByNvidia;
  o.cache_directory = lldcuda_str(environment().cache.c_str());
  const lldcuda_status status = lldcuda_link_create(&o, &link);
  if (status == LLDCUDA_OK) {
    stage = Stage::Open;
    return Result::Success;
  }
  // No other option of these can be wrong.
  if (status == LLDCUDA_ERROR_UNKNOWN_ARCH || status == LLDCUDA_ERROR_OPTION)
    return refuseArch(options.arch, log);
  Log::append(log.errors, readDiagnostics(link, diagnostics).errors);
  return Result::Internal;
}

/// The whole job may have to be handed on.
bool Job::keepsInputs() const {
  return options.lto || (Major == 12 && findPtxas().empty());
}

//===----------------------------------------------------------------------===//
// Adding
//===----------------------------------------------------------------------===//

/// There is no other name for type 7: nobody knows what an index file is.
static int32_t kindOf(int type) {
  switch (static_cast<InputType>(type)) {
  case InputType::Cubin:
    return LLDCUDA_INPUT_CUBIN;
  case InputType::Ptx:
    return LLDCUDA_INPUT_PTX;
  case InputType::LtoIR:
    return LLDCUDA_INPUT_LTOIR;
  case InputType::Fatbin:
    return LLDCUDA_INPUT_FATBIN;
  case InputType::Object:
    return LLDCUDA_INPUT_OBJECT;
  case InputType::Library:
    return LLDCUDA_INPUT_ARCHIVE;
  case InputType::Index:
  case InputType::Any:
    break;
  }
  return LLDCUDA_INPUT_ANY;
}

static bool isCubin(std::string_view content) {
  constexpr size_t Machine = 18; // Elf64_Ehdr::e_machine: EM_CUDA.
  return content.size() > Machine + 1 &&
         content.substr(0, 4) == "\x7f"
                                 "ELF" &&
         static_cast<unsigned char>(content[Machine]) == 190 &&
         content[Machine + 1] == 0;
}

lldcuda_status Job::addToLink(int type, std::string_view content,
                              std::string_view name) {
  lldcuda_input input = lldcuda_input_init();
  input.kind = kindOf(type);
  input.flags = LLDCUDA_INPUT_COMPILE_NOW;
  input.data = content.data();
  input.size = content.size();
  input.name = {name.data(), name.size()};
  return lldcuda_link_add(link, &input, nullptr);
}

/// Removes ptxas's last line after a version of PTX that it doesn't know: there
/// the compiler in NVIDIA's library doesn't print it.
static std::string withoutAborted(std::string text) {
  const std::string line =
      "ptxas fatal   : Ptx assembly aborted due to errors\n";
  if (text.find("fatal   : Unsupported .version ") != text.npos &&
      text.size() >= line.size() &&
      !text.compare(text.size() - line.size(), line.size(), line))
    text.resize(text.size() - line.size());
  return text;
}

Result Job::refusePtx(const Said &said, const std::string &name, bool hasName) {
  Log::append(log.errors, withoutAborted(said.compilers));
  // Something went wrong beside what the compiler tells: it can't be run.
  if (said.compilers.empty())
    Log::append(log.errors, said.errors);
  log.error("ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX" +
            (hasName ? " (" + name + ")" : std::string()));
  return Result::PtxCompile;
}

Result Job::refuse(lldcuda_status status, int type, const std::string &name,
                   bool hasName) {
  const Said said = readDiagnostics(link, diagnostics);
  Result result = Result::InvalidInput;
  switch (status) {
  case LLDCUDA_ERROR_INPUT_KIND:
    if (static_cast<InputType>(type) == InputType::Any) {
      log.error("unrecognized input type: " + name);
      result = Result::UnrecognizedInput;
      break;
    }
    log.error("ERROR 1: bad input: does not match type NVJITLINK_INPUT_" +
              nameOfType(type) + name);
    result = Result::IncorrectInputType;
    break;
  case LLDCUDA_ERROR_DAMAGED_INPUT:
    log.error("ERROR 1: bad input: malformed cubin ELF" + name);
    break;
  case LLDCUDA_ERROR_ARCH_MISMATCH:
  case LLDCUDA_ERROR_INPUT_RELEASE:
    log.error((static_cast<InputType>(type) == InputType::Fatbin
                   ? "ERROR 3: bad input: "
                   : "ERROR 4: bad input:") +
              name);
    break;
  case LLDCUDA_ERROR_LTO_NOT_ENABLED:
    log.error("ERROR 1: LTO-IR input cannot be used without LTO enabled "
              "(-lto)");
    return Result::LtoNotEnabled;
  case LLDCUDA_ERROR_PTX:
    return refusePtx(said, name, hasName);
  case LLDCUDA_ERROR_MULTIPLE_DEFINITION:
    Log::append(log.errors, said.errors);
    for (const std::string &note : said.notes)
      log.note(note);
    return result;
  case LLDCUDA_ERROR_OUT_OF_MEMORY:
    log.error("ERROR NVJITLINK_ERROR_INTERNAL: out of memory: " + name);
    return Result::Internal;
  default:
    Log::append(log.errors, said.errors);
    if (said.errors.empty())
      log.error("ERROR 1: bad input: " + name);
    result = status == LLDCUDA_ERROR_INTERNAL ? Result::Internal : result;
    return result;
  }
  for (const std::string &text : said.texts)
    log.note(text);
  for (const std::string &note : said.notes)
    log.note(note);
  return result;
}

/// Refuses what needn't be read for that. Returns nothing if the input isn't
/// refused.
std::optional<Result> Job::refuseUnread(int type, std::string_view content,
                                        std::string_view name) {
  if (stage != Stage::Open) {
    log.error("ERROR 1: " + std::string(name) + " can't be added: " +
              (stage == Stage::Broken ? "the options are wrong"
                                      : "the link is done"));
    return Result::Internal;
  }
  if (nameOfType(type).empty()) {
    log.error("unsupported input type: " + std::string(name));
    return Result::IncorrectInputType;
  }
  if (content.empty()) {
    log.error("ERROR 1: bad input: no data: " + std::string(name));
    return Result::InvalidInput;
  }
  if (static_cast<InputType>(type) == InputType::Index) {
    log.error("ERROR 1: bad input: does not match type NVJITLINK_INPUT_INDEX" +
              std::string(name));
    return Result::IncorrectInputType;
  }
  return std::nullopt;
}

Result Job::add(int type, std::string_view content, const char *given) {
  ++added;
  const bool hasName = given && *given;
  const std::string ownName =
      hasName ? std::string() : "<input " + std::to_string(added) + ">";
  const std::string_view name = hasName ? given : std::string_view(ownName);
  if (std::optional<Result> refused = refuseUnread(type, content, name))
    return *refused;
  const lldcuda_status status = addToLink(type, content, name);
  const bool isLto = options.lto && status == LLDCUDA_ERROR_LTO_NOT_ENABLED;
  if (isLto ||
      (status == LLDCUDA_ERROR_PTX && keepsInputs() && findPtxas().empty())) {
    // Nobody is to read that it can't be linked: it is compiled elsewhere.
    readDiagnostics(link, diagnostics);
    return addToNvidia(
        {type, std::string(name), std::string(content), true, false},
        isLto ? Result::NvvmCompile : Result::PtxCompile);
  }
  if (status != LLDCUDA_OK)
    return refuse(status, type, std::string(name), hasName);
  const Said said = readDiagnostics(link, diagnostics);
  Log::append(log.infos, said.infos);
  Log::append(log.infos, said.compilers);
  if (static_cast<InputType>(type) == InputType::Object && isCubin(content))
    log.info("note: " + std::string(name) +
             " is a cubin; it is linked, though it was added as an object");
  if (keepsInputs())
    inputs.push_back(
        {type, std::string(name), std::string(content), false, false});
  tellLap("nvJitLink time until Add_Cubin");
  return Result::Success;
}

/// Returns false if there is no regular file of that name, or it is empty.
static bool readFile(const char *path, std::string &content) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return false;
  struct stat status;
  bool isGood = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  while (isGood) {
    char block[1 << 16];
    const ssize_t size = ::read(fd, block, sizeof(block));
    if (size < 0 && errno == EINTR)
      continue;
    isGood = size >= 0;
    if (size <= 0)
      break;
    try {
      content.append(block, size);
    } catch (...) {
      ::close(fd);
      throw;
    }
  }
  ::close(fd);
  return isGood;
}

Result Job::addFile(int type, const char *path) {
  std::string content;
  if (stage == Stage::Open && !readFile(path, content)) {
    ++added;
    log.error("no such file: " + std::string(path));
    return Result::InvalidInput;
  }
  return add(type, content, path);
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

void Job::tellLap(const char *what) {
  if (!options.time)
    return;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double, std::milli> time = now - lap;
  lap = now;
  char text[96];
  snprintf(text, sizeof(text), "%s: %f", what, time.count());
  log.info(text);
}

Result Job::linkAll() {
  tellLap("nvJitLink time until Complete");
  const lldcuda_status status = lldcuda_link_run(link);
  const Said said = readDiagnostics(link, diagnostics);
  Log::append(log.infos, said.infos);
  if (status == LLDCUDA_OK) {
    Log::append(log.infos, said.compilers);
    tellLap("nvJitLinkComplete time to finish");
    return Result::Success;
  }
  if (status == LLDCUDA_ERROR_PTX)
    return refusePtx(said, "", false);
  Log::append(log.errors, said.compilers);
  Log::append(log.errors, said.errors);
  if (status == LLDCUDA_ERROR_OUT_OF_MEMORY)
    log.error("ERROR NVJITLINK_ERROR_INTERNAL: out of memory");
  log.error(Major == 12 ? "ERROR 9: finish" : "ERROR 9: complete");
  for (const std::string &note : said.notes)
    log.note(note);
  return status == LLDCUDA_ERROR_MULTIPLE_DEFINITION ? Result::InvalidInput
                                                     : Result::Internal;
}

Result Job::complete() {
  if (stage == Stage::Broken)
    log.error("ERROR 9: the options are wrong, so there is nothing to link");
  if (stage != Stage::Open)
    return Result::Internal;
  stage = Stage::Failed;
  const Result result =
      options.lto || needsNvidia() ? completeWithNvidia() : linkAll();
  if (result == Result::Success)
    stage = Stage::Linked;
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Result Job::output(Output which, const void *&data, size_t &size) const {
  if ((which == Output::Ptx && !options.ptx) ||
      (which == Output::LtoIR && !options.lto))
    return Result::InvalidInput;
  if (stage != Stage::Linked)
    return Result::Internal;
  const std::string &theirs = which == Output::Cubin ? cubin
                              : which == Output::Ptx ? ptx
                                                     : ltoIR;
  data = theirs.data();
  size = theirs.size();
  if (size)
    return Result::Success;
  if (which != Output::Cubin || options.ptx)
    return Result::Internal;
  const lldcuda_bytes image = lldcuda_link_output(link, LLDCUDA_OUTPUT_IMAGE);
  data = image.data;
  size = image.size;
  return data ? Result::Success : Result::Internal;
}

} // namespace lld::cuda::nvjitlink
