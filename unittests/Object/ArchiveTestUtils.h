//===- ArchiveTestUtils.h - Archives for tests ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that build archives from parts, so that the tests of archives
/// (ArchiveTest.cpp, ArchiveEditTest.cpp) can damage each part.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_UNITTESTS_OBJECT_ARCHIVETESTUTILS_H
#define LLD_CUDA_UNITTESTS_OBJECT_ARCHIVETESTUTILS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda::test {

inline const std::string Magic = "!<arch>\n", Thin = "!<thin>\n";

/// Returns the header of a member.
inline std::string header(llvm::StringRef name, llvm::StringRef size) {
  auto field = [](llvm::StringRef text, size_t width) {
    std::string s = text.str();
    s.resize(width, ' ');
    return s;
  };
  return field(name, 16) + field("0", 12) + field("0", 6) + field("0", 6) +
         field("644", 8) + field(size, 10) + "`\n";
}

/// Returns a member with its padding.
inline std::string member(llvm::StringRef name, llvm::StringRef contents) {
  std::string s =
      header(name, std::to_string(contents.size())) + contents.str();
  if (s.size() % 2)
    s += '\n';
  return s;
}

} // namespace lld::cuda::test

#endif
