# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""image.py CONTEXT ROOT TOOLKIT: the first image of CONTEXT/Dockerfile, made in ROOT, in a mount namespace of this process."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

context, root, toolkit = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3]


def inside(path):
    return root / str(path).lstrip("/")


def base():
    """FROM: an image with the system's programs and CUDA."""
    for name in ("usr", "etc", "dev", "proc", toolkit):
        inside(name).mkdir(parents=True, exist_ok=True)
        if not (name == toolkit and toolkit.startswith("/usr/")):
            subprocess.run(["mount", "--rbind", f"/{str(name).lstrip('/')}", inside(name)], check=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        if os.path.islink(f"/{name}"):
            inside(name).symlink_to(os.readlink(f"/{name}"))
        elif os.path.isdir(f"/{name}"):
            inside(name).mkdir()
            subprocess.run(["mount", "--rbind", f"/{name}", inside(name)], check=True)
    inside("tmp").mkdir()


folder = "/"
for line in (context / "Dockerfile").read_text().split("\n\n")[0].splitlines():
    print(line, flush=True)
    word, _, rest = line.partition(" ")
    if word == "FROM":
        base()
    elif word == "ADD":
        archive, target = rest.split()
        inside(target).mkdir(parents=True, exist_ok=True)
        subprocess.run(["tar", "-xf", context / archive, "-C", inside(target)], check=True)
    elif word == "COPY":
        shutil.copytree(context / rest.split()[0], inside(rest.split()[1]))
    elif word == "WORKDIR":
        folder = rest
    elif word == "RUN":
        subprocess.run(["sh", "-c", rest], check=True, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                       preexec_fn=lambda: (os.chroot(root), os.chdir(folder)),
                       env={"PATH": f"{toolkit}/bin:/usr/bin:/bin", "HOME": "/"})
    else:
        sys.exit(f"unknown: {line}")
