# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What `cmake --install` copies, in six components:
#   linker     lld-cuda under its names, lld-cuda-toolkit, what --run needs, CMake modules for
#              device links, the manual
#   tools      cubin-dump, cubin-diff, cubin-size, cubin-check, cubin-prune (links to one program in libexec), reproducer
#   lto        lld-cuda-lto
#   lib        liblld-cuda.so.0
#   nvjitlink  libnvJitLink.so.12 and libnvJitLink.so.13 over that
#   dev        the linker as a library, in C++ and in C
# Manual pages and completions go with their programs.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# nvlink and fatbinary are names of NVIDIA's programs, too: /usr/bin, for instance, isn't theirs alone.
set(LLDCUDA_NAMES_IN_BIN "ld.cuda" CACHE STRING
  "Names of the linker to install in bin, of ld.cuda, nvlink and fatbinary; all are in libexec/lld-cuda/bin")
set(_libexec "${CMAKE_INSTALL_LIBEXECDIR}/lld-cuda/bin")
get_property(_names GLOBAL PROPERTY LLDCUDA_NAMES)
foreach(_name IN LISTS LLDCUDA_NAMES_IN_BIN)
  if(NOT _name IN_LIST _names)
    message(FATAL_ERROR "LLDCUDA_NAMES_IN_BIN: the linker has no name '${_name}', but ${_names}")
  endif()
  install(FILES "${PROJECT_BINARY_DIR}/bin/${_name}" TYPE BIN COMPONENT linker)
endforeach()
file(RELATIVE_PATH _program "${CMAKE_INSTALL_FULL_LIBEXECDIR}/lld-cuda/bin" "${CMAKE_INSTALL_FULL_BINDIR}/lld-cuda")
foreach(_name IN LISTS _names)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/libexec")
  file(CREATE_LINK "${_program}" "${PROJECT_BINARY_DIR}/libexec/${_name}" SYMBOLIC)
  install(FILES "${PROJECT_BINARY_DIR}/libexec/${_name}" DESTINATION "${_libexec}" COMPONENT linker)
endforeach()

# The tools are links to one program.
file(RELATIVE_PATH _program "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBEXECDIR}/lld-cuda/cubin-tools")
get_property(_tools GLOBAL PROPERTY LLDCUDA_TOOLS)
foreach(_tool IN LISTS _tools)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/links")
  file(CREATE_LINK "${_program}" "${PROJECT_BINARY_DIR}/links/${_tool}" SYMBOLIC)
  install(FILES "${PROJECT_BINARY_DIR}/links/${_tool}" TYPE BIN COMPONENT tools)
endforeach()

get_property(_libraries GLOBAL PROPERTY LLDCUDA_LIBRARIES)
install(TARGETS ${_libraries} EXPORT LldCudaTargets ARCHIVE COMPONENT dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/lld-cuda" TYPE INCLUDE COMPONENT dev)
# The README of the source tells of files that aren't installed.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE.txt" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
  "${PROJECT_SOURCE_DIR}/packaging/THIRD_PARTY_NOTICES.txt" TYPE DOC COMPONENT linker)
install(FILES "${PROJECT_SOURCE_DIR}/docs/installed.md" TYPE DOC RENAME README.md COMPONENT linker)
install(DIRECTORY packaging/example TYPE DOC COMPONENT linker USE_SOURCE_PERMISSIONS)

# A cross build finds LLVM in a folder (CMAKE_FIND_ROOT_PATH) that is the root of the system where the package is installed.
foreach(_name LLVM_DIR LLVM_INCLUDE_DIR LLVM_LIBRARY_DIR)
  set(LLDCUDA_INSTALLED_${_name} "${${_name}}")
  foreach(_root ${CMAKE_FIND_ROOT_PATH})
    string(FIND "${${_name}}" "${_root}/" _at)
    if(_at EQUAL 0)
      string(LENGTH "${_root}" _length)
      string(SUBSTRING "${${_name}}" ${_length} -1 LLDCUDA_INSTALLED_${_name})
    endif()
  endforeach()
endforeach()

set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/LldCuda")
configure_package_config_file(cmake/LldCudaConfig.cmake.in LldCudaConfig.cmake
  INSTALL_DESTINATION "${_package}")
write_basic_package_version_file(LldCudaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT LldCudaTargets NAMESPACE LldCuda:: DESTINATION "${_package}" COMPONENT dev)
install(FILES "${PROJECT_BINARY_DIR}/LldCudaConfig.cmake"
  "${PROJECT_BINARY_DIR}/LldCudaConfigVersion.cmake" cmake/FindLZ4.cmake
  DESTINATION "${_package}" COMPONENT dev)

