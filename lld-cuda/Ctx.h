//===- Ctx.h - The state of one link -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All state of one link; there are no globals. A pass takes what earlier
/// passes left here and adds to it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CTX_H
#define LLD_CUDA_CTX_H

#include "Config.h"
#include "Diagnostics.h"
#include "InputFiles.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include <deque>
#include <vector>

namespace lld::cuda {

struct Ctx {
  explicit Ctx(llvm::raw_ostream &out, llvm::raw_ostream &err)
      : out(out), diag(err, config) {}
  Ctx(const Ctx &) = delete;
  Ctx &operator=(const Ctx &) = delete;

  Config config;
  llvm::raw_ostream &out;
  Diagnostics diag;
  llvm::BumpPtrAllocator arena;
  llvm::StringSaver saver{arena};
  std::deque<InputFile> inputs;
  bool disableOutput = false;
  /// Enough work to start threads for; see Parallel.h.
  bool largeLink = false;
};

} // namespace lld::cuda

#endif
