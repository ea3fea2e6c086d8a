//===- Options.cpp - Options of a link, as a struct or as words -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program says what it asks of a link in two ways: by the fields of
/// lldcuda_options, which lldcuda_link_create() reads with readOptions(), and
/// by single words such as "-arch=sm_90" or "--lto", which
/// lldcuda_link_option() reads. Both fill in the same LinkOptions.
/// settleOptions() in Link.cpp then checks whether these fit together.
///
/// A program may bring a PTX compiler of its own, lldcuda_options.compile. The
/// linker calls it by compileByCallback(); it answers by
/// lldcuda_compile_set_output() and lldcuda_compile_set_log(), which copy what
/// they get.
///
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "lld-cuda/Support/LongLived.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::capi;

/// What a callback is given; it hands its results over by calls.
struct lldcuda_compile_result {
  std::unique_ptr<MemoryBuffer> cubin;
  std::string log;
};

lldcuda_status lldcuda_compile_set_output(lldcuda_compile_result *result,
                                          const void *data, size_t size) {
  return call([&]() -> lldcuda_status {
    if (!result || !data || !size)
      return LLDCUDA_ERROR_INVALID_ARGUMENT;
    auto buffer = WritableMemoryBuffer::getNewUninitMemBuffer(size);
    if (!buffer)
      return LLDCUDA_ERROR_OUT_OF_MEMORY;
    memcpy(buffer->getBufferStart(), data, size);
    result->cubin = std::move(buffer);
    return LLDCUDA_OK;
  });
}

lldcuda_status lldcuda_compile_set_log(lldcuda_compile_result *result,
                                       lldcuda_string text) {
  return call([&]() -> lldcuda_status {
    if (!result || !isString(text))
      return LLDCUDA_ERROR_INVALID_ARGUMENT;
    result->log = asRef(text).str();
    return LLDCUDA_OK;
  });
}

/// Strings that are handed over end with a NUL, for who wants to use them as C
/// has them.
static CompiledCode compileByCallback(const lldcuda_link &link,
                                      const CompileRequest &request) {
  const std::string source = request.text.str(), name = request.name.str(),
                    arch = request.arch.str();
  std::vector<lldcuda_string> options;
  for (const std::string &option : request.options)
    options.push_back(asString(option));
  lldcuda_compile_request given = {};
  given.struct_size = sizeof(given);
  given.kind = LLDCUDA_INPUT_PTX;
  given.input = link.adding ? link.adding : link.findInput(name);
  given.source = asString(source);
  given.arch = asString(arch);
  given.name = asString(name);
  given.options = options.data();
  given.option_count = options.size();
  lldcuda_compile_result result;
  CompiledCode code;
  code.succeeded = link.compile(link.compileUser, &given, &result) == 0;
  code.log = std::move(result.log);
  code.cubin = std::move(result.cubin);
  return code;
}

/// Reads a list of strings. Returns false if a pointer is NULL where strings
/// should be.
static bool readList(std::vector<std::string> &to, const lldcuda_string *from,
                     size_t count) {
  if (!isArray(from, count))
    return false;
  for (const lldcuda_string &text : ArrayRef(from, count)) {
    if (!isString(text))
      return false;
    to.push_back(asRef(text).str());
  }
  return true;
}

/// Reads a list that may be missing (NULL).
static bool readList(std::optional<std::vector<std::string>> &to,
                     const lldcuda_string *from, size_t count) {
  if (from)
    to.emplace();
  return from ? readList(*to, from, count) : !count;
}

/// Whoever gets these as words and paths would read on to the NUL only.
static bool hasNul(const LinkOptions &options) {
  auto has = [](StringRef text) { return text.contains('\0'); };
  auto listHas = [&](const std::optional<std::vector<std::string>> &list) {
    return list && any_of(*list, has);
  };
  return has(options.release) || has(options.ptxasPath) ||
         has(options.nvJitLinkPath) || has(options.temporaryDirectory) ||
         has(options.cacheFolder) || any_of(options.ptxasOptions, has) ||
         listHas(options.kernelsUsed) || listHas(options.variablesUsed);
}

static void setCompiler(lldcuda_link &link, const lldcuda_options &from) {
  link.compile = from.compile;
  link.compileUser = from.compile_user;
  if (from.compile)
    link.options.compilePtx = [&link](const CompileRequest &request) {
      return compileByCallback(link, request);
    };
}

