//===- Options.cpp - Reading the options of nvJitLinkCreate() -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// readOptions() sorts the words that a program gives nvJitLinkCreate(), by the
/// table in Options.def, into what the link needs, what ptxas gets, and what
/// NVIDIA's library is to be told if it does a part (`given`). Job::create()
/// calls it. The texts of errors follow NVIDIA's library, since programs read
/// them (Log.h).
///
/// All words are read even if one is wrong: each mistake gets a line in the
/// log, and the first one is the result. What needs all of them, such as -ptx
/// without -lto, is checked only when each word is right.
///
//===----------------------------------------------------------------------===//

#include "Options.h"
#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace lld::cuda::nvjitlink {

namespace {

enum class OptionValue { None, Ignored, Optional, Required, Count };
enum class OptionMeaning {
  Nothing,
  Arch,
  Time,
  Verbose,
  Lto,
  Ptx,
  FastCompile,
  KernelsUsed,
  VariablesUsed,
  Relocatable,
  Debug,
  StackProtector
};
enum class Ptxas { Nothing, Same, Value };

struct Row {
  std::string_view name;
  OptionValue value;
  OptionMeaning meaning;
  Ptxas ptxas;
};

constexpr Row Rows[] = {
#define OPTION(NAME, VALUE, MEANING, PTXAS)                                    \
  {NAME, OptionValue::VALUE, OptionMeaning::MEANING, Ptxas::PTXAS},
#include "Options.def"
};

/// Target architectures as an option writes them.
struct TargetOption {
  enum Kind { Real, Virtual, Lto } kind;
  std::string number; ///< With its suffix: "90a".
};

class Reader {
public:
  Reader(Options &options, Log &log) : options(options), log(log) {}
  Result read(std::string_view word);
  Result finish();

private:
  bool isGood(const Row &row, std::string_view word, bool hasValue,
              std::string_view value);
  Result apply(const Row &row, std::string_view word, std::string_view value);
  Result setArch(std::string_view word, std::string_view value);
  Result setFastCompile(std::string_view value);

  Options &options;
  Log &log;
  TargetOption target = {TargetOption::Real, ""};
};

} // namespace

static Result unrecognized(Log &log, std::string_view word) {
  // -O1 and -O2, which other tools have.
  if (word.size() == 3 && word.substr(0, 2) == "-O" && word[2] >= '0' &&
      word[2] <= '9')
    log.error("unsupported value of -O: " + std::string(word.substr(2)) +
              ". Only 0 and 3 are supported.");
  else
    log.error("unrecognized option: " + std::string(word));
  return Result::UnrecognizedOption;
}

static Result missingValue(Log &log, std::string_view word) {
  log.error("ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value "
            "(" +
            std::string(word) + ")");
  return Result::UnrecognizedOption;
}

/// "sm_90a", "compute_90", "lto_90"; blanks may follow.
static bool readTarget(std::string_view text, TargetOption &target) {
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  constexpr std::pair<std::string_view, TargetOption::Kind> Prefixes[] = {
      {"sm_", TargetOption::Real},
      {"compute_", TargetOption::Virtual},
      {"lto_", TargetOption::Lto}};
  for (const auto &[prefix, kind] : Prefixes) {
    if (text.substr(0, prefix.size()) != prefix)
      continue;
    text.remove_prefix(prefix.size());
    size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    std::string_view suffix = text.substr(digits);
    if (!digits || digits > 4 ||
        (!suffix.empty() && suffix != "a" && suffix != "f"))
      return false;
    target = {kind, std::string(text)};
    return true;
  }
  return false;
}

Result Reader::setArch(std::string_view word, std::string_view value) {
  if (!readTarget(value, target))
    return missingValue(log, word);
  options.arch = "sm_" + target.number;
  return Result::Success;
}

Result Reader::setFastCompile(std::string_view value) {
  constexpr std::string_view Levels[] = {"0", "min", "mid", "max"};
  if (std::find(std::begin(Levels), std::end(Levels), value) !=
      std::end(Levels))
    return Result::Success;
  log.error("unsupported value of --Ofast-compile (-Ofc): " +
            std::string(value) + ". Only 0, min, mid, and max are supported.");
  return Result::UnrecognizedOption;
}

