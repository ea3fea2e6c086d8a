//===- Ctx.cpp - Constructors of the stages of a link ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The constructors and destructors of a link's stages: Inputs with its
/// LinkTools, Program and Layout. A Ctx (Ctx.h) has one of each;
/// runCommandLine(), the library's link() and LinkSession make a Ctx for each
/// link. They are defined here, where the types of all members are complete, so
/// that other sources can include the stages' headers without the members'
/// headers.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Explain/SourcePlaces.h"
#include "Input/CompileCache.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Input/RequiredKernels.h"
#include "Input/SymbolControl.h"
#include "Merge/NativeCallees.h"
#include "Messages/Stages.h"
#include "Output/SaveFile.h"
#include "lld-cuda/FinalCode/CodeEdit.h"

namespace lld::cuda {

LinkTools::LinkTools()
    : outputs(std::make_unique<LinkOutputs>()),
      clock(std::make_unique<Stages>()),
      compileCache(std::make_unique<CompileCache>()) {}
LinkTools::~LinkTools() = default;

Inputs::Inputs(LinkJob &job, LinkTools &tools) : job(job), tools(tools) {}
Inputs::~Inputs() = default;

Program::Program() : nativeCallees(std::make_unique<NativeCallees>()) {}
Program::~Program() = default;

Layout::Layout() = default;
Layout::~Layout() = default;

} // namespace lld::cuda
