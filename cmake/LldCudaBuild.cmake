# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Language, warnings, and the helpers that make libraries and programs.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

include_directories("${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
add_compile_options(-Wall -Wextra -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions> $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>
  -ffunction-sections -fdata-sections)
option(LLDCUDA_WERROR "Warnings are errors" OFF)
if(LLDCUDA_WERROR)
  add_compile_options(-Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What it concludes after optimizing, mostly of LLVM's headers and the C++ library's, depends on its version.
    add_compile_options(-Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow
      -Wno-error=stringop-overread -Wno-error=restrict -Wno-error=free-nonheap-object)
  else()
    # With older C++ libraries: std::stable_sort().
    add_compile_options(-Wno-error=deprecated-declarations)
  endif()
endif()
# Nothing throws an exception, and the programs print no stack, so they need no tables for unwinding. Sanitizers print stacks, and
# what is linked into somebody else's program is unwound (LLDCUDA_PIC_OPTIONS).
if(NOT LLDCUDA_SANITIZE AND NOT LLDCUDA_INCLUDE_FUZZERS)
  add_compile_options($<$<CONFIG:Release>:-fno-unwind-tables> $<$<CONFIG:Release>:-fno-asynchronous-unwind-tables>)
endif()
# How much is inlined doesn't depend on how many files are compiled at once.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=large-unit-insns=1000000)
endif()

set(LLDCUDA_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")
if(LLDCUDA_SANITIZE)
  add_compile_options(-fsanitize=${LLDCUDA_SANITIZE} -fno-sanitize=vptr -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LLDCUDA_SANITIZE})
  # Into every program; see there.
  add_library(lldCudaSanitizerOptions OBJECT "${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.cpp")
  link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:lldCudaSanitizerOptions>>)
  set(LLDCUDA_STATIC OFF)
endif()
# With clang CMake takes llvm-strip for `cmake --install --strip`, and that of LLVM 19 refuses what lld links statically ("Link field
# value 30 in section .rela.plt is not a symbol table").
if(CMAKE_STRIP MATCHES "llvm-strip" AND LLDCUDA_STATIC AND NOT CMAKE_CROSSCOMPILING AND NOT LLDCUDA_IN_LLVM)
  find_program(LLDCUDA_STRIP strip)
  mark_as_advanced(LLDCUDA_STRIP)
  if(LLDCUDA_STRIP)
    set(CMAKE_STRIP "${LLDCUDA_STRIP}")
  endif()
endif()
include(LldCudaHardening)
include(GNUInstallDirs)
if(LLDCUDA_IN_LLVM) # It would be LLVM's own.
  set(CMAKE_INSTALL_DOCDIR "${CMAKE_INSTALL_DATAROOTDIR}/doc/lld-cuda")
endif()

set(LLDCUDA_FUZZING_ENGINE "" CACHE STRING
  "What fuzz targets are linked to, e.g. $LIB_FUZZING_ENGINE of OSS-Fuzz, whose compiler flags are the caller's; empty: libFuzzer")
if(LLDCUDA_INCLUDE_FUZZERS)
  if(NOT LLDCUDA_FUZZING_ENGINE)
    if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      message(FATAL_ERROR "The fuzz targets need clang. On Debian: "
        "apt-get install clang-19 libclang-rt-19-dev, and -DCMAKE_CXX_COMPILER=clang++-19")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
  add_custom_target(${LLDCUDA_TARGET_PREFIX}fuzzers)
endif()

# Headers that are parsed once for all libraries; see there. Only for builds that
# are made again and again: ccache doesn't keep what includes them. Programs can't
# use them, since gcc compiles the few sources of their own with -fPIE.
option(LLDCUDA_PRECOMPILED_HEADERS "Parse the headers that most files include once" OFF)
if(LLDCUDA_PRECOMPILED_HEADERS)
  add_library(lldCudaPrecompiled OBJECT "${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp")
  target_precompile_headers(lldCudaPrecompiled PRIVATE "${PROJECT_SOURCE_DIR}/cmake/Precompiled.h")
endif()
function(lldcuda_precompiled_headers target)
  if(LLDCUDA_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM lldCudaPrecompiled)
  endif()
endfunction()

# LLVM's libraries for these components: one for each, or the one that has them all.
option(LLDCUDA_LLVM_DYLIB "Link to the shared libLLVM (with LLDCUDA_STATIC=OFF)" OFF)
if(LLDCUDA_LLVM_DYLIB AND LLDCUDA_STATIC)
  message(FATAL_ERROR "LLDCUDA_LLVM_DYLIB needs -DLLDCUDA_STATIC=OFF: a fully static program can't use libLLVM.so")
endif()
function(lldcuda_llvm_libraries result)
  if(NOT ARGN)
    set(_names)
  elseif(LLDCUDA_LLVM_DYLIB)
    set(_names LLVM zstd)  # LLVMSupport names Zstandard to those who link it, libLLVM doesn't
  else()
    llvm_map_components_to_libnames(_names ${ARGN})
  endif()
  set(${result} ${_names} PARENT_SCOPE)
endfunction()

# What takes no time in a link, or is needed by few of them, is compiled for size: reports, explanations, options. That code is a
# third smaller, the linker a tenth. A build with sanitizers or for fuzzing compiles everything in one way.
option(LLDCUDA_FOR_SIZE "In a release, compile for size what isn't for speed" ON)
function(lldcuda_for_size target)
  if(LLDCUDA_FOR_SIZE AND NOT LLDCUDA_SANITIZE AND NOT LLDCUDA_INCLUDE_FUZZERS)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os>)
  endif()