Result Reader::apply(const Row &row, std::string_view word,
                     std::string_view value) {
  switch (row.meaning) {
  case OptionMeaning::Nothing:
    break;
  case OptionMeaning::Arch:
    return setArch(word, value);
  case OptionMeaning::Time:
    options.time = true;
    break;
  case OptionMeaning::Verbose:
    options.verbose = true;
    options.ptxas.push_back("-v");
    break;
  case OptionMeaning::Lto:
    options.lto = true;
    break;
  case OptionMeaning::Ptx:
    options.ptx = true;
    break;
  case OptionMeaning::FastCompile:
    if (Result result = setFastCompile(value); result != Result::Success)
      return result;
    break;
  case OptionMeaning::KernelsUsed:
    options.kernelsUsed.emplace_back(value);
    break;
  case OptionMeaning::VariablesUsed:
    options.variablesUsed.emplace_back(value);
    break;
  case OptionMeaning::Relocatable:
    options.relocatable = true;
    break;
  case OptionMeaning::Debug:
    options.debug = true;
    break;
  case OptionMeaning::StackProtector:
    // NVIDIA's headers name it, but no release of its library takes it.
    options.ptxas.push_back("-device-stack-protector=" +
                            std::string(value.empty() ? "true" : value));
    options.given.push_back("-Xptxas=" + options.ptxas.back());
    return Result::Success;
  }
  if (row.ptxas != Ptxas::Nothing)
    options.ptxas.emplace_back(row.ptxas == Ptxas::Same ? word : value);
  options.given.emplace_back(word);
  return Result::Success;
}

Result Reader::read(std::string_view word) {
  if (word.size() < 2 || word[0] != '-')
    return unrecognized(log, word);
  for (const Row &row : Rows) {
    std::string_view rest = word.substr(1);
    if (rest.substr(0, row.name.size()) != row.name)
      continue;
    rest.remove_prefix(row.name.size());
    const bool hasValue = !rest.empty() && rest[0] == '=';
    if (!rest.empty() && !hasValue)
      continue; // Another name that begins so.
    const std::string_view value = hasValue ? rest.substr(1) : rest;
    const bool takesNone = row.value == OptionValue::None ||
                           row.value == OptionValue::Ignored ||
                           row.meaning == OptionMeaning::StackProtector;
    if ((hasValue && row.value == OptionValue::None) ||
        (!hasValue && !takesNone))
      return unrecognized(log, word);
    if (row.value == OptionValue::Required && value.empty())
      return missingValue(log, word);
    if (row.value == OptionValue::Count && value.substr(0, 1) == "-" &&
        std::strtol(value.data(), nullptr, 10)) {
      log.error("argument for -" + std::string(row.name) +
                " must be non-negative.");
      return Result::UnrecognizedOption;
    }
    return apply(row, word, value);
  }
  return unrecognized(log, word);
}

/// What can only be said when all are known.
Result Reader::finish() {
  if (options.arch.empty()) {
    log.error("ERROR NVJITLINK_ERROR_MISSING_ARCH: no architecture: "
              "-arch=sm_NN is missing");
    return Result::MissingArch;
  }
  if (options.ptx && !options.lto) {
    log.error("ERROR: -ptx requires -lto");
    return Result::IncompatibleOptions;
  }
  if (target.kind == TargetOption::Virtual && !options.ptx) {
    log.error("ERROR: virtual arch requires -ptx");
    return Result::IncompatibleOptions;
  }
  if (target.kind == TargetOption::Lto && options.ptx) {
    log.error("ERROR: -arch=lto_" + target.number + " conflicts with -ptx");
    return Result::IncompatibleOptions;
  }
  // The last one counts, so there is one.
  options.given.insert(
      options.given.begin(),
      (target.kind == TargetOption::Virtual ? "-arch=compute_" : "-arch=sm_") +
          target.number);
  return Result::Success;
}

Result readOptions(Options &options, uint32_t count, const char *const *words,
                   Log &log) {
  Reader reader(options, log);
  Result first = Result::Success;
  auto take = [&first](Result result) {
    if (first == Result::Success)
      first = result;
  };
  for (uint32_t i = 0; i != count; ++i) {
    if (words[i]) {
      take(reader.read(words[i]));
    } else {
      log.error("ERROR NVJITLINK_ERROR_NULL_INPUT: option " +
                std::to_string(i + 1) + " is a null pointer");
      take(Result::NullInput);
    }
  }
  // A wrong one may have been meant as what is missing now.
  return first == Result::Success ? reader.finish() : first;
}

Result refuseArch(const std::string &arch, Log &log) {
  // The architectures that some release of CUDA has had, maybe without this
  // suffix.
  constexpr int Known[] = {10, 11, 12, 13,  20,  21,  30,  32,  35, 37, 50,
                           52, 53, 60, 61,  62,  70,  72,  75,  80, 86, 87,
                           88, 89, 90, 100, 101, 103, 110, 120, 121};
  const int number = std::atoi(arch.c_str() + 3);
  const bool isKnown =
      std::find(std::begin(Known), std::end(Known), number) != std::end(Known);
  log.error((isKnown
                 ? "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported"
                 : "ERROR NVJITLINK_ERROR_UNRECOGNIZED_ARCH: unrecognized") +
            std::string(" architecture (compute_") + arch.substr(3) + ")");
  return isKnown ? Result::UnsupportedArch : Result::UnrecognizedArch;
}

} // namespace lld::cuda::nvjitlink
