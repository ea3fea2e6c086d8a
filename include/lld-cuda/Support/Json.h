//===- Json.h - JSON that others have written -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reading and writing JSON, with what LLVM's support for it lacks: a limit of
/// depth for what is read (reports, budgets, the files of other programs), and
/// characters fit to be shown in what the tools write.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_JSON_H
#define LLD_CUDA_SUPPORT_JSON_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lld::cuda {

/// LLVM's parser calls itself for each array or object within another, so that
/// deep ones would overflow the stack. No file that is read here has more than
/// ten.
constexpr unsigned MaxJsonDepth = 64;

/// As json::parse(); deeper nesting is an error.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

/// Where JSON is written that somebody may look at: printableJson() of what
/// comes, for json::OStream.
class PrintableJsonStream final : public llvm::raw_ostream {
public:
  explicit PrintableJsonStream(llvm::raw_ostream &os) : os(os) {}
  ~PrintableJsonStream() override;

private:
  void write_impl(const char *data, size_t size) override;
  uint64_t current_pos() const override { return position; }

  llvm::raw_ostream &os;
  std::string pending; ///< The beginning of a character.
  uint64_t position = 0;
};

} // namespace lld::cuda

#endif
