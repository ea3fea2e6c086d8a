//===- SanitizerOptions.cpp - Defaults of AddressSanitizer ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM's libraries are not instrumented. Containers and arenas that cross
/// their border have no annotations, or half of them, so both kinds are
/// switched off. Environment variables override what stands here.
///
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0:"
         "allocator_may_return_null=1";
}
