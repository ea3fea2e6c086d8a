//===- PruneSelectionFuzzer.cpp - Fuzzes what cubin-prune is told ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the texts that say what cubin-prune keeps and drops (Selection.cpp,
/// KernelFilter.cpp). libFuzzer calls LLVMFuzzerTestOneInput() with each input
/// that it makes, in runs of scripts/fuzz.sh; an input has one text a line,
/// taken as a list of targets, as nvcc's -gencode, and as a pattern of kernels,
/// and it is a file of such patterns as a whole. A text must be refused with an
/// error, or be a pattern that is unmatched until something matches it.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "Selection.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

static void ignore(llvm::Error error) {
  if (error)
    requireText(std::move(error));
}

static void matchKernels(const KernelFilter &filter) {
  const size_t before = filter.unmatched().size();
  for (StringRef name : {"k", "_Z1kPi", "_ZN2ns1kIiEEvT_"})
    if (filter.keeps(name))
      require(filter.keptAny());
  require(filter.unmatched().size() <= before);
}

static void readPatternFile(StringRef text) {
  static const int fd = ::memfd_create("kernels", 0);
  require(fd >= 0 && ::ftruncate(fd, 0) == 0 &&
          ::pwrite(fd, text.data(), text.size(), 0) == ssize_t(text.size()));
  KernelFilter filter;
  ignore(filter.drop("@/proc/self/fd/" + std::to_string(fd)));
  matchKernels(filter);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const StringRef data(reinterpret_cast<const char *>(bytes), size);
  readPatternFile(data);
  Selection selection;
  llvm::SmallVector<StringRef, 16> lines;
  data.split(lines, '\n');
  for (StringRef line : lines) {
    ignore(selection.keep(line));
    ignore(selection.drop(line));
    ignore(selection.keepGencode(line));
    // Other files of this machine are none of its business.
    if (!line.starts_with("@"))
      ignore(selection.cubins.kernels.keep(line));
  }
  matchKernels(selection.cubins.kernels);
  const size_t before = selection.unmatched().size();
  require(selection.empty() || before || !selection.cubins.empty());
  FatbinEntry entry = {};
  for (FatbinKind kind : {FatbinKind::ELF, FatbinKind::PTX, FatbinKind::LTOIR,
                          FatbinKind::TileIR}) {
    entry.kind = kind;
    entry.arch.number = 90;
    (void)selection.keeps(entry, /*isRelocatable=*/false, {});
  }
  require(selection.unmatched().size() <= before);
  return 0;
}
