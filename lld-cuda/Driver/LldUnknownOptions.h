//===- LldUnknownOptions.h - Options that ld.cuda can't mean ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_LLDUNKNOWNOPTIONS_H
#define LLD_CUDA_DRIVER_LLDUNKNOWNOPTIONS_H

namespace llvm::opt {
class InputArgList;
class OptTable;
} // namespace llvm::opt

namespace lld::cuda {

struct LinkJob;

/// Reports options that aren't in the table, and those that are there only
/// because an option of one letter begins like them. False: there are some.
bool checkLldOptions(LinkJob &job, const llvm::opt::InputArgList &args,
                     const llvm::opt::OptTable &table);

} // namespace lld::cuda

#endif
