//===- MessageOptions.cpp - Format and colour of messages -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// readMessageOptions() finds out how messages are to look before a command
/// line is read, since the mistakes in it are messages, too: the last
/// --error-format that makes sense decides, and whether there is colour follows
/// from NO_COLOR, CLICOLOR_FORCE and the terminal. readCommandLine() in
/// Driver.cpp calls it first; device links call it once more for words that
/// come from a file of options. Options that are read later may still change
/// the colour.
///
//===----------------------------------------------------------------------===//

#include "Driver/MessageOptions.h"
#include "Rules/Config.h"
#include "llvm/Support/Process.h"
#include <cstdlib>

using namespace llvm;

namespace lld::cuda {

std::optional<ErrorFormat> findErrorFormat(StringRef name) {
  if (name == "text")
    return ErrorFormat::Text;
  if (name == "json")
    return ErrorFormat::Json;
  if (name == "sarif")
    return ErrorFormat::Sarif;
  if (name == "vs")
    return ErrorFormat::VisualStudio;
  return std::nullopt;
}

std::optional<ErrorFormat> findErrorFormat(ArrayRef<const char *> words) {
  std::optional<ErrorFormat> found;
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    if (!word.consume_front("--error-format") &&
        !word.consume_front("-error-format"))
      continue;
    if (word.empty() && i + 1 != words.size())
      word = words[++i];
    else if (!word.consume_front("="))
      continue;
    if (std::optional<ErrorFormat> format = findErrorFormat(word))
      found = format;
  }
  return found;
}

static StringRef getVariable(const char *name) {
  const char *value = ::getenv(name);
  return value ? value : "";
}

bool wantsColor(bool isStandardError) {
  if (!isStandardError || !getVariable("NO_COLOR").empty())
    return false;
  const StringRef force = getVariable("CLICOLOR_FORCE");
  if (!force.empty() && force != "0")
    return true;
  // errs() would remember it, which links in several threads must not.
  return sys::Process::StandardErrHasColors();
}

void readMessageOptions(Config &config, ArrayRef<const char *> words,
                        bool isStandardError) {
  config.lld.color = wantsColor(isStandardError);
  if (std::optional<ErrorFormat> format = findErrorFormat(words))
    config.errorFormat = *format;
}

} // namespace lld::cuda
