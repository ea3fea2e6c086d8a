//===- SectionHeaders.h - The output's section headers ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that compute the section headers of the output. Writer.cpp
/// calls fillSectionHeader() for each written section at the end of a link,
/// when all numbers and file offsets are known. WriteRelocations.cpp, which
/// runs before that, calls getHeaderLinks() alone.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OUTPUT_SECTIONHEADERS_H
#define LLD_CUDA_OUTPUT_SECTIONHEADERS_H

#include "lld-cuda/Object/Cubin.h"

namespace lld::cuda {

struct Inputs;
struct Numbered;
struct OutputSection;
struct Program;

/// Returns sh_link and sh_info of a section. The numbers of sections and
/// symbols must have been assigned (assignNumbers()).
std::pair<uint32_t, uint32_t> getHeaderLinks(const Inputs &inputs,
                                             const Program &program,
                                             const Numbered &numbered,
                                             const OutputSection &sec);

/// Sets all fields of the section's header. The section's file offset must have
/// been assigned, too.
void fillSectionHeader(const Inputs &inputs, const Program &program,
                       const Numbered &numbered, const OutputSection &sec,
                       Elf_Shdr &out);

} // namespace lld::cuda

#endif
