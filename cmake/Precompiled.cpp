// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Precompiled.h needs a file for which it is made.