endfunction()

# A static library of the project, installed with its headers. SMALL: sources that are compiled for size.
function(lldcuda_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;SMALL;LINK;LLVM" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  lldcuda_precompiled_headers(${name})
  lldcuda_llvm_libraries(_llvm ${ARG_LLVM})
  set_property(GLOBAL APPEND PROPERTY LLDCUDA_LLVM_LIBRARIES ${_llvm})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${_llvm})
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:include>)
  string(REGEX REPLACE "^lldCuda" "" _export ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${_export})
  if(LLDCUDA_HARDENING)
    set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  set_property(GLOBAL APPEND PROPERTY LLDCUDA_LIBRARIES ${name})
  lldcuda_pic_library(${name} ${ARG_SOURCES})
  if(ARG_SMALL)
    foreach(_library ${name} ${name}Pic)
      lldcuda_small_part(${_library} ${ARG_SMALL})
      target_sources(${_library} PRIVATE $<TARGET_OBJECTS:${_library}Small>)
    endforeach()
  endif()
endfunction()

# Objects that are compiled for size, and else as the library's are.
function(lldcuda_small_part name)
  add_library(${name}Small OBJECT EXCLUDE_FROM_ALL ${ARGN})
  foreach(_property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS)
    set_target_properties(${name}Small PROPERTIES ${_property} "$<TARGET_PROPERTY:${name},${_property}>")
  endforeach()
  foreach(_property CXX_VISIBILITY_PRESET VISIBILITY_INLINES_HIDDEN POSITION_INDEPENDENT_CODE)
    get_target_property(_value ${name} ${_property})
    if(NOT _value MATCHES "NOTFOUND$")
      set_target_properties(${name}Small PROPERTIES ${_property} "${_value}")
    endif()
  endforeach()
  lldcuda_for_size(${name}Small)
  if(NOT LLDCUDA_FOR_SIZE AND NOT name MATCHES "Pic$") # With other options they can't be used.
    lldcuda_precompiled_headers(${name}Small)
  endif()
endfunction()

# The same sources once more, for shared libraries: position-independent, with nothing that others see. In a
# program of somebody else's a lack of memory is an error of one call. It unwinds as an exception, which frees
# what the call has taken; the code itself neither throws nor catches any.
set(LLDCUDA_PIC_OPTIONS -fexceptions -fasynchronous-unwind-tables -fvisibility=hidden -fvisibility-inlines-hidden)
# GCC's guesses at these are other ones with exceptions; the first build of the sources warns.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND LLDCUDA_PIC_OPTIONS -Wno-maybe-uninitialized)
endif()
function(lldcuda_pic_library name)
  get_target_property(_link ${name} LINK_LIBRARIES)
  list(TRANSFORM _link REPLACE "^(lldCuda.*)$" "\\1Pic")
  add_library(${name}Pic STATIC EXCLUDE_FROM_ALL ${ARGN})
  target_link_libraries(${name}Pic PUBLIC ${_link})
  target_include_directories(${name}Pic PRIVATE $<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${name}Pic PRIVATE $<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>)
  target_compile_options(${name}Pic PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${LLDCUDA_PIC_OPTIONS}>)
  set_target_properties(${name}Pic PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# Links a program fully static, if all are, and so that it may be loaded at any address. FIXED: a static one is loaded
# at one address, since it would have to change its own pages else before it begins.
function(lldcuda_link_program name)
  cmake_parse_arguments(ARG "FIXED" "" "" ${ARGN})
  if(LLDCUDA_STATIC AND (ARG_FIXED OR NOT LLDCUDA_PIE))
    target_link_options(${name} PRIVATE -static)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  elseif(LLDCUDA_PIE)
    target_link_options(${name} PRIVATE ${LLDCUDA_PIE})
  endif()
endfunction()

# Puts the functions that small links run (small-link-functions.txt in this folder, made by scripts/order-functions) side
# by side, where the linker can do that: the pages that a link touches are mapped in blocks.
function(lldcuda_order_functions name)
  set(_list "${CMAKE_CURRENT_SOURCE_DIR}/small-link-functions.txt")
  set(_script "${CMAKE_CURRENT_BINARY_DIR}/small-link-functions.ld")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_list}")
  file(STRINGS "${_list}" _functions)
  list(TRANSFORM _functions PREPEND "*(.text.")
  list(TRANSFORM _functions APPEND ")")
  list(JOIN _functions "\n" _functions)
  file(CONFIGURE OUTPUT "${_script}" CONTENT
    "SECTIONS { .text.first : {\n@_functions@\n} }\nINSERT BEFORE .text;\n" @ONLY)
  include(CheckLinkerFlag)
  check_linker_flag(CXX "LINKER:-T,${_script}" LLDCUDA_CAN_ORDER_FUNCTIONS)
  if(LLDCUDA_CAN_ORDER_FUNCTIONS)
    target_link_options(${name} PRIVATE "LINKER:-T,${_script}")
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${_script}")
  endif()
