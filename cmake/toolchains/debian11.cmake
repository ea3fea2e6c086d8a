# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Shared libraries for Linux on x86-64 with glibc 2.31 or later, made on a newer system: with the compiler, the C library,
# the C++ library and the others of Debian 11, which scripts/sysroot unpacks. What was built also runs here.
set(_kind debian11)
include("${CMAKE_CURRENT_LIST_DIR}/Sysroot.cmake")
set(CMAKE_C_COMPILER "${_sysroot}/usr/bin/x86_64-linux-gnu-gcc-10")
set(CMAKE_CXX_COMPILER "${_sysroot}/usr/bin/x86_64-linux-gnu-g++-10")
set(CMAKE_SYSROOT "${_sysroot}")
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
