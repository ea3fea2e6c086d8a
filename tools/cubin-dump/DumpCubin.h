//===- DumpCubin.h - Prints one cubin ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that prints one cubin in the parts that the command line selects.
/// cubin-dump's main function calls it for each cubin that it finds in its
/// inputs, with a sink for the wanted format.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DUMP_DUMPCUBIN_H
#define LLD_CUDA_CUBIN_DUMP_DUMPCUBIN_H

#include "Sink.h"
#include "lld-cuda/Object/Cubin.h"
#include <string>
#include <vector>

namespace lld::cuda {

/// Parts of a dump, as bits.
enum DumpPart : unsigned {
  DumpHeaders = 1u << 0,
  DumpSegments = 1u << 1,
  DumpSections = 1u << 2,
  DumpSymbols = 1u << 3,
  DumpRelocations = 1u << 4,
  DumpInfo = 1u << 5,
  DumpCompat = 1u << 6,
  DumpCallGraph = 1u << 7,
  DumpPrototypes = 1u << 8,
  DumpNotes = 1u << 9,
  DumpMercury = 1u << 10,
  DumpAll = (1u << 11) - 1,
};

struct DumpOptions {
  unsigned parts = DumpAll;
  /// Names of sections; if not empty, only these and what is in them are
  /// dumped.
  std::vector<std::string> sections;
  bool hex = false; ///< Whether the bytes of sections are dumped, too.
};

/// Writes the selected parts of `file` to `sink`. If a section can't be read,
/// adds a message to `errors` and goes on with the others.
void dumpCubin(const CubinFile &file, const DumpOptions &options, Sink &sink,
               std::vector<std::string> &errors);

} // namespace lld::cuda

#endif
