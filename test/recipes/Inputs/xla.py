# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""xla.py INPUTS: what XLA does with the nvlink of the CUDA directory that XLA_FLAGS names, in its order."""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

directory = re.search(r"--xla_gpu_cuda_data_dir=(\S+)", os.environ["XLA_FLAGS"])[1]
inputs = Path(sys.argv[1])
nvlink = f"{directory}/bin/nvlink"


def link(images, folder):
    """Inputs end with .cubin; the output has a name without an extension, and isn't there before."""
    files = []
    for i, image in enumerate(images):
        files.append(f"{folder}/input-{i}.cubin")
        Path(files[-1]).write_bytes(image)
    output = f"{folder}/output"
    result = subprocess.run([nvlink, "-arch=sm_90a", *files, "-o", output], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    return result, Path(output)


said = subprocess.run([nvlink, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
print("nvlink has version", ".".join(re.search(r"\bV(\d+)\.(\d+)\.(\d+)\b", said).groups()))
parts = [(inputs / f"calls/calls-{name}.sm_90a.cubin").read_bytes() for name in ("kernel", "function")]


def one(_):
    with tempfile.TemporaryDirectory() as folder:
        result, output = link(parts, folder)
        assert result.returncode == 0, result.stderr
        return output.read_bytes()


with concurrent.futures.ThreadPoolExecutor(8) as pool:
    images = set(pool.map(one, range(8)))
(image,) = images
with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
    file.write(image)
    file.flush()
    symbols = subprocess.run(["cubin-dump", "--symbols", file.name], stdout=subprocess.PIPE, text=True, check=True).stdout
print("8 links at once: equal,", "the kernel is in them" if re.search("type=FUNC.*ENTRY", symbols) else "without a kernel")
with tempfile.TemporaryDirectory() as folder:
    result, output = link(parts[:1], folder)
    told = result.stderr and not output.exists()
    print("a failing link:", "an error," if result.returncode else "status 0,", "with a message" if told else "without a message")
