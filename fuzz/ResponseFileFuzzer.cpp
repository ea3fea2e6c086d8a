//===- ResponseFileFuzzer.cpp - Fuzzes files of options -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the readers of files of options: @FILE of ld.cuda and --options-file
/// of nvlink's command line. libFuzzer calls LLVMFuzzerTestOneInput() with each
/// input that it makes, in runs of scripts/fuzz.sh; an input is such a file,
/// and is read in both ways. It is a file in memory, whose name has no folder
/// to which names in it could be relative; the word SELF is its own name.
///
//===----------------------------------------------------------------------===//

#include "Driver/Options.h"
#include "Driver/ResponseFiles.h"
#include "FuzzUtils.h"
#include "Messages/Diagnostics.h"
#include "Rules/Config.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

static void parse(llvm::ArrayRef<const char *> words) {
  Config config;
  std::string said;
  llvm::raw_string_ostream messages(said);
  Diagnostics diag(messages, config);
  ParsedOptions options;
  const bool isRead = options.parse(words, diag);
  diag.finish();
  require(isRead || !messages.str().empty());
  touch(options.noteCommand());
  touch(options.findNewerThan(120));
  for (const std::string &repeated : options.wordsOfRepetition())
    touch(repeated);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  // Other files of this machine are none of its business.
  if (data.contains('/'))
    return 0;
  static const int fd = ::memfd_create("options", 0);
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  llvm::SmallVector<StringRef, 0> parts;
  data.split(parts, "SELF");
  const std::string text = llvm::join(parts, path);
  require(fd >= 0 && ::ftruncate(fd, 0) == 0 &&
          ::pwrite(fd, text.data(), text.size(), 0) == ssize_t(text.size()));

  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *, 32> expanded;
  std::vector<std::string> files;
  const std::string word = "@" + path;
  const std::string problem =
      expandResponseFiles({word.c_str()}, saver, expanded, files);
  require(!files.empty());
  if (problem.empty())
    parse(expanded);
  parse({("--options-file=" + path).c_str()});
  Config config;
  std::string said;
  llvm::raw_string_ostream messages(said);
  Diagnostics diag(messages, config);
  const bool isClosed = checkFlags(text, diag);
  diag.finish();
  require(isClosed == messages.str().empty());
  return 0;
}
