# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds LLVM: the one that LLVM_DIR names (as a variable of CMake or of the
# environment), or the newest one of those that lld-cuda is tried with.

set(LLDCUDA_LLVM_OLDEST 19)  # What differs between releases: lld-cuda/Support/LlvmCompat.h.
set(LLDCUDA_LLVM_NEWEST 24)

if(LLDCUDA_IN_LLVM)
  set(LLVM_PACKAGE_VERSION "${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}.${LLVM_VERSION_PATCH}")
  message(STATUS "lld-cuda: in the build of LLVM ${LLVM_PACKAGE_VERSION}")
  return()
endif()

if(NOT LLVM_DIR AND NOT "$ENV{LLVM_DIR}" STREQUAL "")
  set(LLVM_DIR "$ENV{LLVM_DIR}")
endif()
if(LLVM_DIR)
  # The folder of LLVMConfig.cmake, or the one that LLVM is installed in.
  find_path(_llvm_folder LLVMConfig.cmake PATHS "${LLVM_DIR}" "${LLVM_DIR}/lib/cmake/llvm" NO_DEFAULT_PATH NO_CACHE)
  if(NOT _llvm_folder)
    message(FATAL_ERROR "There is no LLVMConfig.cmake in LLVM_DIR, which is ${LLVM_DIR}")
  endif()
  set(LLVM_DIR "${_llvm_folder}" CACHE PATH "Folder of LLVMConfig.cmake" FORCE)
else()
  foreach(_major RANGE ${LLDCUDA_LLVM_NEWEST} ${LLDCUDA_LLVM_OLDEST} -1)
    find_package(LLVM ${_major}.1 CONFIG QUIET PATHS /usr/lib/llvm-${_major}/lib/cmake/llvm)
    if(LLVM_FOUND)
      break()
    endif()
  endforeach()
endif()
if(NOT LLVM_FOUND)
  find_package(LLVM CONFIG QUIET)  # Any, whose version is looked at below.
endif()

set(_llvm_wanted "lld-cuda takes LLVM ${LLDCUDA_LLVM_OLDEST} to ${LLDCUDA_LLVM_NEWEST}")
if(NOT LLVM_FOUND)
  message(FATAL_ERROR "LLVM is missing; ${_llvm_wanted}. On Debian: apt-get install llvm-${LLDCUDA_LLVM_OLDEST}-dev")
elseif(LLVM_VERSION_MAJOR LESS LLDCUDA_LLVM_OLDEST)
  message(FATAL_ERROR "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR} is too old; ${_llvm_wanted}. "
    "On Debian: apt-get install llvm-${LLDCUDA_LLVM_OLDEST}-dev; another one is chosen by -DLLVM_DIR=FOLDER")
elseif(LLVM_VERSION_MAJOR GREATER LLDCUDA_LLVM_NEWEST)
  message(WARNING "LLVM ${LLVM_PACKAGE_VERSION} is newer than those that lld-cuda is tried with, "
    "${LLDCUDA_LLVM_OLDEST} to ${LLDCUDA_LLVM_NEWEST}")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")

# LLVMSupport's interface names libraries that a static program neither needs
# (z3) nor can use (the shared zstd and, since LLVM 24, lzma).
if(LLDCUDA_STATIC)
  get_target_property(_deps LLVMSupport INTERFACE_LINK_LIBRARIES)
  list(FILTER _deps EXCLUDE REGEX "libz3")
  list(TRANSFORM _deps REPLACE "zstd::libzstd_shared" "zstd::libzstd_static")
  if("LibLZMA::LibLZMA" IN_LIST _deps)
    find_library(LLDCUDA_LZMA_LIBRARY NAMES liblzma.a REQUIRED)
    mark_as_advanced(LLDCUDA_LZMA_LIBRARY)
    list(TRANSFORM _deps REPLACE "LibLZMA::LibLZMA" "${LLDCUDA_LZMA_LIBRARY}")
  endif()
  set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${_deps}")
endif()

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS})
add_definitions(${LLVM_DEFINITIONS_LIST})
