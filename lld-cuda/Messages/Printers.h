//===- Printers.h - How messages look ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MESSAGES_PRINTERS_H
#define LLD_CUDA_MESSAGES_PRINTERS_H

#include "lld-cuda/Linker/Diagnostic.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace lld::cuda {

struct Config;

/// Prints messages in one form. Which messages there are isn't its business.
class DiagnosticPrinter {
public:
  virtual ~DiagnosticPrinter();
  virtual void print(const Diagnostic &d) = 0;
  /// A line below the message before.
  virtual void printNote(llvm::StringRef line) = 0;
  /// Nothing may be held back any more.
  virtual void finish() {}
};

/// "nvlink error   : Multiple definition of '_Z1fv' in 'a.o'"
std::unique_ptr<DiagnosticPrinter> createNvlinkPrinter(llvm::raw_ostream &err,
                                                       const Config &config);

/// "ld.cuda: error: multiple definition of 'f()' in 'a.o'". Equal warnings in a
/// row are counted.
std::unique_ptr<DiagnosticPrinter> createLldPrinter(llvm::raw_ostream &err,
                                                    const Config &config);

} // namespace lld::cuda

#endif
