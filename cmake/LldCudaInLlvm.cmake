# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Inside of LLVM's own build, as one of LLVM_EXTERNAL_PROJECTS:
#
#   cmake -G Ninja LLVM/llvm -DCMAKE_BUILD_TYPE=Release -DLLVM_TARGETS_TO_BUILD=NVPTX
#     -DLLVM_EXTERNAL_PROJECTS=lld-cuda -DLLVM_EXTERNAL_LLD_CUDA_SOURCE_DIR=THIS
#   ninja check-lld-cuda
#
# LLVM's libraries and tools are targets then, and its options say how programs are
# compiled and linked. Names of targets that others might have get a prefix.

if(TARGET LLVMSupport AND LLVM_MAIN_SRC_DIR)
  set(LLDCUDA_IN_LLVM ON)
  set(LLDCUDA_ALONE OFF)
  set(LLDCUDA_TARGET_PREFIX "lld-cuda-")
  set(_tests "${LLVM_INCLUDE_TESTS}")
else()
  set(LLDCUDA_IN_LLVM OFF)
  set(LLDCUDA_ALONE ON)
  set(LLDCUDA_TARGET_PREFIX "")
  set(_tests ON)
endif()
# What is a matter of LLVM's options in its tree.
option(LLDCUDA_INCLUDE_TESTS "Build the unit tests and set up the lit suite" ${_tests})
option(LLDCUDA_STATIC "Link the programs fully statically" ${LLDCUDA_ALONE})
option(LLDCUDA_HARDENING "Stack protector, checked library calls, read-only relocations, programs at random addresses"
  ${LLDCUDA_ALONE})
