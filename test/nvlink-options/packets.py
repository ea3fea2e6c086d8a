# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""packets.py PROGRAM ...: what it writes to standard error, and in how many calls."""

import os
import subprocess
import sys

# Such a pipe keeps calls apart.
reader, writer = os.pipe2(os.O_DIRECT)
process = subprocess.Popen(sys.argv[1:], stderr=writer)
os.close(writer)
packets = list(iter(lambda: os.read(reader, 1 << 16), b""))
sys.stdout.write(b"".join(packets).decode())
print(len(packets), "writes")
sys.exit(process.wait())
