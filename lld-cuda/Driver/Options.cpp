//===- Options.cpp - Parsing nvlink's command line ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// ParsedOptions::parse() splits nvlink's command line into options and inputs,
/// by the table in Options.def. readNvlinkCommandLine() in Driver.cpp calls it
/// at the start of a link, and LldDriver.cpp for the note of a link of ld.cuda,
/// which records its options in nvlink's words.
///
/// The rules are nvlink's, as observed: a word must be the exact name of an
/// option; only -L, -l and -m may have their value in the same word without
/// '='; an option that takes a value takes the next word, even one with a dash;
/// the first mistake ends the parse.
///
//===----------------------------------------------------------------------===//

#include "Driver/Options.h"
#include "Driver/LldDriver.h"
#include "Driver/MessageOptions.h"
#include "Driver/Suggestions.h"
#include "Messages/Diagnostics.h"
#include "Messages/Progress.h"
#include "lld-cuda/BinaryFormat/Architectures.h"
#include "lld-cuda/Support/Sandbox.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstdlib>

using namespace llvm;
using namespace lld::cuda;

namespace {

enum class Kind : uint8_t {
  Flag,
  String,
  OptionalString,
  Enum,
  Number,
  Bool,
  List
};
enum class InNote : uint8_t { Always, Verbose, VerboseBase, Never };

struct OptionInfo {
  StringLiteral longName, shortName;
  Kind kind;
  InNote note;
  StringLiteral valueName, help;
};

constexpr OptionInfo table[] = {
#define OPTION(ID, LONG, SHORT, KIND, NOTE, VALUE, HELP)                       \
  {LONG, SHORT, Kind::KIND, InNote::NOTE, VALUE, HELP},
#include "Driver/Options.def"
};

const OptionInfo &info(Opt o) { return table[size_t(o)]; }

/// The option of that name, or Opt::Count.
Opt findOption(StringRef name, bool isLong) {
  if (!name.empty())
    for (size_t i = 0; i != std::size(table); ++i)
      if (name == (isLong ? table[i].longName : table[i].shortName))
        return Opt(i);
  return Opt::Count;
}

/// The option whose name is most like the word, if it is likely to be meant.
StringRef findNearestOption(StringRef word) {
  constexpr unsigned Far = 3;
  unsigned best = Far;
  StringRef nearest;
  for (const OptionInfo &option : table) {
    const unsigned distance =
        word.edit_distance(option.longName, /*AllowReplacements=*/true, Far);
    if (distance >= best || !isLikelyTypo(word, distance))
      continue;
    best = distance;
    nearest = option.longName;
  }
  return nearest;
}

/// The toolkit whose nvlink was the first one with the option, by --help of
/// 12.4.131, 12.5.40 and all of 13 [options-by-release].
unsigned firstToolkit(Opt o) {
  switch (o) {
  case Opt::DeviceStackProtector:
  case Opt::DisableInfos: // [messages-disable-infos]
  case Opt::OfastCompile:
  case Opt::RelocatableLink:
    return 130;
  case Opt::Verbose2:
    return 132;
  case Opt::LinkAsToolsPatch:
    return 133;
  case Opt::NvvmLatest:
    return 135;
  default:
    return 0;
  }
}

bool isOneOf(StringRef value, std::initializer_list<StringRef> allowed) {
  return is_contained(allowed, value);
}

bool checkEnum(Opt o, StringRef value) {
  switch (o) {
  case Opt::Arch:
    for (StringRef prefix : {"sm_", "compute_", "lto_"})
      if (value.starts_with(prefix))
        return elf::parseArchitecture(value.drop_front(prefix.size()))
            .has_value();
    return false;
  case Opt::CpuArch:
    return isOneOf(value, {"AARCH64", "ARMv7", "PPC64LE", "RISCV64", "X86",
                           "X86_64", "unknown"});
  case Opt::CudaMajor:
    return isOneOf(value, {"12", "13"});
  case Opt::NewerInputs:
    return isOneOf(value, {"warn", "error"});
  case Opt::PrintMemoryUsage:
    return isOneOf(value, {"table", "json"});
  case Opt::Progress:
    return parseProgressMode(value).has_value();
  case Opt::Sandbox:
    return parseSandboxMode(value).has_value();
  case Opt::ErrorFormat:
    return findErrorFormat(value).has_value();
  case Opt::GenHostLinkerScript:
    return isOneOf(value, {"lcs-abs", "lcs-aug"});
  default:
    return true;
  }
}

constexpr StringLiteral Blanks = " \t\n\r";

bool isBlank(char c) { return Blanks.contains(c); }

/// Options files nest this deep (observed: a file that includes itself).
constexpr unsigned MaxNesting = 15;

} // namespace

