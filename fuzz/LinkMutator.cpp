//===- LinkMutator.cpp - Mutates inputs of link fuzzers -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tells libFuzzer how to make new inputs for LinkFuzzer.cpp and
/// CApiFuzzer.cpp, which hold several files (FuzzInput.h). libFuzzer calls
/// LLVMFuzzerCustomMutator() before each run of the target, and
/// LLVMFuzzerCustomCrossOver() to join two inputs. Most mutations change one
/// file so that its structure is kept (StructureMutator.cpp); others change
/// options or the order of files, or remove a file.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include <cstring>
#include <random>

using namespace lld::cuda::fuzz;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static size_t store(const FuzzInput &input, uint8_t *data, size_t maxSize) {
  std::string packed = input.pack();
  if (packed.size() > maxSize)
    return 0;
  std::memcpy(data, packed.data(), packed.size());
  return packed.size();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  std::mt19937_64 random(seed);
  FuzzInput input =
      FuzzInput::unpack({reinterpret_cast<const char *>(data), size});
  if (input.files.empty())
    return LLVMFuzzerMutate(data, size, maxSize);
  LinkFile &file = input.files[random() % input.files.size()];
  switch (random() % 16) {
  case 0:
    input.options ^= random() % 8 ? 1 << random() % 16 : LldFlavor;
    break;
  case 1:
    if (input.files.size() > 1)
      input.files.erase(input.files.begin() + random() % input.files.size());
    else
      input.architecture = random() % std::size(LinkArchitectures);
    break;
  case 2:
    std::swap(file, input.files[random() % input.files.size()]);
    break;
  case 3: { // Plain mutations; they may change the length.
    size_t length = file.bytes.size(), limit = length + 64;
    file.bytes.resize(limit);
    length = LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(file.bytes.data()),
                              length, limit);
    file.bytes.resize(length);
    break;
  }
  default:
    for (unsigned i = 0, count = 1 + random() % 3; i != count; ++i)
      mutateStructure(file.bytes, random());
  }
  if (size_t stored = store(input, data, maxSize))
    return stored;
  return LLVMFuzzerMutate(data, size, maxSize);
}

/// Files of both, with the first one's options.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2,
                                            uint8_t *out, size_t maxSize,
                                            unsigned seed) {
  std::mt19937_64 random(seed);
  FuzzInput a =
      FuzzInput::unpack({reinterpret_cast<const char *>(data1), size1});
  FuzzInput b =
      FuzzInput::unpack({reinterpret_cast<const char *>(data2), size2});
  if (b.files.empty())
    return 0;
  LinkFile &file = b.files[random() % b.files.size()];
  if (a.files.empty() || random() % 2)
    a.files.push_back(std::move(file));
  else
    a.files[random() % a.files.size()] = std::move(file);
  return store(a, out, maxSize);
}
