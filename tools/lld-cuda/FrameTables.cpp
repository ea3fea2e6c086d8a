//===- FrameTables.cpp - No tables for unwinding at start -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// When a static program starts, GCC's start files register its tables for
/// unwinding the stack. From GCC 13 on registering reads all of them, those of
/// the C++ library and of LLVM: with GCC 16 that took three times as many
/// instructions as a small link. Nothing unwinds the stack here: an exception,
/// which only the C++ library can throw, ends the program as it does without a
/// handler. So the linker (--wrap) calls these functions instead.
///
//===----------------------------------------------------------------------===//

extern "C" {
void __wrap___register_frame_info(const void *, void *);
void *__wrap___deregister_frame_info(const void *);
}

void __wrap___register_frame_info(const void *, void *) {}
void *__wrap___deregister_frame_info(const void *) { return nullptr; }
