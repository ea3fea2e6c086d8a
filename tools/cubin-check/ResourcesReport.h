//===- ResourcesReport.h - What kernels of finished files need --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --resources: the report that a link makes with --resource-report, of files
/// that nobody has to link.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_CHECK_RESOURCESREPORT_H
#define LLD_CUDA_CUBIN_CHECK_RESOURCESREPORT_H

#include "Facts.h"
#include "llvm/Support/raw_ostream.h"

namespace lld::cuda {

enum class ResourcesForm { Text, Json, Html };

/// `before`: the files' older version; null: nothing is compared. `isWhole`:
/// text shows all kernels.
void printResources(Facts &facts, Facts *before, ResourcesForm form,
                    bool isWhole, llvm::raw_ostream &os);

} // namespace lld::cuda

#endif
