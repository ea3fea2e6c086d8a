//===- Results.cpp - The image, and what its kernels need -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions hand out what lldcuda_link_run() has made: the image, and of
/// each kernel the registers, stack and memory that it needs. Nothing is
/// copied: the bytes and names belong to the handle and are valid until that is
/// destroyed. Before a link has succeeded there is no image. A relocatable link
/// (-r) tells nothing of kernels: the link that follows settles what they need,
/// since it may add callees.
///
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::capi;

lldcuda_bytes lldcuda_link_output(const lldcuda_link *link, int32_t output) {
  if (!link || output != LLDCUDA_OUTPUT_IMAGE)
    return {nullptr, 0};
  std::lock_guard<std::mutex> lock(link->mutex);
  if (!link->image)
    return {nullptr, 0};
  return {link->image->getBufferStart(), link->image->getBufferSize()};
}

size_t lldcuda_link_kernel_count(const lldcuda_link *link) {
  if (!link)
    return 0;
  std::lock_guard<std::mutex> lock(link->mutex);
  return link->kernels.size();
}

lldcuda_status lldcuda_link_kernel(const lldcuda_link *link, size_t index,
                                   lldcuda_kernel *kernel) {
  if (!link)
    return LLDCUDA_ERROR_INVALID_ARGUMENT;
  std::lock_guard<std::mutex> lock(link->mutex);
  if (index >= link->kernels.size())
    return LLDCUDA_ERROR_INVALID_ARGUMENT;
  const KernelFacts &facts = link->kernels[index];
  lldcuda_kernel value = {};
  value.name = asString(facts.name);
  value.registers = facts.registers;
  value.barriers = facts.barriers;
  value.frame = facts.frame;
  value.has_dynamic_shared = facts.dynamicShared;
  value.stack = facts.stack ? int64_t(*facts.stack) : -1;
  value.shared = facts.shared;
  value.parameters = facts.parameters;
  value.constants = facts.compilerConstants;
  return writeStruct(kernel, value) ? LLDCUDA_OK
                                    : LLDCUDA_ERROR_INVALID_ARGUMENT;
}
