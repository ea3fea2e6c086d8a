//===- LldOptions.cpp - Words of ld.cuda's command line as options --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LldArgs splits the words of ld.cuda's command line into options with their
/// values, and inputs, by the table in LldOptions.def. readLldCommandLine() in
/// LldDriver.cpp makes an LldArgs when response files have been replaced by the
/// words in them. The same table gives the text of --help and the "did you
/// mean" of an unknown option.
///
/// Options may have their value in the same word, and the longest name that
/// fits wins: --lto-O2 is --lto-O with the value 2. So a misspelt long option
/// may be read as a short one with a value, -emit-ptx as -e mit-ptx;
/// checkLldOptions() finds those and reports them.
///
//===----------------------------------------------------------------------===//

#include "Driver/LldOptions.h"
#include "Driver/Suggestions.h"
#include "Explain/NearNames.h"
#include "LinkJob.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>

using namespace llvm;

namespace lld::cuda {

namespace {

enum class Dashes : uint8_t { One, Two, Both };
enum class LldKind : uint8_t { Flag, Joined, Separate, JoinedOrSeparate };
enum class LldGroup : uint8_t {
#define GROUP(ID, TITLE) ID,
#include "Driver/LldOptions.def"
};

/// A row of LldOptions.def: one way to write an option.
struct LldRow {
  LldOpt option;
  bool isAlias;
  Dashes dashes;
  LldKind kind;
  LldGroup group;
  StringLiteral spelling; ///< With the dashes that --help shows.
  StringLiteral value, help;

