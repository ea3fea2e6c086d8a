# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds everything the build needs and says what to install when it is missing.

option(LLDCUDA_INCLUDE_FUZZERS "Build the libFuzzer targets (needs clang)" OFF)
option(LLDCUDA_RESCHEDULE "Build in what --reschedule asks for: schedules as nvlink chooses them" ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(ZLIB_USE_STATIC_LIBS ON)
include(LldCudaLlvm)
find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  message(FATAL_ERROR "zlib is missing. On Debian: apt-get install zlib1g-dev")
endif()
find_package(LZ4 QUIET)
if(NOT LZ4_FOUND)
  message(FATAL_ERROR "liblz4 is missing. On Debian: apt-get install liblz4-dev")
endif()
find_library(ZSTD_LIBRARY NAMES libzstd.a zstd)
if(NOT ZSTD_LIBRARY)
  message(FATAL_ERROR "libzstd is missing. On Debian: apt-get install libzstd-dev")
endif()

if(LLDCUDA_INCLUDE_TESTS AND NOT LLDCUDA_IN_LLVM)
  find_package(GTest CONFIG QUIET)
  if(NOT GTest_FOUND)
    message(FATAL_ERROR "GoogleTest is missing; the unit tests need it. On Debian: "
      "apt-get install libgtest-dev (or configure with -DLLDCUDA_INCLUDE_TESTS=OFF)")
  endif()
endif()
