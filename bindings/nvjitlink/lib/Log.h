//===- Log.h - The two logs of a link ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Programs read these texts, some by patterns: the lines that NVIDIA's library
/// writes come first and as they are; what is explained besides follows in
/// lines that begin with "note: ". A program that asks for the newest version
/// of PTX parts the text of an error at its apostrophes, so notes have none
/// where PTX is compiled.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_LOG_H
#define LLD_CUDA_BINDINGS_NVJITLINK_LOG_H

#include <string>
#include <string_view>
#include <vector>

struct lldcuda_link;

namespace lld::cuda::nvjitlink {

/// A log of a link, to which lines are only added.
struct Log {
  std::string errors, infos;

  void error(std::string_view line) { append(errors, line); }
  void info(std::string_view line) { append(infos, line); }
  void note(std::string_view text) { error("note: " + std::string(text)); }
  /// Whole lines, each with its end; the last one may lack it.
  static void append(std::string &log, std::string_view text) {
    if (text.empty())
      return;
    log += text;
    if (text.back() != '\n')
      log += '\n';
  }
};

/// What the linker said in a call.
struct Said {
  std::string errors, infos;
  std::string compilers;          ///< Their lines, as they are.
  std::vector<std::string> texts; ///< Of errors.
  std::vector<std::string> notes;
};

/// The diagnostics of a link from `first` on; `first` becomes their number.
Said readDiagnostics(const lldcuda_link *link, size_t &first);

} // namespace lld::cuda::nvjitlink

#endif