lldcuda_status lld::cuda::capi::readOptions(lldcuda_link &link,
                                            const lldcuda_options *options) {
  constexpr uint32_t KnownFlags =
      LLDCUDA_FLAG_RELOCATABLE | LLDCUDA_FLAG_DEBUG | LLDCUDA_FLAG_LTO |
      LLDCUDA_FLAG_EXACT | LLDCUDA_FLAG_VERBOSE | LLDCUDA_FLAG_IGNORE_HOST_INFO;
  lldcuda_options from;
  if (!readStruct(from, options) || (from.flags & ~KnownFlags) ||
      from.note < LLDCUDA_NOTE_OWN || from.note > LLDCUDA_NOTE_NVJITLINK ||
      from.max_registers < 0)
    return LLDCUDA_ERROR_INVALID_ARGUMENT;
  for (lldcuda_string text :
       {from.arch, from.release, from.ptxas_path, from.nvjitlink_path,
        from.temporary_directory, from.cache_directory})
    if (!isString(text))
      return LLDCUDA_ERROR_INVALID_ARGUMENT;
  LinkOptions &to = link.options;
  if (!readList(to.kernelsUsed, from.kernels_used, from.kernels_used_count) ||
      !readList(to.variablesUsed, from.variables_used,
                from.variables_used_count) ||
      !readList(to.ptxasOptions, from.ptxas_options, from.ptxas_options_count))
    return LLDCUDA_ERROR_INVALID_ARGUMENT;
  to.arch = asRef(from.arch).str();
  to.release = asRef(from.release).str();
  to.relocatable = from.flags & LLDCUDA_FLAG_RELOCATABLE;
  to.debug = from.flags & LLDCUDA_FLAG_DEBUG;
  to.lto = from.flags & LLDCUDA_FLAG_LTO;
  to.exact = from.flags & LLDCUDA_FLAG_EXACT;
  to.verbose = from.flags & LLDCUDA_FLAG_VERBOSE;
  to.ignoreHostInfo = from.flags & LLDCUDA_FLAG_IGNORE_HOST_INFO;
  to.note = LinkNote(from.note);
  to.ptxasPath = asRef(from.ptxas_path).str();
  to.maxRegisters = from.max_registers;
  to.nvJitLinkPath = asRef(from.nvjitlink_path).str();
  to.threads = from.threads;
  to.cacheFolder = asRef(from.cache_directory).str();
  if (from.temporary_directory.size)
    to.temporaryDirectory = asRef(from.temporary_directory).str();
  link.account.setLimit(from.memory_limit);
  setCompiler(link, from);
  if (hasNul(to))
    return link.fail(LLDCUDA_ERROR_OPTION, "invalid-value",
                     "an option contains a NUL");
  return LLDCUDA_OK;
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

namespace {
struct OptionRow {
  StringLiteral name;
  bool hasValue;
  /// Returns false if there is no such value.
  bool (*set)(LinkOptions &, StringRef value);
};
} // namespace

template <bool LinkOptions::*Flag>
static bool setFlag(LinkOptions &options, StringRef) {
  return options.*Flag = true;
}

template <std::string LinkOptions::*Text>
static bool setText(LinkOptions &options, StringRef value) {
  options.*Text = value.str();
  return !value.empty();
}

template <std::optional<std::vector<std::string>> LinkOptions::*List>
static bool addToList(LinkOptions &options, StringRef value) {
  if (!(options.*List))
    (options.*List).emplace();
  (options.*List)->push_back(value.str());
  return !value.empty();
}

template <LinkNote Note> static bool setNote(LinkOptions &options, StringRef) {
  options.note = Note;
  return true;
}

static bool addPtxasOption(LinkOptions &options, StringRef value) {
  options.ptxasOptions.push_back(value.str());
  return !value.empty();
}

static bool setMaxRegisters(LinkOptions &options, StringRef value) {
  return !value.getAsInteger(10, options.maxRegisters) &&
         options.maxRegisters >= 0;
}

static bool setThreads(LinkOptions &options, StringRef value) {
  return !value.getAsInteger(10, options.threads);
}

static constexpr OptionRow OptionRows[] = {
    {"arch", true, setText<&LinkOptions::arch>},
    {"r", false, setFlag<&LinkOptions::relocatable>},
    {"relocatable-link", false, setFlag<&LinkOptions::relocatable>},
    {"g", false, setFlag<&LinkOptions::debug>},
    {"debug", false, setFlag<&LinkOptions::debug>},
    {"lto", false, setFlag<&LinkOptions::lto>},
    {"dlto", false, setFlag<&LinkOptions::lto>},
    {"verbose", false, setFlag<&LinkOptions::verbose>},
    {"ignore-host-info", false, setFlag<&LinkOptions::ignoreHostInfo>},
    {"nvlink-compat", false, setFlag<&LinkOptions::exact>},
    {"nvlink-note", false, setNote<LinkNote::Nvlink>},
    {"nvjitlink-note", false, setNote<LinkNote::NvJitLink>},
    {"nvlink-release", true, setText<&LinkOptions::release>},
    {"kernels-used", true, addToList<&LinkOptions::kernelsUsed>},
    {"variables-used", true, addToList<&LinkOptions::variablesUsed>},
    {"maxrregcount", true, setMaxRegisters},
    {"Xptxas", true, addPtxasOption},
    {"ptxas-path", true, setText<&LinkOptions::ptxasPath>},
    {"nvjitlink-path", true, setText<&LinkOptions::nvJitLinkPath>},
    {"temporary-directory", true, setText<&LinkOptions::temporaryDirectory>},
    {"threads", true, setThreads},
    {"cache-dir", true, setText<&LinkOptions::cacheFolder>},
};

/// Returns false if there is no such option, or it doesn't have that value;
/// `options` may have changed even then.
static bool setOption(LinkOptions &options, StringRef word) {
  if (!word.consume_front("-") || word.contains('\0'))
    return false;
  word.consume_front("-");
  const auto [name, value] = word.split('=');
  const bool hasValue = word.contains('=');
  for (const OptionRow &row : OptionRows)
    if (row.name == name)
      return row.hasValue == hasValue && row.set(options, value);
  return false;
}

lldcuda_status lldcuda_link_option(lldcuda_link *link, lldcuda_string option) {
  return callWith(link, [&]() -> lldcuda_status {
    LongLived kept;
    if (!isString(option))
      return LLDCUDA_ERROR_INVALID_ARGUMENT;
    if (link->stage != Stage::Options)
      return LLDCUDA_ERROR_INVALID_STATE;
    LinkOptions changed = link->options;
    if (!setOption(changed, asRef(option)))
      return link->fail(LLDCUDA_ERROR_OPTION, "unknown-option",
                        "unrecognized option: " + asRef(option));
    link->options = std::move(changed);
    link->session.reset();
    return LLDCUDA_OK;
  });
}
