# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds liblz4, the static library by preference: LZ4_FOUND and LZ4::LZ4.
# Installed with the CMake package, whose users link it, too.
#
# Some systems' static liblz4 (Debian's from 14 on) has no xxHash of its own and
# needs libxxhash. Elsewhere that is given as well, and nothing of it is used.

find_path(LZ4_INCLUDE_DIR lz4.h)
find_library(LZ4_LIBRARY NAMES liblz4.a lz4)
find_library(LZ4_XXHASH_LIBRARY NAMES libxxhash.a)
mark_as_advanced(LZ4_INCLUDE_DIR LZ4_LIBRARY LZ4_XXHASH_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LZ4 DEFAULT_MSG LZ4_LIBRARY LZ4_INCLUDE_DIR)

if(LZ4_FOUND AND NOT TARGET LZ4::LZ4)
  add_library(LZ4::LZ4 UNKNOWN IMPORTED)
  set_target_properties(LZ4::LZ4 PROPERTIES IMPORTED_LOCATION "${LZ4_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LZ4_INCLUDE_DIR}")
  if(LZ4_XXHASH_LIBRARY AND LZ4_LIBRARY MATCHES "\\.a$")
    set_target_properties(LZ4::LZ4 PROPERTIES
      INTERFACE_LINK_LIBRARIES "${LZ4_XXHASH_LIBRARY}")
  endif()
endif()
