//===- Ctx.cpp - The state of one link ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What makes and frees the state is here, so that who includes Ctx.h needn't
/// know all that it consists of.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Finalize/NativeCallees.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Output/SaveFile.h"
#include "Report/Stats.h"
#include "lld-cuda/Finalize/CodeEdit.h"

namespace lld::cuda {

Ctx::Ctx(LinkJob &job)
    : job(job), outputs(std::make_unique<LinkOutputs>()),
      nativeCallees(std::make_unique<NativeCallees>()),
      stages(std::make_unique<Stages>()) {}

Ctx::~Ctx() = default;

} // namespace lld::cuda
