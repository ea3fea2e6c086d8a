# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""status.py STATUS COMMAND...: does the command end with that status?"""

import subprocess
import sys

status = subprocess.run(sys.argv[2:], check=False).returncode
if status != int(sys.argv[1]):
    sys.exit(f"status {status}")
