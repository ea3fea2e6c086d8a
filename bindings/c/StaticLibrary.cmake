# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# liblld-cuda.a: the shared library's parts as one object, in which nothing but the functions of lldcuda.h has a name
# for others: programs may have another LLVM, and another C++ library. What it consists of the map of the shared
# library's link tells.
#   cmake -DMAP=FILE -DSYMBOLS=lldcuda.map -DWRAPPED=NAME,... -DLD=... -DOBJCOPY=... -DNM=... -DAR=... -DOUT=FILE -P StaticLibrary.cmake

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE _status)
  if(NOT _status EQUAL 0)
    message(FATAL_ERROR "${OUT}: ${ARGN}: ${_status}")
  endif()
endfunction()

# Each name of the interface; what they need comes with them.
file(STRINGS "${SYMBOLS}" _names REGEX "^ *lldcuda_[a-z_]+;")
list(TRANSFORM _names REPLACE "[ ;]" "")
set(_words)
foreach(_name IN LISTS _names)
  list(APPEND _words --undefined=${_name})
endforeach()
list(GET _names 0 _first)
string(REPLACE "," ";" WRAPPED "${WRAPPED}")
foreach(_function IN LISTS WRAPPED)
  list(APPEND _words --wrap=${_function})
endforeach()

# All but the C library and what a shared object begins and ends with.
file(STRINGS "${MAP}" _inputs REGEX "^LOAD .*\\.(o|a)$")
list(TRANSFORM _inputs REPLACE "^LOAD " "")
list(REMOVE_DUPLICATES _inputs)
list(FILTER _inputs EXCLUDE REGEX "/(crt[^/]*\\.o|lib(c|m|mvec|dl|rt|pthread|c_nonshared|m-[0-9.]+)\\.a)$")

# Groups are those of this object alone: a program that has one of them, too, must not have it taken out of here.
run("${LD}" -r --force-group-allocation --gc-sections --entry=${_first} ${_words} -o "${OUT}.o" --start-group ${_inputs} --end-group)
run("${OBJCOPY}" --wildcard --localize-symbol=!lldcuda_* --localize-symbol=* --strip-unneeded "${OUT}.o")
# Those that are to be one in a process (STB_GNU_UNIQUE) can't become local; they get names of their own.
execute_process(COMMAND "${NM}" --defined-only --extern-only --format=posix "${OUT}.o" OUTPUT_VARIABLE _symbols)
string(REGEX MATCHALL "[^\n]+" _symbols "${_symbols}")
list(FILTER _symbols INCLUDE REGEX "^[^ ]+ u ")
set(_words)
foreach(_symbol IN LISTS _symbols)
  string(REGEX REPLACE " .*" "" _symbol "${_symbol}")
  list(APPEND _words "--redefine-sym=${_symbol}=lldcuda.${_symbol}")
endforeach()
if(_words)
  run("${OBJCOPY}" ${_words} "${OUT}.o")
endif()
file(REMOVE "${OUT}")
run("${AR}" qcD "${OUT}" "${OUT}.o")
run("${AR}" sD "${OUT}")
file(REMOVE "${OUT}.o")
