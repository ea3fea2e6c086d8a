//===- FuzzInput.cpp - Packs link inputs into fuzz inputs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes the form in which a fuzz input holds a link: architecture,
/// options, and up to eight files (FuzzInput.h has the layout). LinkFuzzer.cpp
/// and CApiFuzzer.cpp call unpack() for each input that libFuzzer makes,
/// LinkMutator.cpp calls unpack() and pack() when it makes a new one. Any bytes
/// are a valid input: numbers that are too large are reduced, and a size that
/// is too large means the rest.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lld::cuda::fuzz {

constexpr size_t HeaderSize = 5, FileHeaderSize = 4;
constexpr size_t MaxFiles = 8;

FuzzInput FuzzInput::unpack(StringRef data) {
  FuzzInput input;
  if (data.size() < HeaderSize)
    return input;
  input.architecture = uint8_t(data[0]) % std::size(LinkArchitectures);
  input.options = support::endian::read32le(data.data() + 1);
  data = data.drop_front(HeaderSize);
  while (data.size() > FileHeaderSize && input.files.size() != MaxFiles) {
    auto kind = LinkFileKind(uint8_t(data[0]) % uint8_t(LinkFileKind::Count));
    size_t size =
        uint8_t(data[1]) | uint8_t(data[2]) << 8 | uint8_t(data[3]) << 16;
    data = data.drop_front(FileHeaderSize);
    input.files.push_back({kind, data.take_front(size).str()});
    data = data.drop_front(std::min(size, data.size()));
  }
  return input;
}

std::string FuzzInput::pack() const {
  std::string data(HeaderSize, char(architecture));
  support::endian::write32le(data.data() + 1, options);
  for (const LinkFile &file : files) {
    size_t size = file.bytes.size();
    data += {char(file.kind), char(size), char(size >> 8), char(size >> 16)};
    data += file.bytes;
  }
  return data;
}

} // namespace lld::cuda::fuzz
