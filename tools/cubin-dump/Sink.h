//===- Sink.h - Where a dump goes -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The two forms of a dump: text with one fact a line, and one JSON document.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DUMP_SINK_H
#define LLD_CUDA_CUBIN_DUMP_SINK_H

#include "lld-cuda/Dump/Fact.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace lld::cuda {

/// A list of facts in a dump.
struct FactList {
  llvm::StringLiteral key;     ///< In JSON: the array's name.
  llvm::StringLiteral noun;    ///< In text: the line's first word.
  llvm::StringLiteral subject; ///< In JSON: the key of a fact's subject.
};

class Sink {
public:
  virtual ~Sink() = default;

  /// `kind` says what it is: "cubin", "fatbin", "archive", "host-object".
  virtual void beginInput(llvm::StringRef kind, llvm::StringRef label) = 0;
  /// `errors`: what was wrong with it.
  virtual void endInput(llvm::ArrayRef<std::string> errors) = 0;

  /// A fact that an input has one of.
  virtual void single(llvm::StringRef key, const Fact &fact) = 0;
  virtual void beginList(const FactList &list) = 0;
  virtual void fact(const Fact &fact) = 0;
  virtual void endList() = 0;
  /// Compares bytes of a section.
  virtual void bytes(llvm::StringRef section,
                     llvm::ArrayRef<uint8_t> bytes) = 0;
};

std::unique_ptr<Sink> makeTextSink(llvm::raw_ostream &os);
std::unique_ptr<Sink> makeJsonSink(llvm::raw_ostream &os);

} // namespace lld::cuda

#endif
