# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# CUDA device links with lld-cuda. Either without a change to the project:
#
#   cmake -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=PREFIX/lib/cmake/LldCuda/LldCudaToolkit.cmake ...
#
# or in CMakeLists.txt, before project() or enable_language(CUDA):
#
#   include(LldCudaToolkit)
#
# Makes a toolkit directory in the build directory and lets CMAKE_CUDA_COMPILER
# be the nvcc in it. The toolkit is that of CMAKE_CUDA_COMPILER, if it is set,
# else CUDAToolkit_ROOT, else what lld-cuda-toolkit finds. Is clang the compiler,
# CUDAToolkit_ROOT becomes the new directory instead. CMake 3.25 looks at what
# clang compiles for sm_52 and older, which CUDA 13 hasn't; here it is sm_75.

find_program(LLD_CUDA_TOOLKIT_PROGRAM lld-cuda-toolkit
  HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" REQUIRED
  DOC "Makes toolkit directories that link with lld-cuda")

function(_lld_cuda_make_toolkit)
  set(directory "${CMAKE_BINARY_DIR}/lld-cuda-toolkit")
  set(compiler "${CMAKE_CUDA_COMPILER}")
  if(NOT compiler)
    set(compiler "$ENV{CUDACXX}")
  endif()
  set(is_clang FALSE)
  if(compiler MATCHES "clang[^/]*$")
    set(is_clang TRUE)
  endif()

  set(options)
  if(is_clang)
    list(APPEND options --clang)
  endif()
  if(compiler AND NOT is_clang AND NOT compiler STREQUAL "${directory}/bin/nvcc")
    find_program(LLD_CUDA_NVCC "${compiler}" REQUIRED NO_CACHE)
    file(REAL_PATH "${LLD_CUDA_NVCC}" compiler)
    cmake_path(GET compiler PARENT_PATH bin)
    cmake_path(GET bin PARENT_PATH toolkit)
    list(APPEND options "--cuda-path=${toolkit}")
  elseif(CUDAToolkit_ROOT AND NOT CUDAToolkit_ROOT STREQUAL directory)
    list(APPEND options "--cuda-path=${CUDAToolkit_ROOT}")
  endif()
  if(NOT EXISTS "${directory}/bin/nvlink")
    execute_process(
      COMMAND "${LLD_CUDA_TOOLKIT_PROGRAM}" ${options} "${directory}"
      RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(result)
      message(FATAL_ERROR "${output}")
    endif()
    message(STATUS "CUDA device linker: ${directory}/bin/nvlink (lld-cuda)")
  endif()
  if(is_clang)
    set(CUDAToolkit_ROOT "${directory}" CACHE PATH "CUDA toolkit" FORCE)
    file(STRINGS "${directory}/.lld-cuda-toolkit" release REGEX "^release (1[3-9]|[2-9][0-9])[.]")
    if(release)
      set(CMAKE_CUDA_COMPILER_ID_TEST_FLAGS_FIRST
        "--cuda-path=\"${directory}\" --cuda-gpu-arch=sm_75 -Wno-unknown-cuda-version" PARENT_SCOPE)
    endif()
  else()
    set(CMAKE_CUDA_COMPILER "${directory}/bin/nvcc" CACHE FILEPATH "CUDA compiler" FORCE)
  endif()
endfunction()

_lld_cuda_make_toolkit()
