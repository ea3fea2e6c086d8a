//===- Json.h - Safe reading and writing of JSON ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Depth-limited parsing of JSON, and a stream that makes written JSON safe to
/// show on a terminal. parseJson() reads what other runs and programs wrote:
/// reports of resources (lib/Resources) and budgets (ResourceBudget.cpp). The
/// tools' JSON and SARIF writers print through PrintableJsonStream.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_JSON_H
#define LLD_CUDA_SUPPORT_JSON_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lld::cuda {

/// LLVM's parser recurses for each nested array or object, so that deep nesting
/// could overflow the stack. No proper input here nests more than ten levels
/// deep.
constexpr unsigned MaxJsonDepth = 64;

/// Like json::parse(), but nesting deeper than MaxJsonDepth is an error.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

/// A stream for json::OStream to write to: passes everything on to `os` with
/// characters escaped as printableJson() does (Printable.h). `os` must outlive
/// it.
class PrintableJsonStream final : public llvm::raw_ostream {
public:
  explicit PrintableJsonStream(llvm::raw_ostream &os) : os(os) {}
  ~PrintableJsonStream() override;

private:
  void write_impl(const char *data, size_t size) override;
  uint64_t current_pos() const override { return position; }

  llvm::raw_ostream &os;
  /// An incomplete UTF-8 character of the last write; the destructor writes it.
  std::string pending;
  uint64_t position = 0;
};

} // namespace lld::cuda

#endif