const std::string &ParsedOptions::value(Opt o) const {
  static const std::string none;
  const State &s = get(o);
  return s.values.empty() ? none : s.values.back();
}

OptionWord lld::cuda::readOptionWord(StringRef word) {
  OptionWord read;
  if (!word.starts_with("-") || word == "-")
    return read;
  read.isLong = word.starts_with("--");
  StringRef body = word.drop_front(read.isLong ? 2 : 1);
  std::tie(read.name, read.value) = body.split('=');
  read.hasValue = read.name.size() != body.size();
  read.spelling = word.drop_back(body.size() - read.name.size());
  read.option = findOption(read.name, read.isLong);
  if (read.option == Opt::Count && !read.isLong &&
      isOneOf(body.take_front(), {"L", "l", "m"})) {
    read.option = findOption(body.take_front(), read.isLong);
    read.value = body.drop_front();
    read.hasValue = true;
  }
  read.takesNext = read.option != Opt::Count && !read.hasValue &&
                   info(read.option).kind != Kind::Flag;
  return read;
}

bool ParsedOptions::parse(ArrayRef<const char *> words, Diagnostics &diag) {
  return parseWords(words, diag);
}

template <typename Word>
bool ParsedOptions::parseWords(ArrayRef<Word> words, Diagnostics &diag) {
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    if (!word.starts_with("-") || word == "-") {
      positional.push_back(word.str());
      continue;
    }

    auto [o, name, spelling, value, isLong, hasValue, takesNext] =
        readOptionWord(word);
    // Options for reports are ld.cuda's, too, so they don't make a command line
    // nvlink's.
    const bool isReport = o >= Opt::Map && o <= Opt::DependencyFile;
    if ((o == Opt::Count || isReport) && isOtherOption && isOtherOption(word)) {
      hasOtherOption = true;
      return false;
    }
    if (o == Opt::Count) {
      diag.report(DiagId::UnknownOption,
                  {"Unknown option ", diag::quoted(spelling.drop_front())});
      if (StringRef nearest = findNearestOption(name); !nearest.empty())
        diag.explain("did you mean --" + nearest + "?");
      else if (isLong && isLldOption(word))
        diag.explain(
            "ld.cuda has this option, but nvlink's command line doesn't");
      else
        explainCompilerOption(diag, word);
      return false;
    }

    // nvlink 12 passes over -r.
    if (firstToolkit(o) && (isLong || o != Opt::RelocatableLink))
      recent.push_back({o, spelling.drop_front().str()});

    Kind kind = info(o).kind;
    if (kind == Kind::Flag) {
      if (hasValue) {
        diag.report(DiagId::NoArgumentExpected,
                    {"no argument expected after ", diag::quoted(spelling)});
        return false;
      }
      states[size_t(o)].given = true;
      continue;
    }
    if (!hasValue) {
      bool isOptional = kind == Kind::OptionalString;
      if (i + 1 != words.size() &&
          !(isOptional && StringRef(words[i + 1]).starts_with("-"))) {
        value = words[++i];
      } else if (isOptional) {
        value = "0";
      } else {
        diag.report(DiagId::ArgumentExpected,
                    {"argument expected after ", diag::quoted(spelling)});
        return false;
      }
    }
    if (!add(o, value, diag))
      return false;
  }
  return true;
}

