# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What makes a mistake in a reader harder to misuse. scripts/check-hardening reads from the built files what of it they
# have, docs/performance.md has what it costs.

set(LLDCUDA_PIE OFF)
if(NOT LLDCUDA_HARDENING)
  return()
endif()
include(CheckCCompilerFlag)
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
include(CheckLinkerFlag)

# Of the compiler's flags those that it knows: control flow is protected for one kind of processor each.
foreach(_flag -fstack-protector-strong -fcf-protection=full -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "LLDCUDA_HAS${_flag}" _known)
  check_cxx_compiler_flag(${_flag} ${_known})
  if(${_known})
    add_compile_options(${_flag})
  endif()
endforeach()

# Checked calls of the C library need an optimizing compiler, and sanitizers check the plain ones. Compilers that don't
# know level 3 take it for 2.
if(NOT LLDCUDA_SANITIZE AND NOT LLDCUDA_INCLUDE_FUZZERS)
  add_compile_options(-U_FORTIFY_SOURCE "$<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>")
endif()
# Indices and empty containers of the C++ library.
add_compile_definitions($<$<COMPILE_LANGUAGE:CXX>:_GLIBCXX_ASSERTIONS>)

foreach(_flag relro now noexecstack)
  check_linker_flag(CXX "LINKER:-z,${_flag}" LLDCUDA_HAS_Z_${_flag})
  if(LLDCUDA_HAS_Z_${_flag})
    add_link_options("LINKER:-z,${_flag}")
  endif()
endforeach()

# All objects can be loaded anywhere, and names of the libraries' own aren't looked up by the loader (lldcuda_library): so the same ones serve
# programs that are loaded anywhere, and the linker, which isn't (see lldcuda_link_program).
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(_pie -pie)
if(LLDCUDA_STATIC)
  set(_pie -static-pie)
endif()
set(CMAKE_REQUIRED_FLAGS "-fPIE")
set(CMAKE_REQUIRED_LINK_OPTIONS ${_pie})
check_cxx_source_compiles("#include <string>\nint main(int argc, char **argv) { return std::string(argv[0]).empty(); }"
  LLDCUDA_HAS${_pie})
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(LLDCUDA_HAS${_pie})
  set(LLDCUDA_PIE ${_pie})
endif()
