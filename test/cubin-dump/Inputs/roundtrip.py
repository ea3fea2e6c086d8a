# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sends cubins through `cubin-dump --yaml` and yaml2obj; the result must be the
same file. Arguments: a work directory, then cubins or directories of them."""
import pathlib
import re
import subprocess
import sys


def roundtrip(path, work):
    yaml = subprocess.run(["cubin-dump", "--yaml", path], stdout=subprocess.PIPE, check=True).stdout
    copy = work / "copy.cubin"
    subprocess.run(["yaml2obj", "-", "-o", copy], input=yaml, check=True)
    for command in re.findall(rb"^#   (printf .*)$", yaml, re.M):
        command = command.decode().replace("of=FILE", f"of='{copy}' 2>/dev/null")
        subprocess.run(command, shell=True, check=True)
    assert copy.read_bytes() == path.read_bytes(), path


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    cubins = []
    for name in sys.argv[2:]:
        path = pathlib.Path(name)
        cubins += sorted(path.rglob("*.cubin")) if path.is_dir() else [path]
    cubins = [c for c in cubins if c.read_bytes()[:4] == b"\x7fELF"]
    assert cubins
    for cubin in cubins:
        roundtrip(cubin, work)


main()
