# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Shared libraries for Linux on x86-64 with glibc 2.31 or later, made on a newer system: with the compiler, the C library,
# the C++ library and the others of Debian 11, which scripts/sysroot unpacks. What was built also runs here.
set(LLDCUDA_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../../build-sysroot-debian11" CACHE PATH "Where compiler and libraries are")
get_filename_component(_sysroot "${LLDCUDA_SYSROOT}" REALPATH)
if(NOT EXISTS "${_sysroot}/.complete")
  message(FATAL_ERROR "No libraries of Debian 11 in '${_sysroot}': run scripts/sysroot debian11, or name a folder as LLDCUDA_SYSROOT")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LLDCUDA_SYSROOT)

set(CMAKE_C_COMPILER "${_sysroot}/usr/bin/x86_64-linux-gnu-gcc-10")
set(CMAKE_CXX_COMPILER "${_sysroot}/usr/bin/x86_64-linux-gnu-g++-10")
set(CMAKE_SYSROOT "${_sysroot}")
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
