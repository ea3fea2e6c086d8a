//===- ContainerTestUtils.h - Fatbins for tests -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that the tests of this folder share: readInput() reads an input of
/// the repository, and RawFatbin builds a fatbin field by field, so that a test
/// can damage exactly one field.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_UNITTESTS_OBJECT_CONTAINERTESTUTILS_H
#define LLD_CUDA_UNITTESTS_OBJECT_CONTAINERTESTUTILS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cstdint>
#include <string>
#include <vector>

namespace lld::cuda::test {

/// Returns a file of unittests/Inputs. If it doesn't exist, the test fails, and
/// the result is empty.
inline std::string readInput(llvm::StringRef name) {
  std::string path = (LLDCUDA_UNITTEST_INPUTS "/" + name).str();
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    ADD_FAILURE() << "cannot open " << path;
    return {};
  }
  return (*buffer)->getBuffer().str();
}

/// Returns the message of an error; "" for success.
inline std::string message(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : std::string();
}
template <class T> std::string message(llvm::Expected<T> result) {
  return message(result.takeError());
}

/// Appends the `size` low bytes of `value`.
inline void append(std::string &to, uint64_t value, unsigned size,
                   bool bigEndian = false) {
  for (unsigned i = 0; i != size; ++i)
    to.push_back(char(value >> 8 * (bigEndian ? size - 1 - i : i)));
}

/// An entry of a fatbin. Fields that a test doesn't set are as fatbinary writes
/// them for a cubin that isn't compressed.
struct RawEntry {
  uint16_t kind = 2;
  uint32_t arch = 90;
  uint64_t flags = 0x11;
  std::string payload = {};
  std::string extensions = {};
  uint32_t compressedSize = 0;
  uint64_t uncompressedSize = 0;
  uint32_t optionsOffset = 0;
  uint32_t identifierOffset = 0, identifierLength = 0;
  int64_t headerSize = -1;  ///< -1 for the right value.
  int64_t payloadSize = -1; ///< -1 for the right value.

  std::string bytes() const {
    std::string padded = payload;
    padded.resize((padded.size() + 7) / 8 * 8);
    std::string s;
    append(s, kind, 2);
    append(s, 0x0101, 2);
    append(s, headerSize < 0 ? 64 + extensions.size() : headerSize, 4);
    append(s, payloadSize == -1 ? padded.size() : payloadSize, 8);
    append(s, compressedSize, 4);
    append(s, optionsOffset, 4);
    append(s, 8, 2);
    append(s, 1, 2);
    append(s, arch, 4);
    append(s, identifierOffset, 4);
    append(s, identifierLength, 4);
    append(s, flags, 8);
    append(s, 0, 8);
    append(s, uncompressedSize, 8);
    return s + extensions + padded;
  }
};

/// A fatbin with such entries.
struct RawFatbin {
  std::vector<RawEntry> entries = {};
  uint32_t magic = 0xba55ed50;
  uint16_t version = 1;
  uint16_t headerSize = 16;
  int64_t size = -1; ///< -1 for the right value.

  std::string bytes() const {
    std::string body;
    for (const RawEntry &entry : entries)
      body += entry.bytes();
    std::string s;
    append(s, magic, 4);
    append(s, version, 2);
    append(s, headerSize, 2);
    append(s, size == -1 ? body.size() : size, 8);
    if (headerSize > 16)
      s.resize(headerSize);
    return s + body;
  }
};

} // namespace lld::cuda::test

#endif
