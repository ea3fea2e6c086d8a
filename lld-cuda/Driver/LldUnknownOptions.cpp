//===- LldUnknownOptions.cpp - Options that ld.cuda can't mean ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/LldUnknownOptions.h"
#include "Driver/Suggestions.h"
#include "LinkJob.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"

using namespace llvm;
using namespace llvm::opt;

namespace lld::cuda {

/// What -m may say: the emulations of 64-bit hosts, since build systems pass a
/// host linker's options on, and nvlink's 64.
static bool isEmulation(StringRef name) {
  for (StringRef known :
       {"64", "nvptx64", "elf64_cuda", "elf_x86_64", "elf_x86_64_fbsd",
        "elf64lriscv", "elf64lppc", "elf64ppc", "elf64loongarch", "elf64_s390",
        "aarch64linux", "aarch64elf", "aarch64fbsd", "i386pep", "arm64pe"})
    if (name == known)
      return true;
  return false;
}

/// The word of an option of one letter with its value in it; "" if that stands
/// alone.
static StringRef joinedWord(const Arg &arg, const InputArgList &args) {
  constexpr size_t Short = 2;
  const StringRef word = args.getArgString(arg.getIndex());
  const bool isJoined = !arg.getAlias() && arg.getSpelling().size() == Short &&
                        word.size() > Short;
  return isJoined ? word : "";
}

namespace {
class OptionCheck {
public:
  OptionCheck(LinkJob &job, const InputArgList &args, const OptTable &table)
      : job(job), args(args), table(table) {}
  bool run();

private:
  std::string findTypo(StringRef word) const;
  void checkEmulation(const Arg &arg);
  void reportUnknown(StringRef word);
  void report(DiagId id, MessageParts parts) {
    job.diag.report(Diagnostic(id, Severity::Error, parts));
    ok = false;
  }

  LinkJob &job;
  const InputArgList &args;
  const OptTable &table;
  bool ok = true;
};
} // namespace

/// What the word is likely to be meant for, or "".
std::string OptionCheck::findTypo(StringRef word) const {
  std::string nearest;
  const StringRef name = word.ltrim('-').split('=').first;
  return isLikelyTypo(name, table.findNearest(word, nearest)) ? nearest : "";
}

void OptionCheck::reportUnknown(StringRef word) {
  const std::string meant = findTypo(word);
  report(DiagId::UnknownOption,
         {"unknown argument ", diag::quoted(word),
          meant.empty() ? "" : ", did you mean '" + meant + "'"});
  if (meant.empty())
    explainCompilerOption(job.diag, word);
}

void OptionCheck::checkEmulation(const Arg &arg) {
  const StringRef name = arg.getValue();
  if (isEmulation(name))
    return;
  if (const StringRef word = joinedWord(arg, args);
      !word.empty() && !findTypo(word).empty())
    return reportUnknown(word);
  report(DiagId::InvalidValue, {"unknown emulation: ", name});
  if (name == "32" || name == "nvptx" || name.starts_with("elf32") ||
      name == "elf_i386")
    job.diag.explain("device code is for 64 bits");
}

bool OptionCheck::run() {
  for (const Arg *arg : args) {
    const StringRef spelling = arg->getSpelling();
    const StringRef joined = joinedWord(*arg, args);
    if (arg->getOption().getKind() == Option::UnknownClass)
      reportUnknown(arg->getAsString(args));
    else if (spelling == "-m")
      checkEmulation(*arg);
    // -emit-ptx is read as -e mit-ptx. No symbol has such characters.
    else if ((spelling == "-e" || spelling == "-u") &&
             joined.find_first_of("-=", 1) != StringRef::npos)
      reportUnknown(joined);
  }
  return ok;
}

bool checkLldOptions(LinkJob &job, const InputArgList &args,
                     const OptTable &table) {
  return OptionCheck(job, args, table).run();
}

} // namespace lld::cuda
