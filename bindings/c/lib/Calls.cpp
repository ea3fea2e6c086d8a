//===- Calls.cpp - Errors that end a process elsewhere --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM ends the process where it has no memory, or can't go on. Its handlers
/// for that, which are those of the copy of LLVM in this library, throw: call()
/// catches it. The way there leads through LLVM's functions, which have no
/// exceptions but can be unwound; what they hold at that moment is lost, what
/// we hold is freed.
///
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "llvm/Support/ErrorHandling.h"
#include <stdexcept>

using namespace llvm;
using namespace lld::cuda::capi;

static void throwBadAlloc(void *, const char *, bool) {
  throw std::bad_alloc();
}

static void throwFatalError(void *, const char *, bool) {
  throw std::runtime_error("LLVM can't go on");
}

void lld::cuda::capi::prepareProcess() {
  static std::once_flag once;
  std::call_once(once, [] {
    install_bad_alloc_error_handler(throwBadAlloc);
    install_fatal_error_handler(throwFatalError);
  });
}
