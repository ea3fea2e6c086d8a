# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Device links of targets with CUDA_SEPARABLE_COMPILATION or
# CUDA_RESOLVE_DEVICE_SYMBOLS in one process of lld-cuda, without nvlink,
# fatbinary and the host compiler. Either without a change to the project:
#
#   cmake -DCMAKE_PROJECT_INCLUDE=PREFIX/lib/cmake/LldCuda/LldCudaDeviceLink.cmake ...
#
# or in CMakeLists.txt, in the folder that has the targets or one above it:
#
#   include(LldCudaDeviceLink)
#
# The compiler stays as it is. What isn't a link for real architectures alone,
# link-time optimization for instance, is left to it.

find_program(LLD_CUDA_PROGRAM lld-cuda
  HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" REQUIRED
  DOC "Links the device code of CUDA targets")

# Both rules are the same: what becomes of the object is the host linker's.
function(_lld_cuda_set_device_link_rules)
  # What nvcc links for if nobody says depends on its release.
  set(release)
  if(CMAKE_CUDA_COMPILER_VERSION)
    set(release " --nvcc-release=${CMAKE_CUDA_COMPILER_VERSION}")
  endif()
  # Behind "--" all words are nvcc's.
  set(command "\"${LLD_CUDA_PROGRAM}\" -flavor nvcc --nvcc=<CMAKE_CUDA_COMPILER>${release} --")
  foreach(kind IN ITEMS LIBRARY EXECUTABLE)
    set(rule "${CMAKE_CUDA_DEVICE_LINK_${kind}}")
    if(NOT rule)
      # CUDA isn't enabled yet; what is set then stays.
      set(rule "<CMAKE_CUDA_COMPILER> <LANGUAGE_COMPILE_FLAGS> <LINK_FLAGS> -shared -dlink <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
    endif()
    if(NOT rule MATCHES "-flavor nvcc")
      string(REPLACE "<CMAKE_CUDA_COMPILER>" "${command}" rule "${rule}")
    endif()
    set(CMAKE_CUDA_DEVICE_LINK_${kind} "${rule}" PARENT_SCOPE)
  endforeach()
endfunction()

if(CMAKE_CUDA_COMPILER_ID STREQUAL "Clang")
  message(WARNING "LldCudaDeviceLink: CMake calls nvlink, fatbinary and clang by itself for targets "
    "that clang compiles; use the module LldCudaToolkit")
else()
  _lld_cuda_set_device_link_rules()
endif()