bool ParsedOptions::add(Opt o, StringRef value, Diagnostics &diag) {
  State &s = states[size_t(o)];
  int previousNumber = s.number;
  std::string previous = this->value(o);
  bool again = s.given;
  s.given = true;

  switch (info(o).kind) {
  case Kind::List:
    return addList(o, value, diag);
  case Kind::Number:
    if (!addNumber(o, value, diag))
      return false;
    break;
  case Kind::Bool:
    if (value != "true" && value != "false") {
      diag.report(DiagId::InvalidValue,
                  {diag::quoted(value), ": expected true or false"});
      return false;
    }
    s.number = value == "true";
    s.values = {value.str()};
    break;
  case Kind::Enum:
    if (!checkEnum(o, value)) {
      diag.report(DiagId::InvalidValue,
                  {"Value ", diag::quoted(value), " is not defined for option ",
                   diag::quoted(info(o).longName)});
      if (o == Opt::Arch)
        explainArchitectures(diag, value);
      return false;
    }
    [[fallthrough]];
  default:
    s.values = {value.str()};
  }
  if (again && (s.values.back() != previous || s.number != previousNumber))
    diag.report(DiagId::OptionRedefined,
                {"incompatible redefinition for option ",
                 diag::quoted(info(o).longName),
                 ", the last value of this option was used"});
  return true;
}

bool ParsedOptions::addNumber(Opt o, StringRef value, Diagnostics &diag) {
  // C syntax with leading blanks and sign; nothing at all is 0.
  StringRef digits = value.ltrim(" \t\n\v\f\r");
  bool negative = digits.consume_front("-");
  if (!negative)
    digits.consume_front("+");
  unsigned radix = 10;
  if (digits.consume_front_insensitive("0x"))
    radix = 16;
  else if (digits.size() > 1 && digits.front() == '0')
    radix = 8;
  APInt magnitude(64, 0);
  if (!value.empty() && digits.getAsInteger(radix, magnitude)) {
    diag.report(DiagId::InvalidValue,
                {diag::quoted(value), ": expected a number"});
    // -maxregcount=32 is -m with the rest of it as its value.
    if (o == Opt::Machine)
      if (StringRef nearest =
              findNearestOption(("m" + value.split('=').first).str());
          !nearest.empty())
        diag.explain("did you mean --" + nearest + "?");
    return false;
  }
  if (negative && (o == Opt::MemoryLimit || o == Opt::TimeLimit)) {
    diag.report(DiagId::InvalidValue,
                {diag::quoted(value), ": expected a number"});
    return false;
  }
  if (magnitude.getActiveBits() > 32 ||
      magnitude.getZExtValue() > (negative ? 0x80000000u : 0x7fffffffu)) {
    diag.report(DiagId::InvalidValue,
                {"32-bit integer value (", value, ") out of range"});
    return false;
  }
  int64_t n = magnitude.getZExtValue();
  if (negative)
    n = -n;
  if (o == Opt::Machine && n != 64) {
    diag.report(DiagId::InvalidValue,
                {"Value ", diag::quoted(value), " is not defined for option ",
                 diag::quoted(info(o).longName)});
    return false;
  }
  State &s = states[size_t(o)];
  s.number = int(n);
  s.values = {itostr(n)};
  return true;
}