  StringRef name() const {
    return spelling.drop_front(dashes == Dashes::One ? 1 : 2);
  }
  /// Whether a value may follow in the same word.
  bool canJoin() const {
    return kind == LldKind::Joined || kind == LldKind::JoinedOrSeparate;
  }
};

constexpr StringLiteral groupTitles[] = {
#define GROUP(ID, TITLE) TITLE,
#include "Driver/LldOptions.def"
};

#define SPELLING_One "-"
#define SPELLING_Two "--"
#define SPELLING_Both "--"
#define ROW(IS_ALIAS, ID, DASHES, NAME, KIND, GROUP, VALUE, HELP)              \
  {LldOpt::ID,      IS_ALIAS,                                                  \
   Dashes::DASHES,  LldKind::KIND,                                             \
   LldGroup::GROUP, SPELLING_##DASHES NAME,                                    \
   VALUE,           HELP},
constexpr LldRow rows[] = {
#define OPTION(ID, DASHES, NAME, KIND, GROUP, VALUE, HELP)                     \
  ROW(false, ID, DASHES, NAME, KIND, GROUP, VALUE, HELP)
#define ALIAS(ID, DASHES, NAME, KIND, GROUP, VALUE, HELP)                      \
  ROW(true, ID, DASHES, NAME, KIND, GROUP, VALUE, HELP)
#include "Driver/LldOptions.def"
};
#undef ROW
#undef SPELLING_Both
#undef SPELLING_Two
#undef SPELLING_One

} // namespace

/// The row that says what an option is called and what it does.
static const LldRow &mainRow(LldOpt option) {
  return *find_if(rows, [&](const LldRow &row) {
    return row.option == option && !row.isAlias;
  });
}

/// Returns the row with the longest name that the word begins with: --lto-O2 is
/// --lto-O and 2. Rows that can't take what follows don't count: -entry is
/// --entry, -entrypoint is -e and ntrypoint.
static const LldRow *findRow(StringRef word) {
  const bool isLong = word.starts_with("--");
  const StringRef text = word.drop_front(isLong ? 2 : 1);
  const LldRow *best = nullptr;
  if (text.empty())
    return nullptr;
  for (const LldRow &row : rows) {
    const StringRef name = row.name();
    // Most are ruled out by their first letter.
    if (name.front() != text.front() ||
        row.dashes == (isLong ? Dashes::One : Dashes::Two) ||
        !text.starts_with(name) ||
        (text.size() != name.size() && !row.canJoin()))
      continue;
    if (!best || name.size() > best->name().size())
      best = &row;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

/// How many words the first of them takes as an option or input, which is added
/// unless it lacks its value.
size_t LldArgs::read(ArrayRef<const char *> words) {
  const StringRef word = words[0];
  if (!word.starts_with("-") || word == "-") {
    args.push_back({LldOpt::Input, false, word, word, word});
    return 1;
  }
  const LldRow *row = findRow(word);
  if (!row) {
    args.push_back({LldOpt::Unknown, false, word, word, word});
    return 1;
  }
  const size_t length = row->name().size() + (word.starts_with("--") ? 2 : 1);
  LldArg arg = {row->option, row->isAlias, word, word.take_front(length),
                word.drop_front(length)};
  if (row->isAlias)
    arg.spelling = mainRow(row->option).spelling;
  const bool takesNext =
      row->kind == LldKind::Separate ||
      (row->kind == LldKind::JoinedOrSeparate && arg.value.empty());
  if (takesNext) {
    if (words.size() == 1) {
      incomplete = word;
      return 1;
    }
    arg.value = words[1];
  }
  args.push_back(arg);
  return takesNext ? 2 : 1;
}

LldArgs::LldArgs(ArrayRef<const char *> words) {
  args.reserve(words.size());
  while (!words.empty())
    // Empty words are nothing, but may be values.
    words = words.drop_front(*words[0] ? read(words) : 1);
}

const LldArg *LldArgs::last(std::initializer_list<LldOpt> options) const {
  for (const LldArg &arg : llvm::reverse(args))
    if (is_contained(options, arg.option))
      return &arg;
  return nullptr;
}

std::string LldArgs::value(LldOpt option, StringRef otherwise) const {
  const LldArg *arg = last(option);
  return (arg ? arg->value : otherwise).str();
}

bool LldArgs::isOn(LldOpt on, LldOpt off, bool otherwise) const {
  const LldArg *arg = last({on, off});
  return arg ? arg->option == on : otherwise;
}

std::vector<const LldArg *>
LldArgs::all(std::initializer_list<LldOpt> options) const {
  std::vector<const LldArg *> found;
  for (const LldArg &arg : args)
    if (is_contained(options, arg.option))
      found.push_back(&arg);
  return found;
}

std::vector<std::string> LldArgs::values(LldOpt option) const {
  std::vector<std::string> found;
  for (const LldArg &arg : args)
    if (arg.option == option)
      found.push_back(arg.value.str());
  return found;
}

std::vector<std::string> LldArg::render() const {
  if (option == LldOpt::Input || option == LldOpt::Unknown)
    return {word.str()};
  switch (mainRow(option).kind) {
  case LldKind::Flag:
    return {spelling.str()};
  case LldKind::Joined:
    return {(Twine(spelling) + value).str()};
  case LldKind::Separate:
  case LldKind::JoinedOrSeparate:
    return {spelling.str(), value.str()};
  }
  llvm_unreachable("no kind");
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

/// The order of --help: by name, whatever the case of its letters; of names
/// that begin like each other the longer one comes first.
static bool comesBefore(const LldRow *a, const LldRow *b) {
  const StringRef x = a->name(), y = b->name();
  const size_t common = std::min(x.size(), y.size());
  if (int order =
          x.take_front(common).compare_insensitive(y.take_front(common)))
    return order < 0;
  if (x.size() != y.size())
    return x.size() > y.size();
  return x < y;
}

static std::vector<const LldRow *> sortRows() {
  std::vector<const LldRow *> sorted;
  for (const LldRow &row : rows)
    sorted.push_back(&row);
  llvm::sort(sorted, comesBefore);
  return sorted;
}

std::string findNearestLldOption(StringRef word) {
  constexpr size_t Shortest = 4; // Anything is like a shorter one.
  constexpr unsigned Far = 3;    // Nobody means that.
  const StringRef written = word.ltrim('-').split('=').first;
  unsigned best = Far;
  std::string nearest;
  for (const LldRow *row : sortRows()) {
    if (row->name().size() < Shortest)
      continue;
    // Only what stands before a value is compared with a name that takes one.
    StringRef text = word, value;
    const bool hasEqualSign = row->name().ends_with("=");
    if (const size_t at = word.find('=');
        hasEqualSign && at != StringRef::npos) {
      text = word.take_front(at + 1);
      value = word.drop_front(at + 1);
    }
    for (const unsigned dropped : {0, 1}) {
      if (dropped && row->dashes != Dashes::Both)
        continue;
      const StringRef candidate = row->spelling.drop_front(dropped);
      unsigned distance =
          candidate.edit_distance(text, /*AllowReplacements=*/true, best);
      // A name without a value is more likely to be meant.
      if (hasEqualSign && value.empty())
        ++distance;
      if (distance >= best)
        continue;
      best = distance;
      nearest = (Twine(candidate) + value).str();
    }
  }
  return isLikelyTypo(written, best) ? nearest : "";
}

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
static StringRef joinedWord(const LldArg &arg) {
  constexpr size_t Short = 2;
  const bool isJoined =
      !arg.isAlias && arg.spelling.size() == Short && arg.word.size() > Short;
  return isJoined ? arg.word : "";
}

namespace {
class OptionCheck {
public:
  explicit OptionCheck(LinkJob &job) : job(job) {}
  bool run(const LldArgs &args);

private:
  void checkEmulation(const LldArg &arg);
  void reportUnknown(StringRef word);
  void report(DiagId id, MessageParts parts) {
    job.diag.report(Diagnostic(id, Severity::Error, parts));
    ok = false;
  }

  LinkJob &job;
  bool ok = true;
};
} // namespace

void OptionCheck::reportUnknown(StringRef word) {
  const std::string meant = findNearestLldOption(word);
  report(DiagId::UnknownOption,
         {"unknown argument ", diag::quoted(word),
          meant.empty() ? "" : ", did you mean '" + meant + "'"});
  if (meant.empty())
    explainCompilerOption(job.diag, word);
}

void OptionCheck::checkEmulation(const LldArg &arg) {
  const StringRef name = arg.value;
  if (isEmulation(name))
    return;
  if (const StringRef word = joinedWord(arg);
      !word.empty() && !findNearestLldOption(word).empty())
    return reportUnknown(word);
  report(DiagId::InvalidValue, {"unknown emulation: ", name});
  if (name == "32" || name == "nvptx" || name.starts_with("elf32") ||
      name == "elf_i386")
    job.diag.explain("device code is 64-bit");
}

bool OptionCheck::run(const LldArgs &args) {
  for (const LldArg &arg : args) {
    const StringRef joined = joinedWord(arg);
    if (arg.option == LldOpt::Unknown)
      reportUnknown(arg.word);
    else if (arg.option == LldOpt::Emulation)
      checkEmulation(arg);
    // -emit-ptx is read as -e mit-ptx. No symbol has such characters.
    else if ((arg.option == LldOpt::Entry || arg.option == LldOpt::Undefined) &&
             joined.find_first_of("-=", 1) != StringRef::npos)
      reportUnknown(joined);
  }
  return ok;
}

bool checkLldOptions(LinkJob &job, const LldArgs &args) {
  return OptionCheck(job).run(args);
}

//===----------------------------------------------------------------------===//
// Help
//===----------------------------------------------------------------------===//

static std::string nameInHelp(const LldRow &row) {
  std::string name = row.spelling.str();
  if (row.kind == LldKind::Flag)
    return name;
  if (row.kind != LldKind::Joined)
    name += ' ';
  return name + (row.value.empty() ? "<value>" : row.value.str());
}

static void printGroup(raw_ostream &os, ArrayRef<const LldRow *> group) {
  constexpr size_t Widest = 23; // Longer names have a line of their own.
  constexpr unsigned Indent = 2;
  size_t width = 0;
  for (const LldRow *row : group)
    if (const size_t size = nameInHelp(*row).size(); size <= Widest)
      width = std::max(width, size);
  for (const LldRow *row : group) {
    const std::string name = nameInHelp(*row);
    os.indent(Indent) << name;
    if (name.size() <= width)
      os.indent(width - name.size() + 1);
    else
      (os << '\n').indent(Indent + width + 1);
    os << (row->help.empty() ? mainRow(row->option).help : row->help) << '\n';
  }
}

void printLldOptions(raw_ostream &os) {
  const std::vector<const LldRow *> sorted = sortRows();
  for (const auto &[i, title] : enumerate(groupTitles)) {
    std::vector<const LldRow *> group;
    for (const LldRow *row : sorted)
      if (size_t(row->group) == i &&
          !(row->help.empty() && mainRow(row->option).help.empty()))
        group.push_back(row);
    if (title.empty() || group.empty())
      continue;
    os << (i ? "\n" : "") << title << ":\n";
    printGroup(os, group);
  }
}

} // namespace lld::cuda
