//===- Options.h - Parser of nvlink's command line --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parser of nvlink's command line: it splits the arguments into options
/// and inputs, by nvlink's rules (rules [option-spelling] and [option-hidden]
/// of docs/reference). Driver.cpp parses each command line of nvlink's flavour
/// with it at the start of a link, and decides what the options mean together.
/// NvccCommand.cpp uses readOptionWord() for nvcc's command line.
///
/// LLVM's option library isn't used: nvlink's rules about dashes, values,
/// lists, repetitions and options files, and its messages, can't be expressed
/// there.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_OPTIONS_H
#define LLD_CUDA_DRIVER_OPTIONS_H

#include "Driver/ResponseFiles.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <string>
#include <vector>

namespace lld::cuda {

class Diagnostics;

/// The options, one for each row of Options.def.
enum class Opt : uint8_t {
#define OPTION(ID, LONG, SHORT, KIND, NOTE, VALUE, HELP) ID,
#include "Driver/Options.def"
  Count
};

/// What one argument says by itself, without the arguments around it.
struct OptionWord {
  Opt option = Opt::Count; ///< Count if it is no option, or an unknown one.
  llvm::StringRef name;
  llvm::StringRef spelling; ///< The dashes and the name, without the value.
  llvm::StringRef value;
  bool isLong = false;
  bool hasValue = false;  ///< The argument itself contains the value.
  bool takesNext = false; ///< The next argument is the value.
};

/// Returns the part of a path after its last slash.
inline llvm::StringRef baseName(llvm::StringRef path) {
  return path.drop_front(path.rfind('/') + 1);
}

OptionWord readOptionWord(llvm::StringRef word);

/// A parsed command line of nvlink.
class ParsedOptions {
public:
  /// Parses all arguments. Returns false after a fatal error, which is
  /// reported, or if foundOtherOption().
  bool parse(llvm::ArrayRef<const char *> words, Diagnostics &diag);

  /// Makes parse() stop without a message at an unknown option for which `test`
  /// returns true. Driver.cpp tells by it that a command line is ld.cuda's.
  void setOtherOptionTest(bool (*test)(llvm::StringRef)) {
    isOtherOption = test;
  }
  bool foundOtherOption() const { return hasOtherOption; }

  bool given(Opt o) const { return get(o).given; }
  /// Returns the last value. Numbers and true/false are in their plain form.
  const std::string &value(Opt o) const;
  /// Returns all values of an option that accepts a list or several values.
  const std::vector<std::string> &values(Opt o) const { return get(o).values; }
  int number(Opt o) const { return get(o).number; }
  bool isTrue(Opt o) const { return get(o).number != 0; }

  const std::vector<std::string> &inputs() const { return positional; }
  const std::vector<std::string> &optionsFileNames() const {
    return optionsFiles.names();
  }

  /// Returns the first given option that nvlink of this toolkit doesn't have,
  /// as nvlink names it, or "".
  llvm::StringRef findNewerThan(unsigned toolkit) const;
  /// Returns whether nvlink of this toolkit knows the value of -cpu-arch.
  bool isCpuArchOf(unsigned toolkit) const;

  /// Returns whether the note .note.nv.tkinfo lists files, too.
  bool hasVerboseNote() const;
  /// Returns the options in the form in which .note.nv.tkinfo records them.
  std::string noteCommand() const;
  /// Returns the options for repeating this link from the file of --reproduce:
  /// without inputs, and without folders in the paths of outputs.
  std::vector<std::string> wordsOfRepetition() const;

private:
  struct State {
    bool given = false;
    int number = 0;
    std::vector<std::string> values;
  };
  const State &get(Opt o) const { return states[size_t(o)]; }

  template <typename Word>
  bool parseWords(llvm::ArrayRef<Word> words, Diagnostics &diag);
  bool add(Opt o, llvm::StringRef value, Diagnostics &diag);
  bool addList(Opt o, llvm::StringRef value, Diagnostics &diag);
  bool addNumber(Opt o, llvm::StringRef value, Diagnostics &diag);
  bool readOptionsFile(llvm::StringRef path, Diagnostics &diag);

  std::array<State, size_t(Opt::Count)> states;
  std::vector<std::string> positional;
  /// The given options that not all releases have, with their spelling.
  std::vector<std::pair<Opt, std::string>> recent;
  bool (*isOtherOption)(llvm::StringRef) = nullptr;
  bool hasOtherOption = false;
  unsigned nesting = 0; ///< The number of options files that are open now.
  ResponseFileReader optionsFiles;
};

/// Prints the text of --help: the options that nvlink of this toolkit has, and
/// those that only this linker has.
void printHelp(llvm::raw_ostream &os, llvm::StringRef program,
               unsigned toolkit);

} // namespace lld::cuda

#endif
