# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shrink.py LINKER CUBIN DIRECTORY: cuts an input while it is linked."""

import os
import subprocess
import sys

linker, cubin, directory = sys.argv[1:]
os.chdir(directory)
with open(cubin, "rb") as file:
    data = file.read()
with open("large.cubin", "wb") as file:
    file.write(data + bytes(1 << 20))
os.mkfifo("pipe.cubin")
link = subprocess.Popen([linker, "-arch=sm_90", "large.cubin", "pipe.cubin", "-o", "out"],
                        stderr=subprocess.STDOUT)
with open("pipe.cubin", "wb") as pipe:  # Returns when the link has opened it.
    os.truncate("large.cubin", 0)
    pipe.write(data)
print("exit status", link.wait(), flush=True)
