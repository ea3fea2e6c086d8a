//===- Session.h - A link whose inputs come one by one ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each input is read, checked and merged when it comes, so that what is wrong
/// with it is said then, duplicate definitions included:
///
///   LinkSession session(options);
///   std::vector<Diagnostic> messages;
///   if (!session.add(LinkInput::bytes(a), messages))
///     report(messages);
///   LinkResult result = session.finish();
///
/// The result is link()'s of the inputs that were taken.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LINKER_SESSION_H
#define LLD_CUDA_LINKER_SESSION_H

#include "lld-cuda/Linker.h"

namespace lld::cuda {

enum class Merging : uint8_t;

class LinkSession {
public:
  explicit LinkSession(LinkOptions options);
  LinkSession(const LinkSession &) = delete;
  LinkSession &operator=(const LinkSession &) = delete;
  ~LinkSession();

  /// Reads the options. False: they are wrong, and there is no more to do;
  /// `messages` say why, or warn. Without it they have to be right, as
  /// checkOptions() says.
  bool begin(std::vector<Diagnostic> &messages);

  /// Takes a prepared input. False: it can't be linked, and has no part in the
  /// link; `messages` say why. Warnings come with those that are taken, too.
  bool add(LinkInput input, std::vector<Diagnostic> &messages);

  /// Links; once. The result has messages that no add() has told.
  LinkResult finish();

private:
  struct State;
  void restart();
  bool load(const LinkInput &input);
  bool merge();
  std::vector<Diagnostic> takeMessages();

  LinkOptions options;
  std::vector<LinkInput> inputs; ///< Those that were taken.
  std::vector<Diagnostic> told;  ///< About them, and options.
  std::unique_ptr<State> state;  ///< Null: to be made anew.
};

} // namespace lld::cuda

#endif
