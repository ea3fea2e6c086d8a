# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   include(LldCudaPrune)
#   lld_cuda_prune(target [ARGUMENTS argument...])
#
# Drops the code for device links that is left in an executable or a shared
# library after it is linked, where the linked image has the same architecture.
# PTX stays for newer GPUs. ARGUMENTS are further ones of cubin-prune, e.g.
# --backup=.unpruned or --drop=ptx.

find_program(LLD_CUDA_PRUNE_PROGRAM cubin-prune
  HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" REQUIRED
  DOC "Removes device code that nobody needs")

function(lld_cuda_prune target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "ARGUMENTS")
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
    message(FATAL_ERROR "lld_cuda_prune: ${target} isn't an executable or a shared library; "
      "the device links of those that use it still need its code")
  endif()
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND "${LLD_CUDA_PRUNE_PROGRAM}" --linked --in-place ${ARG_ARGUMENTS} "$<TARGET_FILE:${target}>")
endfunction()
