//===- Tables.h - Sums over rows --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums up what was measured (Measure.h) by what the command line asks for:
/// kind, architecture, function, source. The reports print these tables and
/// trees.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_SIZE_TABLES_H
#define LLD_CUDA_CUBIN_SIZE_TABLES_H

#include "Measure.h"
#include "lld-cuda/Page/Page.h"
#include <optional>

namespace lld::cuda {

/// By what bytes are summed up.
enum class Domain : uint8_t {
  Kind,
  Arch,
  Use,
  Function,
  Template,
  Source, ///< Code's.
  File,
  Member
};
llvm::StringRef getDomainName(Domain domain);
std::optional<Domain> parseDomain(llvm::StringRef name);
/// "kind, arch, ...", for messages.
std::string listDomainNames();

struct TableRow {
  std::string name;
  uint64_t stored = 0, unpacked = 0;
  uint64_t before = 0; ///< With --diff: `stored` of the old files.
};

struct Table {
  std::string title;          ///< "arch", or "arch,kind" of combined domains.
  std::vector<TableRow> rows; ///< The largest, or most changed, first.
};

/// The rows' sums by the values of the domains together. Bytes that no function
/// owns stand by their use or kind, in brackets: "[container]".
Table makeTable(const Measurement &measured, llvm::ArrayRef<Domain> domains);

/// Compares two measurements; rows that didn't change are left out.
Table makeDiffTable(const Measurement &before, const Measurement &after,
                    llvm::ArrayRef<Domain> domains);

/// Bytes in files as a tree: by the values of the domains, one below the other.
/// What isn't of an architecture, or no cubin, has no level for that.
page::Tree makeTree(Measurement &measured, llvm::ArrayRef<Domain> domains);
/// Functions with all that is theirs, by namespace.
page::Tree makeFunctionTree(const Measurement &measured);
/// Code by folder and source file.
page::Tree makeSourceTree(const Measurement &measured);

/// A function's code that is there more than once.
struct EqualCode {
  std::string name; ///< Mangled, of the first copy.
  uint64_t size;    ///< One copy's.
  unsigned copies;
  std::vector<std::string> places; ///< "file (sm_90, relocatable code)".
};

struct EqualCodeReport {
  /// Bytes of copies beyond the first: next to it in a file and architecture,
  /// of another architecture, in another file.
  uint64_t within = 0, acrossArchitectures = 0, acrossFiles = 0;
  std::vector<EqualCode> groups; ///< What costs most first.
};
/// `top`: groups to describe at most; 0: all.
EqualCodeReport findEqualCode(const Measurement &measured, size_t top);

} // namespace lld::cuda

#endif