# The same for pkg-config: the libraries refer to each other in circles, and each of LLVM's to others.
get_property(_llvm GLOBAL PROPERTY LLDCUDA_LLVM_LIBRARIES)
set(_all)
while(_llvm)
  list(POP_FRONT _llvm _library)
  if(TARGET "${_library}" AND NOT _library IN_LIST _all)
    list(APPEND _all "${_library}")
    get_target_property(_needs "${_library}" INTERFACE_LINK_LIBRARIES)
    if(_needs AND NOT LLDCUDA_LLVM_DYLIB)
      list(FILTER _needs INCLUDE REGEX "^LLVM")
      list(APPEND _llvm ${_needs})
    endif()
  endif()
endwhile()
list(JOIN _libraries " -l" LLDCUDA_PC_LIBRARIES)
list(JOIN _all " -l" LLDCUDA_PC_LLVM)
file(RELATIVE_PATH LLDCUDA_PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file(cmake/lld-cuda.pc.in lld-cuda.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/lld-cuda.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

# These find the programs, need nothing else of the package, and are the same for all hosts: where the manual says,
# also if libraries are in a folder of their own for each host.
install(FILES cmake/LldCudaDeviceLink.cmake cmake/LldCudaPrune.cmake cmake/LldCudaToolkit.cmake
  DESTINATION lib/cmake/LldCuda COMPONENT linker)

# Completions are made of what the programs themselves say.
set(LLDCUDA_COMPLETIONS "" CACHE PATH "Completions to install; without them they are made, which runs the programs")
find_package(Python3 3.8 COMPONENTS Interpreter QUIET)
if(LLDCUDA_COMPLETIONS)
  set(_completions "${LLDCUDA_COMPLETIONS}")
elseif(Python3_Interpreter_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(_completions "${PROJECT_BINARY_DIR}/completions")
  get_property(_programs GLOBAL PROPERTY LLDCUDA_PROGRAMS)
  add_custom_command(OUTPUT "${_completions}/made"
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/packaging/completions.py"
      "${PROJECT_BINARY_DIR}/bin" "${PROJECT_SOURCE_DIR}" "${_completions}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${_completions}/made"
    DEPENDS ${_programs} packaging/completions.py packaging/programs.py tools/lld-cuda-toolkit/lld-cuda-toolkit
      tools/reproducer/reproducer include/lld-cuda/BinaryFormat/Architectures.def
    COMMENT "Completions for bash, zsh and fish" VERBATIM)
  add_custom_target(${LLDCUDA_TARGET_PREFIX}completions ALL DEPENDS "${_completions}/made")
else()
  message(STATUS "No completions for bash, zsh and fish: they need Python 3.8, or LLDCUDA_COMPLETIONS")
endif()

# lldcuda_install_extras(component name...): a program's completions and manual page. Those of a name that
# may be NVIDIA's program don't take that one's place.
set(LLDCUDA_MAN_PAGES "${PROJECT_BINARY_DIR}/docs/man" CACHE PATH "Manual pages to install, if they are there")
function(lldcuda_install_extras component)
  foreach(name IN LISTS ARGN)
    set(page "${name}.1")
    if(name IN_LIST _names AND NOT name IN_LIST LLDCUDA_NAMES_IN_BIN)
      set(page "lld-cuda-${name}.1")
    elseif(_completions AND NOT name STREQUAL "lld-cuda-run")
      install(FILES "${_completions}/bash/${name}" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
        COMPONENT ${component} OPTIONAL)
      install(FILES "${_completions}/zsh/_${name}" DESTINATION "${LLDCUDA_ZSH_FOLDER}" COMPONENT ${component} OPTIONAL)
      install(FILES "${_completions}/fish/${name}.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
        COMPONENT ${component} OPTIONAL)
    endif()
    install(FILES "${LLDCUDA_MAN_PAGES}/${name}.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" RENAME "${page}"
      COMPONENT ${component} OPTIONAL)
  endforeach()
endfunction()
set(LLDCUDA_ZSH_FOLDER "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" CACHE STRING "Where zsh looks for completions")
lldcuda_install_extras(linker lld-cuda ld.cuda nvlink fatbinary lld-cuda-run lld-cuda-toolkit)
lldcuda_install_extras(tools cubin-dump cubin-diff cubin-size cubin-check cubin-prune reproducer)
lldcuda_install_extras(lto lld-cuda-lto)
