# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sound files that the adversary puts something else in place of."""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT / "test" / "corpus" / "Inputs"
sys.path.insert(0, str(ROOT / "utils" / "hostile"))
import containers  # noqa: E402  pylint: disable=wrong-import-position

BITCODE = """target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel() { ret void }
"""
SCRIPT = "#!/bin/sh\necho started\n"
NVLINK = ("#!/bin/sh\necho 'nvlink: NVIDIA (R) Cuda linker'\n"
          "echo 'Cuda compilation tools, release 13.0, V13.0.88'\n")
POLICY = '["all"]\nid = "no-code"\nreason = "tried"\n'
BUDGET = '["*"]\nregisters = 255\n'


def nested_archive(levels):
    data = b"x"
    for _ in range(levels):
        data = containers.archive([containers.member(b"inner.a/", data)])
    return data


def nested_fatbin(levels):
    data = b"x"
    for _ in range(levels):
        data = containers.fatbin([containers.entry(data, 90)])
    return data


def nested_folder(folder, levels):
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=here)
        there = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = there
    os.close(here)


#: What is nested in itself, by suffix: bytes, or a function of the folder.
NESTED = {
    ".o": lambda: nested_fatbin(400),
    ".cubin": lambda: nested_fatbin(400),
    ".fatbin": lambda: nested_fatbin(400),
    ".so": lambda: nested_archive(2000),
    ".a": lambda: nested_archive(2000),
    ".json": lambda: b"[" * 50000,
    ".toml": lambda: b'["*"]\nregisters = ' + b"[" * 50000,
    ".whl": lambda: nested_zip(200),
    ".tar": lambda: nested_tar(50),
}


def nested_zip(levels):
    data = b"x"
    for _ in range(levels):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            file.writestr("inner.whl", data)
        data = out.getvalue()
    return data


def nested_tar(levels):
    data = b"x"
    for _ in range(levels):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as file:
            header = tarfile.TarInfo("response.txt")
            header.size = len(data)
            file.addfile(header, io.BytesIO(data))
        data = out.getvalue()
    return data


def lto_job(command, data, size, output):
    words = [command, "data", data, "input", "bitcode", "0", str(size), data, "output", output]
    return "\0".join(words).encode() + b"\0"


def shared_object(kernel, function):
    """A library with fatbins, by sections alone."""
    fatbin = containers.fatbin([containers.entry(kernel, 90), containers.entry(function, 80)])
    return containers.host_object([(b".nv_fatbin", fatbin), (b"__nv_relfatbin", fatbin)])


def make(folder, programs):
    """Writes all of them into a folder; programs: {name: path}."""
    folder = Path(folder)
    folder.mkdir()

    def write(name, data, mode=0o644):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        path.chmod(mode)

    def run(*words):
        subprocess.run([programs[words[0]], *words[1:]], cwd=folder, check=True, capture_output=True,
                       stdin=subprocess.DEVNULL)

    for part in ("kernel", "function"):
        source = f"calls-{part}"
        write(f"{part}.cubin", (CORPUS / f"calls/{source}.sm_90.cubin").read_bytes())
        write(f"{part}.o", (CORPUS / f"calls/{source}.sm_75+sm_80+sm_90.o").read_bytes())
        write(f"{part}.fatbin", (CORPUS / f"calls/{source}.sm_75+sm_80+sm_90.concat.fatbin").read_bytes())
    read = {path.name: path.read_bytes() for path in folder.iterdir()}
    write("libfunction.a", containers.archive([containers.member(b"function.o/", read["function.o"])]))
    write("options.txt", "--preserve-relocs\n")
    write("patterns.txt", "first\n")
    write("budget.toml", BUDGET)
    write("symbols.map", "{ global: _Z1*; local: *; };\n")
    write("kernels.txt", "first\nsecond\n")
    write("policy.toml", POLICY)
    write("program.so", shared_object(read["kernel.cubin"], (CORPUS / "calls/calls-function.sm_80.cubin").read_bytes()))
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("package/program.so", (folder / "program.so").read_bytes())
    write("package.whl", wheel.getvalue())
    write("tree/program.so", (folder / "program.so").read_bytes())
    write("command", SCRIPT, 0o755)
    run("ld.cuda", "-arch=sm_90", "kernel.cubin", "function.cubin", "-o", "linked.cubin",
        "--resource-report=report.json", "--reproduce=good.tar")
    run("ld.cuda", "-arch=sm_80", "kernel.o", "function.o", "-o", "linked80.cubin")
    # One that fails, for reproducer shrink, with little to shrink: an object without a machine.
    subprocess.run([programs["ld.cuda"], "-arch=sm_90", "kernel.cubin", "-o", "x", "--reproduce=bad.tar"],
                   cwd=folder, capture_output=True, check=False)
    write("cuda/bin/nvlink", NVLINK, 0o755)
    for program in ("nvcc", "ptxas"):
        write(f"cuda/bin/{program}", f"#!/bin/sh\necho '{program}: this is not done here'\nexit 1\n", 0o755)
    run("lld-cuda-toolkit", "--cuda-path=cuda", "made")
    if shutil.which("llvm-as"):
        subprocess.run(["llvm-as", "-o", folder / "kernel.bc"], input=BITCODE.encode(), check=True)
        size = (folder / "kernel.bc").stat().st_size
        write("symbols.job", lto_job("symbols", "kernel.bc", size, "symbols.out"))
    json.loads((folder / "report.json").read_text())
    return folder
