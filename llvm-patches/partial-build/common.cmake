# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the partial builds of all versions of LLVM have in common. Before it is
# included these are set:
#
#   includes            folders of headers, the source's own before those of the
#                       libraries; generated headers are only among the latter
#   tablegen_program    a tablegen that knows option tables
#   tablegen_target     the target that it is, if it is built here
#   driver_template     LLVM's llvm-driver-template.cpp.in
#   link_llvm()         link_llvm(TARGET COMPONENTS...): LLVM's libraries

if(NOT EXISTS "${LLVM_SOURCE}/llvm/include/llvm/BinaryFormat/ELF.h")
  message(FATAL_ERROR "LLVM_SOURCE isn't a source tree of LLVM: ${LLVM_SOURCE}")
endif()

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Tests need assertions more than speed, but the ABI of the installed libraries is
# that of a build without.
set(CMAKE_CXX_FLAGS_RELEASE "-O0 -DNDEBUG")
add_compile_options(-fno-exceptions -w)

# Two targets are enough for the tests; the installed lists name all of them, which
# makes each tool 100 MB.
set(own_include "${CMAKE_BINARY_DIR}/include")
foreach(kind Targets:TARGET AsmPrinters:ASM_PRINTER AsmParsers:ASM_PARSER
        Disassemblers:DISASSEMBLER TargetExegesis:EXEGESIS TargetMCAs:TARGETMCA)
  string(REPLACE ":" ";" kind ${kind})
  list(GET kind 0 file)
  list(GET kind 1 macro)
  set(targets X86 NVPTX)
  if(NOT file MATCHES "^(Targets|AsmPrinters)$")
    set(targets X86) # of the two, only it has these
  endif()
  set(text "#ifndef LLVM_${macro}\n#error define LLVM_${macro}\n#endif\n")
  foreach(target ${targets})
    string(APPEND text "LLVM_${macro}(${target})\n")
  endforeach()
  string(APPEND text "#undef LLVM_${macro}\n")
  file(CONFIGURE OUTPUT "${own_include}/llvm/Config/${file}.def" CONTENT "${text}")
endforeach()
# Not installed; of its macros, only HAVE_LIBXAR is asked for.
file(CONFIGURE OUTPUT "${own_include}/llvm/Config/config.h" CONTENT "")
list(PREPEND includes "${own_include}")

function(option_table target source name)
  get_filename_component(dir "${source}" DIRECTORY)
  set(output "${CMAKE_BINARY_DIR}/options/${target}/${name}.inc")
  add_custom_command(OUTPUT "${output}" DEPENDS "${source}" ${tablegen_target}
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_BINARY_DIR}/options/${target}"
    COMMAND ${tablegen_program} -gen-opt-parser-defs -I "${dir}" -I "${LLVM_SOURCE}/llvm/include"
            "${source}" -o "${output}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  target_include_directories(${target} BEFORE PRIVATE "${CMAKE_BINARY_DIR}/options/${target}")
endfunction()

# The files of the libraries that the patches change, with all that includes a
# changed class. An object stands before the library on the link line, so the
# library's member of the same name is never taken.
function(add_patched_files)
  set(lib "${LLVM_SOURCE}/llvm/lib")
  add_library(patched OBJECT
    ${lib}/Object/ELF.cpp
    ${lib}/Object/ELFObjectFile.cpp
    ${lib}/ObjectYAML/ELFYAML.cpp
    ${lib}/ObjectYAML/ELFEmitter.cpp
    ${lib}/ObjectYAML/ObjectYAML.cpp
    ${lib}/ObjectYAML/yaml2obj.cpp
    ${lib}/ObjCopy/ObjCopy.cpp
    ${lib}/ObjCopy/ELF/ELFObjcopy.cpp)
  target_include_directories(patched PRIVATE ${includes} ${lib}/ObjCopy)
endfunction()

# add_tool(NAME [MAIN] DIR folder [COMPONENTS...] SOURCES files... OPTIONS tables...)
function(add_tool name)
  cmake_parse_arguments(ARG "MAIN" "DIR" "COMPONENTS;SOURCES;OPTIONS" ${ARGN})
  set(dir "${LLVM_SOURCE}/${ARG_DIR}")
  list(TRANSFORM ARG_SOURCES PREPEND "${dir}/")
  if(ARG_MAIN) # the tool's file defines <name>_main only
    string(REPLACE "-" "_" TOOL_NAME ${name})
    set(INITLLVM_ARGS "")
    configure_file("${driver_template}"
                   "${CMAKE_BINARY_DIR}/${name}-main.cpp")
    list(APPEND ARG_SOURCES "${CMAKE_BINARY_DIR}/${name}-main.cpp")
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE "${dir}" ${includes})
  foreach(table ${ARG_OPTIONS})
    option_table(${name} "${dir}/${table}.td" ${table})
  endforeach()
  if(ARG_COMPONENTS)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:patched>)
    link_llvm(${name} objectyaml objcopy ${ARG_COMPONENTS})
  endif()
endfunction()

# Another name of a tool.
function(add_tool_name name tool)
  add_custom_command(TARGET ${tool} POST_BUILD COMMAND "${CMAKE_COMMAND}" -E
    create_symlink ${tool} "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name}" VERBATIM)
endfunction()
