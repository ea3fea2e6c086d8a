//===- PtxasOptions.cpp - Reading options of ptxas ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions read command lines of ptxas by the table in
/// PtxasOptions.def, the way ptxas itself does. PtxCompiler.cpp has the options
/// that a fatbin's PTX brings along checked here: only those in the table that
/// can do no harm get through, each as one word (--name=value), and names of
/// files never do. Compilers.cpp asks two more questions about the words:
/// whether the cache may keep the result (not if an option names a file or
/// isn't known), and whether -g is among them.
///
//===----------------------------------------------------------------------===//

#include "Input/PtxasOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace lld::cuda {

namespace {
enum class ValueForm : uint8_t { None, Next, Glued, Both };
enum class InEntry : uint8_t {
  Passed,
  Threads,
  Target,
  Ignored,
  Refused,
  File
};

struct OptionInfo {
  StringLiteral longName, shortName;
  ValueForm value;
  InEntry inEntry;
};

constexpr OptionInfo table[] = {
#define PTXAS_OPTION(LONG, SHORT, VALUE, IN_ENTRY)                             \
  {LONG, SHORT, ValueForm::VALUE, InEntry::IN_ENTRY},
#include "Input/PtxasOptions.def"
};

/// An option as it was given, or an input file (no `info`, no name).
struct Given {
  const OptionInfo *info = nullptr; ///< Null: ptxas may know it, we don't.
  StringRef spelling;               ///< The dashes and the name; "" for a file.
  StringRef value;
  bool hasValue = false;

  /// Returns the option in one word, --name=value, however it was given.
  std::string word() const {
    std::string text = ("--" + info->longName).str();
    return hasValue ? (text + "=" + value).str() : text;
  }
};
} // namespace

/// More threads than these don't make anything faster; ptxas takes minutes to
/// start a million, and crashes on more.
static constexpr unsigned MaxThreads = 1024;

static const OptionInfo *findOption(StringRef name, bool isLong) {
  const OptionInfo *found = find_if(table, [&](const OptionInfo &o) {
    return name == (isLong ? o.longName : o.shortName);
  });
  return found == std::end(table) ? nullptr : found;
}

/// Words are read as nvlink reads its own (Options.cpp), which has the same
/// parser.
static void forEachOption(ArrayRef<StringRef> words,
                          function_ref<void(const Given &)> visit) {
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    Given given;
    if (!word.starts_with("-") || word == "-") {
      given.value = word;
      visit(given);
      continue;
    }
    bool isLong = word.starts_with("--");
    StringRef body = word.drop_front(isLong ? 2 : 1);
    auto [name, value] = body.split('=');
    given.hasValue = name.size() != body.size();
    given.value = value;
    given.spelling = word.drop_back(body.size() - name.size());
    given.info = findOption(name, isLong);
    if (!given.info && !isLong) {
      const OptionInfo *letter = findOption(body.take_front(), isLong);
      if (letter && (letter->value == ValueForm::Glued ||
                     letter->value == ValueForm::Both)) {
        given.info = letter;
        given.value = body.drop_front();
        given.hasValue = true;
        given.spelling = word.take_front(2);
      }
    }
    if (given.info && given.info->value != ValueForm::None && !given.hasValue) {
      given.hasValue = true;
      // The word that nvlink adds after the last one becomes the value.
      constexpr StringLiteral after = "-c";
      if (isLong || given.info->value != ValueForm::Glued)
        given.value = i + 1 != words.size() ? words[++i] : StringRef(after);
    }
    visit(given);
  }
}

std::string addEntryOptions(std::vector<std::string> &words, StringRef text,
                            StringRef arch) {
  SmallVector<StringRef, 8> split;
  SplitString(text, split);
  std::string problem;
  auto refuse = [&](const Twine &why) {
    if (problem.empty())
      problem = why.str();
  };
  forEachOption(split, [&](const Given &given) {
    if (given.spelling.empty())
      return refuse("names the file '" + given.value + "'");
    InEntry how = given.info ? given.info->inEntry : InEntry::Refused;
    unsigned threads;
    if (how == InEntry::Target && given.value == arch)
      how = InEntry::Ignored;
    else if (how == InEntry::Threads &&
             (given.value.getAsInteger(10, threads) || threads <= MaxThreads))
      how = InEntry::Passed;
    if (how == InEntry::Passed)
      words.push_back(given.word());
    else if (how != InEntry::Ignored)
      refuse("asks ptxas for '" + given.spelling + "'");
  });
  return problem;
}

bool areSelfContained(ArrayRef<std::string> words) {
  SmallVector<StringRef, 16> list(words.begin(), words.end());
  bool result = true;
  forEachOption(list, [&](const Given &given) {
    result &= given.info && given.info->inEntry != InEntry::File &&
              given.info->inEntry != InEntry::Refused;
  });
  return result;
}

bool compilesForDebugger(ArrayRef<std::string> words) {
  SmallVector<StringRef, 16> list(words.begin(), words.end());
  bool debug = false;
  forEachOption(list, [&](const Given &given) {
    debug |= given.info && given.info->shortName == "g";
  });
  return debug;
}

std::error_code makeFilesAbsolute(std::vector<std::string> &words) {
  SmallVector<StringRef, 16> list(words.begin(), words.end());
  std::vector<std::string> result;
  std::error_code error;
  auto absolute = [&](StringRef path) {
    SmallString<128> text = path;
    if (std::error_code ec = sys::fs::make_absolute(text))
      error = ec;
    return text.str().str();
  };
  forEachOption(list, [&](const Given &given) {
    if (given.spelling.empty()) {
      // What isn't there may be the value of an option that we don't know.
      result.push_back(sys::fs::exists(given.value) ? absolute(given.value)
                                                    : given.value.str());
    } else if (given.info && given.info->inEntry == InEntry::File) {
      SmallVector<StringRef, 2> paths;
      given.value.split(paths, ',', -1, /*KeepEmpty=*/false);
      std::vector<std::string> all;
      for (StringRef path : paths)
        all.push_back(absolute(path));
      result.push_back(
          ("--" + given.info->longName + "=" + join(all, ",")).str());
    } else if (given.info) {
      result.push_back(given.word());
    } else {
      std::string text = given.spelling.str();
      result.push_back(given.hasValue ? text + "=" + given.value.str() : text);
    }
  });
  words = std::move(result);
  return error;
}

} // namespace lld::cuda