endfunction()

# A program of the project, without the code that nobody calls. COMPONENT says which package it belongs to (see
# LldCudaInstall), FIXED that it isn't loaded anywhere, LIBEXEC that it isn't for PATH.
function(lldcuda_program name)
  cmake_parse_arguments(ARG "FIXED;LIBEXEC" "COMPONENT" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_link_options(${name} PRIVATE -Wl,--gc-sections)
  if(ARG_FIXED)
    lldcuda_link_program(${name} FIXED)
  else()
    lldcuda_link_program(${name})
  endif()
  set(_folder bin)
  set(_destination "${CMAKE_INSTALL_BINDIR}")
  if(ARG_LIBEXEC)
    set(_folder libexec/lld-cuda)
    set(_destination "${CMAKE_INSTALL_LIBEXECDIR}/lld-cuda")
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${_folder}")
  lldcuda_installed_program(${name} ${ARG_COMPONENT} "${_destination}")
endfunction()

# One of the tools that are a program together, cubin-tools: the objects that this links. SMALL as for a library.
function(lldcuda_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;SMALL;LINK" ${ARGN})
  add_library(${name}-objects OBJECT ${ARG_SOURCES})
  lldcuda_precompiled_headers(${name}-objects)
  target_link_libraries(${name}-objects PUBLIC ${ARG_LINK})
  target_include_directories(${name}-objects PRIVATE "${PROJECT_SOURCE_DIR}/tools/cubin-tools")
  lldcuda_small_part(${name}-objects ${ARG_SMALL})
  set_property(GLOBAL APPEND PROPERTY LLDCUDA_TOOLS ${name})
  file(REMOVE "${PROJECT_BINARY_DIR}/maps/${name}.map") # Of a build when each was a program.
endfunction()

# Installs a program, and writes beside the build's programs what of which library is in it:
# THIRD_PARTY_NOTICES.txt is checked against that.
function(lldcuda_installed_program name component destination)
  set_property(GLOBAL APPEND PROPERTY LLDCUDA_PROGRAMS ${name})
  install(TARGETS ${name} RUNTIME DESTINATION "${destination}" COMPONENT ${component})
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/maps")
  target_link_options(${name} PRIVATE "LINKER:-Map=${PROJECT_BINARY_DIR}/maps/${name}.map")
endfunction()

# A second name of the linker, which behaves as its name says. Installed, those of
# LLDCUDA_NAMES_IN_BIN are beside the program, others are in libexec/lld-cuda/bin.
function(lldcuda_symlink name program)
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND "${CMAKE_COMMAND}" -E create_symlink ${program} "${PROJECT_BINARY_DIR}/bin/${name}"
    BYPRODUCTS "${PROJECT_BINARY_DIR}/bin/${name}")
  set_property(GLOBAL APPEND PROPERTY LLDCUDA_NAMES ${name})
endfunction()

# A GoogleTest program; its name ends in "Tests", by which lit finds it. LLVM's own tests have such names, too.
function(lldcuda_unittest name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  set(_googletest GTest::gtest GTest::gtest_main)
  if(LLDCUDA_IN_LLVM)
    set(_googletest llvm_gtest llvm_gtest_main)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${_googletest})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/unittests")
  set_property(GLOBAL APPEND PROPERTY LLDCUDA_UNITTESTS ${name})
endfunction()

# A libFuzzer target, built by `fuzzers`. TOOL: the tool whose sources are among SOURCES.
function(lldcuda_fuzzer name)
  cmake_parse_arguments(ARG "" "TOOL" "SOURCES;LINK" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(ARG_TOOL)
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tools/${ARG_TOOL}")
  endif()
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/lld-cuda")
  target_compile_definitions(${name} PRIVATE LLDCUDA_VERSION="${PROJECT_VERSION}")
  if(LLDCUDA_FUZZING_ENGINE)
    separate_arguments(_engine UNIX_COMMAND "${LLDCUDA_FUZZING_ENGINE}")
    target_link_libraries(${name} PRIVATE ${_engine})
  else()
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  add_dependencies(${LLDCUDA_TARGET_PREFIX}fuzzers ${name})
endfunction()
