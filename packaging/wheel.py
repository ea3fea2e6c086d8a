#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the wheel of the Python package out of a build: no network, no other package, the same bytes each time.

usage: wheel.py PREFIX VERSION EPOCH OUT [BILL]

PREFIX has the component "python" of the installation; it becomes the package's folder _prefix. What is said
about the package is in bindings/python/pyproject.toml. EPOCH is the time of all files. BILL is a bill of
materials to put in. Prints the wheel's path; sizes(wheel) tells them file by file.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import time
import tomllib
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
PACKAGE = SOURCE / "bindings" / "python"
FIRST_YEAR = 315532800  # 1980, before which a zip file knows no times


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def platform_tag(prefix):
    """manylinux_2_X: the newest symbol version that shared objects take from glibc. Static programs take none,
    and cubins aren't for this processor."""
    machines, newest = set(), 17
    for path in sorted(prefix.rglob("*")):
        if not path.is_file() or not is_elf(path) or path.suffix == ".cubin":
            continue
        header = subprocess.run(["readelf", "-W", "-h", "--version-info", path], check=True, capture_output=True, text=True).stdout
        machines.add({"X86-64": "x86_64", "AArch64": "aarch64"}[re.search(r"Machine:.*?(X86-64|AArch64)", header)[1]])
        newest = max([newest, *(int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", header))])
    machine, = machines
    return f"manylinux_2_{newest}_{machine}"


def metadata(project, version):
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {version}", f"Summary: {project['description']}",
             f"Keywords: {','.join(project['keywords'])}", f"License-Expression: {project['license']}"]
    lines += [f"License-File: {name}" for name in project["license-files"]]
    lines += [f"Classifier: {name}" for name in project["classifiers"]]
    lines += [f"Requires-Python: {project['requires-python']}", "Description-Content-Type: text/markdown", ""]
    return "\n".join(lines) + "\n" + (PACKAGE / project["readme"]).read_text()


def files_of(prefix, project, version, tag, bill):
    """Pairs (name in the wheel, (bytes, may be run)), but for RECORD."""
    files = {}
    for path in sorted((PACKAGE / "src").rglob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            files[str(path.relative_to(PACKAGE / "src"))] = (path.read_bytes(), False)
    for path in sorted(prefix.rglob("*")):
        if path.is_file():
            is_run = bool(path.stat().st_mode & 0o100)
            files[f"lld_cuda/_prefix/{path.relative_to(prefix)}"] = (path.read_bytes(), is_run)
    info = f"lld_cuda-{version}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: lld-cuda {version}\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"
    scripts = "[console_scripts]\n" + "".join(f"{name} = {target}\n" for name, target in project["scripts"].items())
    texts = {"METADATA": metadata(project, version), "WHEEL": wheel, "entry_points.txt": scripts}
    for name in project["license-files"]:
        texts[f"licenses/{name}"] = (PACKAGE / name).read_text()
    if bill:
        texts[f"sboms/{Path(bill).name}"] = Path(bill).read_text()
    return info, {**files, **{f"{info}/{name}": (text.encode(), False) for name, text in texts.items()}}


def make_wheel(prefix, version, epoch, out, bill=None, level=9):
    with open(PACKAGE / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    tag = platform_tag(prefix)
    info, files = files_of(prefix, project, version, tag, bill)
    record = ""
    for name, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), False)
    target = Path(out) / f"lld_cuda-{version}-py3-none-{tag}.whl"
    moment = time.gmtime(max(int(epoch), FIRST_YEAR))[:6]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, is_run) in files.items():
            entry = zipfile.ZipInfo(name, moment)
            entry.create_system = 3  # Unix, so that modes count
            entry.external_attr = (0o100755 if is_run else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, level)
    return target


def sizes(wheel):
    """Lines: bytes in the wheel and unpacked, largest first; small ones as one."""
    with zipfile.ZipFile(wheel) as archive:
        entries = sorted(archive.infolist(), key=lambda entry: -entry.compress_size)
    large = [entry for entry in entries if entry.compress_size >= 20_000]
    rows = [(entry.compress_size, entry.file_size, entry.filename) for entry in large]
    others = entries[len(large):]
    rows.append((sum(entry.compress_size for entry in others), sum(entry.file_size for entry in others), f"{len(others)} others"))
    return [f"{packed:>12,} {unpacked:>12,}  {name}" for packed, unpacked, name in rows]


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    prefix, version, epoch, out, *bill = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    print(make_wheel(Path(prefix), version, epoch, out, *bill))


if __name__ == "__main__":
    main()