/// Splits at commas. Commas in double quotes don't split, and the quotes are
/// removed; a backslash has a meaning only before a quote inside of quotes.
/// Blanks around a value are removed, quoted or not, and empty values are left
/// out.
bool ParsedOptions::addList(Opt o, StringRef value, Diagnostics &diag) {
  std::vector<std::string> found;
  std::string current;
  auto flush = [&] {
    if (StringRef trimmed = StringRef(current).trim(Blanks); !trimmed.empty())
      found.push_back(trimmed.str());
    current.clear();
  };

  bool quoted = false;
  for (size_t i = 0; i != value.size(); ++i) {
    char c = value[i];
    if (c == '"') {
      quoted = !quoted;
    } else if (quoted && c == '\\') {
      current += c;
      if (i + 1 == value.size()) {
        diag.report(DiagId::StrayCharacter, {"Stray '' character"});
        return false;
      }
      if (value[i + 1] == '"')
        current += value[++i];
    } else if (!quoted && c == ',') {
      flush();
    } else {
      current += c;
    }
  }
  if (quoted) {
    diag.report(DiagId::StrayCharacter, {"Stray '\"' character"});
    return false;
  }
  flush();

  if (o == Opt::OptionsFile)
    return all_of(found, [&](const std::string &path) {
      return readOptionsFile(path, diag);
    });
  append_range(states[size_t(o)].values, found);
  return true;
}

/// Words are separated by blanks. Blanks in double quotes don't separate, and
/// the quotes are removed; a backslash keeps the next character, except that a
/// quote is removed together with the backslash. An unquoted word loses blanks
/// at its end even if a backslash keeps them.
static bool splitWords(StringRef text, std::vector<std::string> &words,
                       Diagnostics &diag) {
  for (size_t i = 0; i != text.size();) {
    if (isBlank(text[i])) {
      ++i;
      continue;
    }
    std::string word;
    size_t quotedEnd = 0;
    bool quoted = false, hadQuotes = false;
    for (; i != text.size() && (quoted || !isBlank(text[i])); ++i) {
      char c = text[i];
      if (c == '"') {
        quoted = !quoted;
        hadQuotes = true;
        quotedEnd = word.size();
      } else if (c == '\\') {
        if (++i == text.size()) {
          diag.report(DiagId::StrayCharacter, {"Stray '' character"});
          return false;
        }
        if (text[i] != '"')
          word += text[i];
      } else {
        word += c;
      }
    }
    if (quoted) {
      diag.report(DiagId::StrayCharacter, {"Stray '\"' character"});
      return false;
    }
    while (word.size() > quotedEnd && isBlank(word.back()))
      word.pop_back();
    if (!word.empty() || hadQuotes)
      words.push_back(std::move(word));
  }
  return true;
}

/// Words of options files, which may name further ones [options-file].
bool ParsedOptions::readOptionsFile(StringRef path, Diagnostics &diag) {
  if (nesting == MaxNesting) {
    diag.report(DiagId::OptionsFile,
                {"Too many options file opened ", diag::file(path)});
    diag.explain("options files may include others, " + Twine(MaxNesting) +
                 " deep; does one include itself?");
    return false;
  }
  std::string text;
  if (std::error_code ec = optionsFiles.read(path, /*isText=*/true, text)) {
    // A directory counts as an empty file.
    if (ec == std::errc::is_a_directory)
      return true;
    diag.report(DiagId::OptionsFile,
                {"Could not open options file ", diag::file(path)});
    diag.explain(ec.message());
    return false;
  }
  std::vector<std::string> words;
  if (!optionsFiles.isTooMuch() && !splitWords(text, words, diag))
    return false;
  if (!optionsFiles.addWords(words.size())) {
    diag.report(DiagId::OptionsFile, {ResponseFileReader::limits(path)});
    return false;
  }
  ++nesting;
  bool ok = parseWords(ArrayRef<std::string>(words), diag);
  --nesting;
  return ok;
}

bool ParsedOptions::hasVerboseNote() const {
  return given(Opt::VerboseTkinfo) ? isTrue(Opt::VerboseTkinfo)
                                   : given(Opt::Debug);
}

