//===- structure-mutator.cpp - StructureMutator for other programs --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program that changes files so that their structure is kept
/// (StructureMutator.cpp). utils/hostile starts it once and asks it for each
/// damaged input, before it runs the linker or a tool on that. A request on
/// standard input is a line "SEED COUNT SIZE" and SIZE bytes; the answer a line
/// "DONE SIZE" and the bytes with DONE mutations, at most COUNT.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include <iostream>
#include <random>

int main() {
  uint64_t seed;
  unsigned count;
  size_t size;
  while (std::cin >> seed >> count >> size) {
    std::cin.ignore(); // The newline.
    std::string bytes(size, '\0');
    std::cin.read(bytes.data(), std::streamsize(size));
    std::mt19937_64 random(seed);
    unsigned done = 0;
    for (unsigned i = 0; i != count; ++i)
      done += lld::cuda::fuzz::mutateStructure(bytes, random());
    std::cout << done << ' ' << size << '\n' << bytes << std::flush;
  }
}
