# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What `cmake --install` copies: programs, libraries, headers, CMake package.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(_programs GLOBAL PROPERTY LLDCUDA_PROGRAMS)
get_property(_libraries GLOBAL PROPERTY LLDCUDA_LIBRARIES)
install(TARGETS ${_programs} RUNTIME)
install(TARGETS ${_libraries} EXPORT LldCudaTargets ARCHIVE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/lld-cuda" TYPE INCLUDE)
# The README of the source tells of files that aren't installed.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE.txt" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" TYPE DOC)
install(FILES "${PROJECT_SOURCE_DIR}/docs/installed.md" TYPE DOC RENAME README.md)

set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/LldCuda")
configure_package_config_file(cmake/LldCudaConfig.cmake.in LldCudaConfig.cmake
  INSTALL_DESTINATION "${_package}")
write_basic_package_version_file(LldCudaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT LldCudaTargets NAMESPACE LldCuda:: DESTINATION "${_package}")
install(FILES "${PROJECT_BINARY_DIR}/LldCudaConfig.cmake"
  "${PROJECT_BINARY_DIR}/LldCudaConfigVersion.cmake" cmake/FindLZ4.cmake
  cmake/LldCudaDeviceLink.cmake cmake/LldCudaPrune.cmake cmake/LldCudaToolkit.cmake
  DESTINATION "${_package}")
