# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""paths.py LLD-CUDA INPUTS DIR NVLINK: the linker, a toolkit and the inputs in folders with odd names."""

import os
import shutil
import subprocess
import sys

linker, inputs, directory, nvlink = sys.argv[1:]
install = os.path.dirname(os.path.dirname(os.path.realpath(linker)))

for what, name in (("blank", "a b"), ("newline", "a\nb"), ("colon", "a:b"), ("dollar", "$LIB"), ("quotes", "a'\"b")):
    folder = os.path.join(directory, name)
    for place in ("bin", "lib/lld-cuda", "cuda/bin", "tmp"):
        os.makedirs(os.path.join(folder, place))
    shutil.copy(linker, os.path.join(folder, "bin", "lld-cuda"))
    hook = "lib/lld-cuda/liblld-cuda-run.so"
    shutil.copy(os.path.join(install, hook), os.path.join(folder, hook))
    shutil.copy(nvlink, os.path.join(folder, "cuda/bin/nvlink"))
    os.chmod(os.path.join(folder, "cuda/bin/nvlink"), 0o755)
    words = []
    for part in ("kernel", "function"):
        words.append(os.path.join(folder, part + ".cubin"))
        shutil.copy(os.path.join(inputs, f"calls/calls-{part}.sm_90.cubin"), words[-1])
    out = os.path.join(folder, "out.cubin")
    done = subprocess.run(
        [os.path.join(folder, "bin/lld-cuda"), "--run", "sh", "-c", '"$0" "$@"', os.path.join(folder, "cuda/bin/nvlink"),
         "-arch=sm_90", *words, "-o", out], env={**os.environ, "TMPDIR": os.path.join(folder, "tmp")},
        capture_output=True, text=True, errors="replace")
    linked = done.returncode == 0 and os.path.exists(out) and not done.stderr and not os.listdir(folder + "/tmp")
    print(f"{what}: " + ("linked" if linked else f"status {done.returncode}: {done.stdout}{done.stderr}"))
