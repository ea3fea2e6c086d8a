//===- NvidiaCache.cpp - Caches what NVIDIA's library makes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiling LTO IR takes hundreds of milliseconds. With LLDCUDA_CACHE_DIR
/// Delegate.cpp does it once for the same options, inputs and library, and
/// later takes the outputs from the cache of liblld-cuda. Names of inputs
/// count, since messages have them.
///
/// Links with some options aren't cached: the arguments of -Xptxas and -Xnvvm
/// may name files, -time tells how long this link takes, and -no-cache asks for
/// it.
///
//===----------------------------------------------------------------------===//

#include "NvidiaCache.h"
#include <algorithm>
#include <cstring>

namespace lld::cuda::nvjitlink {

static bool forbidsCaching(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  const std::string_view name = option.substr(0, option.find('='));
  return name == "Xptxas" || name == "Xnvvm" || name == "time" ||
         name == "no-cache";
}

NvidiaCache::NvidiaCache(lldcuda_link *link, const NvidiaLibrary &library,
                         const std::vector<std::string> &options)
    : link(link), library(library),
      isOff(std::any_of(options.begin(), options.end(), forbidsCaching)) {
  texts.emplace_back("libnvJitLink");
  texts.insert(texts.end(), options.begin(), options.end());
  // No option is empty: the inputs begin here.
  texts.emplace_back();
}

void NvidiaCache::add(const Input &input) {
  static constexpr std::string_view Digits = "0123456789abcdef";
  texts.push_back(Digits.substr(size_t(input.type) % Digits.size(), 1));
  texts.push_back(input.name);
  texts.push_back(input.content);
}

template <typename Fn> void NvidiaCache::withKey(Fn fn) const {
  std::vector<lldcuda_string> strings;
  strings.reserve(texts.size());
  for (std::string_view text : texts)
    strings.push_back({text.data(), text.size()});
  const lldcuda_string compiler = {library.path.data(), library.path.size()};
  lldcuda_cache_key key = lldcuda_cache_key_init();
  key.texts = strings.data();
  key.text_count = strings.size();
  key.compilers = &compiler;
  key.compiler_count = 1;
  fn(key);
}

/// The outputs in the order in which they are stored, each behind its size.
template <typename Outputs, typename Fn>
static void forEachOutput(Outputs &outputs, Fn fn) {
  fn(outputs.cubin);
  fn(outputs.ptx);
  fn(outputs.ltoIR);
  fn(outputs.infos);
}

bool NvidiaCache::find(NvidiaOutputs &outputs) const {
  lldcuda_bytes found = {nullptr, 0};
  if (!isOff)
    withKey([&](const lldcuda_cache_key &key) {
      lldcuda_link_cache_find(link, &key, &found);
    });
  if (!found.data)
    return false;
  std::string_view rest(static_cast<const char *>(found.data), found.size);
  bool isWhole = true;
  forEachOutput(outputs, [&](std::string &output) {
    uint64_t size = 0;
    if (isWhole && rest.size() >= sizeof(size)) {
      memcpy(&size, rest.data(), sizeof(size));
      rest.remove_prefix(sizeof(size));
    } else {
      isWhole = false;
    }
    isWhole = isWhole && size <= rest.size();
    if (!isWhole)
      return;
    output = rest.substr(0, size);
    rest.remove_prefix(size);
  });
  if (isWhole && rest.empty())
    return true;
  outputs = NvidiaOutputs();
  return false;
}

void NvidiaCache::keep(const NvidiaOutputs &outputs) const {
  if (isOff)
    return;
  std::string bytes;
  forEachOutput(outputs, [&](const std::string &output) {
    const uint64_t size = output.size();
    bytes.append(reinterpret_cast<const char *>(&size), sizeof(size));
    bytes += output;
  });
  withKey([&](const lldcuda_cache_key &key) {
    lldcuda_link_cache_keep(link, &key, bytes.data(), bytes.size());
  });
}

} // namespace lld::cuda::nvjitlink
