# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stub.py HEADER: C source of a library that has the header's functions and nothing in them. Compiled with -g it tells
libabigail what the header declares."""
import re
import sys

header = open(sys.argv[1]).read()
print(f'#include "{sys.argv[1]}"')
for declaration in re.findall(r"^LLDCUDA_API ([^;]*);", re.sub(r"/\*.*?\*/", "", header, flags=re.S), flags=re.M):
    print(declaration, "{ __builtin_trap(); }")
