//===- Options.h - Parsing the command line ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The words of the command line as options and inputs, by nvlink's rules
/// [option-spelling], [option-hidden]. What the options mean
/// together is the driver's business.
///
/// This isn't llvm::opt: the rules about dashes, values, lists, repetitions
/// and options files, and the texts that go with them, are not expressible
/// there, and a table of constants costs nothing at start-up.
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

enum class Opt : uint8_t {
#define OPTION(ID, LONG, SHORT, KIND, NOTE, VALUE, HELP) ID,
#include "Driver/Options.def"
  Count
};

/// What a word of the command line says of itself.
struct OptionWord {
  Opt option = Opt::Count; ///< Count: none, or none that is known.
  llvm::StringRef name;
  llvm::StringRef spelling; ///< With its dashes, without its value.
  llvm::StringRef value;
  bool isLong = false;
  bool hasValue = false;  ///< In the word itself.
  bool takesNext = false; ///< The next word is its value.
};

/// The part of a path behind its last slash.
inline llvm::StringRef baseName(llvm::StringRef path) {
  return path.drop_front(path.rfind('/') + 1);
}

OptionWord readOptionWord(llvm::StringRef word);

class ParsedOptions {
public:
  /// Parses all words. Returns false after a fatal error, which is reported.
  bool parse(llvm::ArrayRef<const char *> words, Diagnostics &diag);

  /// Unknown options for which `test` holds end the parse without a message.
  void setOtherOptionTest(bool (*test)(llvm::StringRef)) {
    isOtherOption = test;
  }
  bool foundOtherOption() const { return hasOtherOption; }

  bool given(Opt o) const { return get(o).given; }
  /// The last value; numbers and true/false in their plain form.
  const std::string &value(Opt o) const;
  /// The values of an option that takes a list, or was given several times.
  const std::vector<std::string> &values(Opt o) const { return get(o).values; }
  int number(Opt o) const { return get(o).number; }
  bool isTrue(Opt o) const { return get(o).number != 0; }

  const std::vector<std::string> &inputs() const { return positional; }
  const std::vector<std::string> &optionsFileNames() const {
    return optionsFiles.names();
  }

  /// The first option given that nvlink of a toolkit hasn't, as nvlink names
  /// it, or "".
  llvm::StringRef findNewerThan(unsigned toolkit) const;
  /// Whether nvlink of a toolkit knows the value of -cpu-arch.
  bool isCpuArchOf(unsigned toolkit) const;

  /// Whether .note.nv.tkinfo names files, too.
  bool hasVerboseNote() const;
  /// The options as .note.nv.tkinfo records them.
  std::string noteCommand() const;
  /// Those of a link that --reproduce repeats: without inputs, and without
  /// folders in the names of outputs.
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
  /// Options that not all releases have, as they were spelt.
  std::vector<std::pair<Opt, std::string>> recent;
  bool (*isOtherOption)(llvm::StringRef) = nullptr;
  bool hasOtherOption = false;
  unsigned nesting = 0; ///< Options files that are open now.
  ResponseFileReader optionsFiles;
};

/// The text of --help: the options that nvlink of a toolkit has, and our own.
void printHelp(llvm::raw_ostream &os, llvm::StringRef program,
               unsigned toolkit);

} // namespace lld::cuda

#endif