std::string ParsedOptions::noteCommand() const {
  bool verbose = hasVerboseNote();
  std::string text;
  if (verbose) {
    for (const std::string &path : positional)
      text += (text.empty() ? "" : ",") + baseName(path).str();
    text += ' ';
  }
  for (size_t i = 0; i != std::size(table); ++i) {
    const OptionInfo &o = table[i];
    if (!states[i].given || o.note == InNote::Never ||
        (o.note != InNote::Always && !verbose))
      continue;
    std::string value = join(states[i].values, ",");
    if (o.note == InNote::VerboseBase)
      value = baseName(value).str();
    text += ("-" + o.shortName + " " + value + " ").str();
  }
  return text;
}

/// A list's value as addList() reads it.
static std::string quoteForList(StringRef value) {
  std::string text;
  for (size_t i = 0; i != value.size(); ++i) {
    if (value.substr(i).starts_with("\\\""))
      text += "\"\\" + value.substr(++i, 1).str() + "\"";
    else if (value[i] == ',')
      text += "\",\"";
    else
      text += value[i];
  }
  return text;
}

/// Whether --reproduce leaves the option out: those that name inputs, which a
/// repeated link has in its own folder, and those of the cache.
static bool isInputOfLink(Opt o) {
  return o == Opt::Library || o == Opt::LibraryPath || o == Opt::OptionsFile ||
         o == Opt::Baseline || o == Opt::Budget || o == Opt::Reproduce ||
         o == Opt::CacheDir || o == Opt::CachePolicy || o == Opt::CacheStats;
}

static bool isOutputOfLink(Opt o) {
  return o == Opt::OutputFile || o == Opt::RegisterLinkBinaries ||
         o == Opt::DotFile || o == Opt::Time || o == Opt::TimeTrace ||
         o == Opt::Map || o == Opt::WhyExtract || o == Opt::DependencyFile ||
         o == Opt::ResourceReport;
}

std::vector<std::string> ParsedOptions::wordsOfRepetition() const {
  std::vector<std::string> words;
  FolderNames names;
  for (size_t i = 0; i != std::size(table); ++i) {
    const OptionInfo &o = table[i];
    if (!states[i].given || isInputOfLink(Opt(i)))
      continue;
    const bool isOutput = isOutputOfLink(Opt(i));
    const std::string option =
        (o.longName.empty() ? "-" + o.shortName : "--" + o.longName).str();
    if (o.kind == Kind::Flag)
      words.push_back(option);
    for (const std::string &value : states[i].values) {
      const std::string own = isOutput ? names.add(value) : value;
      words.push_back(option + "=" +
                      (o.kind == Kind::List ? quoteForList(own) : own));
    }
  }
  if (!given(Opt::NoteCommand))
    words.push_back("--note-command=" + noteCommand());
  return words;
}

StringRef ParsedOptions::findNewerThan(unsigned toolkit) const {
  for (const auto &[o, spelling] : recent)
    if (firstToolkit(o) > toolkit)
      return spelling;
  return "";
}

bool ParsedOptions::isCpuArchOf(unsigned toolkit) const {
  constexpr unsigned FirstWithRiscV = 133;
  return toolkit >= FirstWithRiscV || value(Opt::CpuArch) != "RISCV64";
}

void lld::cuda::printHelp(raw_ostream &os, StringRef program,
                          unsigned toolkit) {
  os << "Usage: " << program << " [options] <inputs>\n\n"
     << "Links CUDA device code: cubins, fatbins, PTX, and host objects and "
        "archives\nthat hold fatbins.\n\nOptions:\n";
  std::vector<const OptionInfo *> sorted;
  for (const OptionInfo &o : table)
    if (!o.help.empty() && firstToolkit(Opt(&o - table)) <= toolkit)
      sorted.push_back(&o);
  llvm::sort(sorted, [](const OptionInfo *a, const OptionInfo *b) {
    return a->longName < b->longName;
  });
  for (const OptionInfo *o : sorted) {
    os << "  --" << o->longName;
    if (!o->valueName.empty())
      os << " <" << o->valueName << '>';
    if (!o->shortName.empty())
      os << ", -" << o->shortName;
    os << "\n        " << o->help << '\n';
  }
}
