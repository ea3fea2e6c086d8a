//===- LldOptions.h - The lld flavour's options -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The words of ld.cuda's command line as options and inputs, by LldOptions.def
/// and the rules of other ld programs. What the options mean is LldDriver's
/// business.
///
/// LLVM's option library could do that, too. But its tables are made by a
/// program that not all packages of LLVM have, and look different in each
/// release.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_LLDOPTIONS_H
#define LLD_CUDA_DRIVER_LLDOPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <initializer_list>
#include <string>
#include <vector>

namespace lld::cuda {

struct LinkJob;

enum class LldOpt : uint8_t {
  Input,   ///< No option: a word without a dash, or "-".
  Unknown, ///< A word with a dash that begins like no option.
#define OPTION(ID, DASHES, NAME, KIND, GROUP, VALUE, HELP) ID,
#include "Driver/LldOptions.def"
};

/// An option with its value, or an input.
struct LldArg {
  LldOpt option;
  bool isAlias = false;     ///< Written in another way than OPTION's.
  llvm::StringRef word;     ///< As it stands in the command line.
  llvm::StringRef spelling; ///< Dashes and name: as written, or OPTION's for
                            ///< aliases; an input's word.
  llvm::StringRef value;    ///< An input's or unknown option's word.

  /// The words that say the same without aliases.
  std::vector<std::string> render() const;
};

/// A command line in its order. The words must live as long.
class LldArgs {
public:
  explicit LldArgs(llvm::ArrayRef<const char *> words);

  /// The option at the end of the line that lacks its value, or "".
  llvm::StringRef findIncomplete() const { return incomplete; }

  std::vector<LldArg>::const_iterator begin() const { return args.begin(); }
  std::vector<LldArg>::const_iterator end() const { return args.end(); }
  bool empty() const { return args.empty(); }

  /// The last one of these options, or null.
  const LldArg *last(std::initializer_list<LldOpt> options) const;
  const LldArg *last(LldOpt option) const { return last({option}); }
  bool has(LldOpt option) const { return last(option); }
  /// The last one's value, or `otherwise`.
  std::string value(LldOpt option, llvm::StringRef otherwise = "") const;
  /// Which of the two comes last, or `otherwise`.
  bool isOn(LldOpt on, LldOpt off, bool otherwise) const;
  std::vector<const LldArg *> all(std::initializer_list<LldOpt> options) const;
  std::vector<std::string> values(LldOpt option) const;

private:
  size_t read(llvm::ArrayRef<const char *> words);

  std::vector<LldArg> args;
  llvm::StringRef incomplete;
};

/// The option that is most like an unknown word, with the word's value, if it
/// is likely to be meant; or "".
std::string findNearestLldOption(llvm::StringRef word);

/// Reports options that aren't in the table, and those that are there only
/// because an option of one letter begins like them. False: there are some.
bool checkLldOptions(LinkJob &job, const LldArgs &args);

/// All options with help texts, by group and name.
void printLldOptions(llvm::raw_ostream &os);

} // namespace lld::cuda

#endif
