# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# For toolchain files: libraries, headers and CMake packages are those of a folder that scripts/sysroot made. `_kind` is
# the name that it gave to the script. Sets `_sysroot` to the folder.
set(LLDCUDA_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../../build-sysroot-${_kind}" CACHE PATH "Where the libraries are")
get_filename_component(_sysroot "${LLDCUDA_SYSROOT}" REALPATH)
if(NOT EXISTS "${_sysroot}/.complete")
  message(FATAL_ERROR "No libraries in '${_sysroot}': run scripts/sysroot ${_kind}, or name a folder as LLDCUDA_SYSROOT")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LLDCUDA_SYSROOT)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
