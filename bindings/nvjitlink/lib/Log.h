//===- Log.h - Error and info logs of a link --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The error and info logs of a link, which a program reads with
/// nvJitLinkGetErrorLog() and nvJitLinkGetInfoLog(), and a function that turns
/// liblld-cuda's diagnostics into lines for them. Job.cpp and Delegate.cpp fill
/// the logs after each step of a link.
/// Programs read these texts, some by patterns: the lines that NVIDIA's library
/// writes come first and unchanged; explanations follow in lines that begin
/// with "note: ". A program that asks for the newest version of PTX splits the
/// text of an error at its apostrophes, so notes have none where PTX is
/// compiled.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_LOG_H
#define LLD_CUDA_BINDINGS_NVJITLINK_LOG_H

#include <string>
#include <string_view>
#include <vector>

struct lldcuda_link;

namespace lld::cuda::nvjitlink {

/// The two logs of a link, to which lines are only added.
struct Log {
  std::string errors, infos;

  void error(std::string_view line) { append(errors, line); }
  void info(std::string_view line) { append(infos, line); }
  void note(std::string_view text) { error("note: " + std::string(text)); }
  /// Adds whole lines, each with its newline; the last line may lack it.
  static void append(std::string &log, std::string_view text) {
    if (text.empty())
      return;
    log += text;
    if (text.back() != '\n')
      log += '\n';
  }
};

/// What the linker has reported in a call, as lines for the logs.
struct Said {
  std::string errors, infos;
  std::string compilers;          ///< Lines that compilers printed, unchanged.
  std::vector<std::string> texts; ///< Texts of the errors.
  std::vector<std::string> notes;
};

/// Returns the diagnostics of a link from index `first` on, and sets `first` to
/// their number.
Said readDiagnostics(const lldcuda_link *link, size_t &first);

} // namespace lld::cuda::nvjitlink

#endif
