#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What nvcc does with its profile: calls the nvlink that it then finds.

The folder of the profile is that of the path by which this is called.
"""

import os
import re
import shutil
import subprocess
import sys

called = sys.argv[0] if "/" in sys.argv[0] else shutil.which(sys.argv[0])
here = os.path.dirname(called)
values = {"_HERE_": here, "_SPACE_": " ", "PATH": os.environ["PATH"], "_TARGET_DIR_": ""}
if os.path.isdir(f"{here}/../targets/x86_64-linux"):
    values["_TARGET_DIR_"] = "targets/x86_64-linux"


def expand(text):
    return re.sub(r"\$\((\w+)\)", lambda found: values.get(found[1], ""), text)


with open(f"{here}/nvcc.profile") as profile:
    for line in profile:
        if found := re.match(r"(\w+)\s*(=\+|\+=|=)\s*(.*)", line.split("#")[0]):
            name, operator, text = found[1], found[2], expand(found[3].strip())
            old = values.get(name, "")
            values[name] = {"=": text, "+=": text + old, "=+": old + text}[operator]
for name in ("nvlink", "cicc"):
    print(f"{name}: {os.path.realpath(shutil.which(name, path=values['PATH']))}")
for folder in re.findall(r'-L([^"\s]+)', values["LIBRARIES"]):
    print("libcudadevrt.a:", os.path.realpath(f"{folder}/libcudadevrt.a"))
print("libdevice:", os.path.realpath(values["NVVMIR_LIBRARY_DIR"]))
sys.stdout.flush()
sys.exit(subprocess.run(["nvlink", "--version"], env=os.environ | {"PATH": values["PATH"]}).returncode)
