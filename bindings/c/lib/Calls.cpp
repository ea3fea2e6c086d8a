//===- Calls.cpp - Turns LLVM's fatal errors into exceptions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM ends the process if there is no memory or it can't go on, which a
/// library (liblld-cuda) must not do. Every function of lldcuda.h calls
/// prepareProcess() through call() (Handles.h); the first time, it installs
/// handlers in this library's copy of LLVM, which throw instead. call() catches
/// the exception and returns a status. On the way the exception passes through
/// LLVM's functions, which are built without exceptions but can be unwound:
/// their destructors don't run, so memory that they own at that moment is
/// leaked, while that of this project's functions is freed.
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
    prepareHeaps();
  });
}
