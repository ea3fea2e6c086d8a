//===- SectionHeaders.h - The output's section headers ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Section headers of the output. The writer has one filled in for each written
/// section, when all numbers and places are known; WriteRelocations.cpp asks
/// for the links alone.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OUTPUT_SECTIONHEADERS_H
#define LLD_CUDA_OUTPUT_SECTIONHEADERS_H

#include "Program.h"
#include "lld-cuda/Object/Cubin.h"

namespace lld::cuda {

struct Numbered;

/// sh_link and sh_info. Needs all numbers assigned.
std::pair<uint32_t, uint32_t> getHeaderLinks(const Inputs &inputs,
                                             const Program &program,
                                             const Numbered &numbered,
                                             const OutputSection &sec);

/// All fields of the header. Needs the section's place in the file, too.
void fillSectionHeader(const Inputs &inputs, const Program &program,
                       const Numbered &numbered, const OutputSection &sec,
                       Elf_Shdr &out);

} // namespace lld::cuda

#endif
