# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Hosts that lld-cuda can be built for. Cubins are little-endian, and their records
# are read and written where they lie.
if(CMAKE_CXX_BYTE_ORDER STREQUAL "BIG_ENDIAN")
  message(FATAL_ERROR "lld-cuda can't be built for big-endian processors: cubins are little-endian, and are read as they lie")
endif()
