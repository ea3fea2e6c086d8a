//===- Tables.h - Tables of measured bytes ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums up measured rows (Measure.h) as tables and trees, and finds functions
/// whose code occurs more than once. A table has a row for each value of a
/// domain (a property of bytes that the option --by names: kind, architecture,
/// function, source and so on). cubin-size.cpp makes all of these after
/// measuring, and the reports (Reports.h) print them.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_SIZE_TABLES_H
#define LLD_CUDA_CUBIN_SIZE_TABLES_H

#include "Measure.h"
#include "lld-cuda/Page/Page.h"
#include <optional>

namespace lld::cuda {

/// The domains: what the rows of a table stand for.
enum class Domain : uint8_t {
  Kind,
  Arch,
  Use, ///< What the bytes are for, such as code or debug information.
  Function,
  Template,
  Source, ///< The source file of code.
  File,
  Member ///< The member of an archive, or the file.
};
llvm::StringRef getDomainName(Domain domain);
std::optional<Domain> parseDomain(llvm::StringRef name);
/// Returns the names of all domains, "kind, arch, ...", for messages.
std::string listDomainNames();

/// The bytes of one value of a table's domains, such as one function.
struct TableRow {
  std::string name;
  uint64_t stored = 0, unpacked = 0; ///< In bytes.
  uint64_t before = 0; ///< With --diff, `stored` of the old files.
};

struct Table {
  std::string title;          ///< "arch", or "arch,kind" for two domains.
  std::vector<TableRow> rows; ///< By size, or by change, the largest first.
};

/// Makes a table with a row for each combination of the domains' values. Bytes
/// that no function owns are in a row named after their use or kind, in
/// brackets: "[container]".
Table makeTable(const Measurement &measured, llvm::ArrayRef<Domain> domains);

/// Makes a table that compares two measurements; it has no rows for what didn't
/// change.
Table makeDiffTable(const Measurement &before, const Measurement &after,
                    llvm::ArrayRef<Domain> domains);

/// Makes a tree of the bytes in files, with a level for each domain. Bytes
/// without an architecture or use have no level for it.
page::Tree makeTree(Measurement &measured, llvm::ArrayRef<Domain> domains);
/// Makes a tree of functions, with all bytes that belong to each, by namespace.
page::Tree makeFunctionTree(const Measurement &measured);
/// Makes a tree of code by folder and source file.
page::Tree makeSourceTree(const Measurement &measured);

/// Code of a function that occurs more than once.
struct EqualCode {
  std::string name; ///< The mangled name of the first copy.
  uint64_t size;    ///< Bytes of one copy.
  unsigned copies;
  std::vector<std::string> places; ///< "file (sm_90, relocatable code)".
};

struct EqualCodeReport {
  /// Bytes of copies beyond the first one: in the same file and architecture,
  /// for another architecture, in another file.
  uint64_t within = 0, acrossArchitectures = 0, acrossFiles = 0;
  std::vector<EqualCode> groups; ///< The most costly ones first.
};
/// Finds equal code. At most `top` groups are described; 0 means all.
EqualCodeReport findEqualCode(const Measurement &measured, size_t top);

} // namespace lld::cuda

#endif
