# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs for Linux on aarch64, with Debian's cross compiler and the libraries that
# scripts/sysroot aarch64 unpacks. What was built runs by qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(_kind aarch64)
include("${CMAKE_CURRENT_LIST_DIR}/Sysroot.cmake")
# The C library and C++'s are the compiler's own.
set(CMAKE_FIND_ROOT_PATH "${_sysroot}")
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# Runs the programs that tests start. Those that aren't static take the C library of Debian's cross compiler.
find_program(LLDCUDA_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(LLDCUDA_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${LLDCUDA_QEMU};-L;/usr/aarch64-linux-gnu")
endif()
