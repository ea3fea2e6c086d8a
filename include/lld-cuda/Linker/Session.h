//===- Session.h - A link whose inputs come one by one ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A link whose inputs are added one by one, for programs that use the linker
/// as a library. The C interface (bindings/c) makes one for each of its links.
/// Each input is read, checked and merged as soon as it is added, so that its
/// errors, duplicate definitions included, are reported at once:
///
///   LinkSession session(options);
///   std::vector<Diagnostic> messages;
///   if (!session.add(LinkInput::bytes(a), messages))
///     report(messages);
///   LinkResult result = session.finish();
///
/// The result is the same as that of link() (Linker.h) for the inputs that were
/// accepted.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LINKER_SESSION_H
#define LLD_CUDA_LINKER_SESSION_H

#include "lld-cuda/Linker.h"

namespace lld::cuda {

enum class Merging : uint8_t;

/// One link. Not thread-safe, but several sessions may run at once.
class LinkSession {
public:
  explicit LinkSession(LinkOptions options);
  LinkSession(const LinkSession &) = delete;
  LinkSession &operator=(const LinkSession &) = delete;
  ~LinkSession();

  /// Reads the options. Returns false if they are wrong; then the session is of
  /// no further use. `messages` has the errors and warnings. May be omitted if
  /// checkOptions() has found no error.
  bool begin(std::vector<Diagnostic> &messages);

  /// Adds an input. Unless it is a prepared one, its contents must live until
  /// finish() returns. Returns false if it can't be linked; `messages` say why,
  /// and the link goes on without it. `messages` may have warnings about an
  /// accepted input, too.
  bool add(LinkInput input, std::vector<Diagnostic> &messages);

  /// Returns the inputs that were accepted, in their order.
  llvm::ArrayRef<LinkInput> accepted() const { return inputs; }

  /// Finishes the link; must be called at most once. The result has the
  /// messages that add() and begin() haven't given.
  LinkResult finish();

private:
  struct State;
  void restart();
  bool load(const LinkInput &input);
  bool merge();
  std::vector<Diagnostic> takeMessages();

  LinkOptions options;
  std::vector<LinkInput> inputs; ///< The accepted inputs.
  /// Messages already given, about inputs and options.
  std::vector<Diagnostic> told;
  std::unique_ptr<State> state; ///< Null if it must be made again.
};

} // namespace lld::cuda

#endif
