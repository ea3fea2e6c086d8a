//===- Sink.h - Output of a dump: text or JSON ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface of a dump's output, and its two implementations: text with one
/// fact on a line, and one JSON document. cubin-dump's main function makes one
/// of them at the start, and writes all inputs to it; DumpCubin.cpp writes the
/// facts of a cubin.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DUMP_SINK_H
#define LLD_CUDA_CUBIN_DUMP_SINK_H

#include "lld-cuda/Dump/Fact.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace lld::cuda {

/// A list of facts of the same sort in a dump.
struct FactList {
  llvm::StringLiteral key;     ///< In JSON, the array's name.
  llvm::StringLiteral noun;    ///< In text, the line's first word.
  llvm::StringLiteral subject; ///< In JSON, the key of a fact's subject.
};

/// Receives a dump: for each input beginInput(), its facts, endInput().
class Sink {
public:
  virtual ~Sink() = default;

  /// `kind` says what the input is: "cubin", "fatbin", "archive",
  /// "host-object".
  virtual void beginInput(llvm::StringRef kind, llvm::StringRef label) = 0;
  /// `errors` are messages about what was wrong with the input.
  virtual void endInput(llvm::ArrayRef<std::string> errors) = 0;

  /// Writes a fact of which an input has only one.
  virtual void single(llvm::StringRef key, const Fact &fact) = 0;
  virtual void beginList(const FactList &list) = 0;
  virtual void fact(const Fact &fact) = 0;
  virtual void endList() = 0;
  /// Writes the bytes of a section in hexadecimal.
  virtual void bytes(llvm::StringRef section,
                     llvm::ArrayRef<uint8_t> bytes) = 0;
};

std::unique_ptr<Sink> makeTextSink(llvm::raw_ostream &os);
std::unique_ptr<Sink> makeJsonSink(llvm::raw_ostream &os);

} // namespace lld::cuda

#endif
