# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Releases: those that Releases.def has, and what a toolkit says of itself."""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROW = re.compile(r'RELEASE\((\w+),\s*"([\d.]+)",\s*(\d+),\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)",\s*(\d+),\s*(\d+),\s*(\w+)\)')
FIELDS = ("id", "name", "toolkit", "version", "build", "built_on", "copyright", "ptx", "finalizer")

MODULE = """.version {version}
.target {target}
.address_size 64
.visible .entry kernel() {{ ret; }}
"""


@dataclass
class Identity:
    name: str = "unknown"
    version: str = ""
    build: str = ""
    built_on: str = ""
    copyright: str = ""


def read_releases(table: Path) -> list[dict[str, str]]:
    return [dict(zip(FIELDS, found)) for found in ROW.findall(table.read_text())]


def find(known: list[dict[str, str]], name: str) -> dict[str, str] | None:
    fitting = [row for row in known if row["name"] == name or row["name"].rsplit(".", 1)[0] == name]
    return fitting[-1] if fitting else None


def output_of(words: list[str], folder: Path | None = None) -> tuple[int, str]:
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def identify(toolkit, tools) -> Identity:
    """By what nvlink says: its version, and its record in an output's note, which is what links need."""
    text = output_of([toolkit.tool("nvlink"), "--version"])[1]
    identity = Identity()
    for field, pattern in (("version", r"^(Cuda compilation tools, .*)$"), ("build", r"^(Build .*)$"),
                           ("built_on", r"^Built on (.*)$"), ("copyright", r"\(c\) \d+-(\d+)")):
        if found := re.search(pattern, text, re.M):
            setattr(identity, field, found[1])
    if found := re.search(r"V(\d+\.\d+\.\d+)", identity.version):
        identity.name = found[1]
    with tempfile.TemporaryDirectory() as name:
        dump = linked_dump(toolkit, tools, Path(name), "9.0", "sm_90")
    if found := re.search(r'tool="nvlink" tool_version="([^"]*)" build="([^"]*)"', dump):
        identity.version, identity.build = found[1], found[2]
    return identity


def compiles(toolkit, folder: Path, version: str, target: str) -> bool:
    (folder / "module.ptx").write_text(MODULE.format(version=version, target=target))
    return output_of([toolkit.tool("ptxas"), f"-arch={target}", "-c", "module.ptx", "-o", "module.cubin"], folder)[0] == 0


def linked_dump(toolkit, tools, folder: Path, version: str, target: str) -> str:
    """What cubin-dump says of the toolkit's smallest link; empty if there is none."""
    if not compiles(toolkit, folder, version, target):
        return ""
    if output_of([toolkit.tool("nvlink"), f"-arch={target}", "module.cubin", "-o", "linked.cubin"], folder)[0] != 0:
        return ""
    return output_of([str(tools.cubin_dump), "linked.cubin"], folder)[1]


def newest_ptx(toolkit, folder: Path, first: int) -> int:
    """Times ten.  Versions were left out now and then, but never three."""
    newest = first
    for number in range(first, first + 40):
        if number > newest + 3:
            break
        if compiles(toolkit, folder, f"{number // 10}.{number % 10}", "sm_90"):
            newest = number
    return newest


def row(identity: Identity, toolkit, tools, newest: dict[str, str]) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ptx = newest_ptx(toolkit, folder, int(newest["ptx"]))
        dump = linked_dump(toolkit, tools, folder, "9.0", "sm_100")
    number = re.search(r"CUDA_CUINFO .*toolkit=(\d+)", dump)
    finalizer = re.search(r"FINALIZER_VERSION value=(\w+)", dump)
    parts = identity.name.split(".")
    toolkit_number = number[1] if number else "".join(parts[:2])
    return (f'RELEASE(V{"_".join(parts)}, "{identity.name}", {toolkit_number},\n'
            f'        "{identity.version}",\n        "{identity.build}",\n'
            f'        "{identity.built_on}", {identity.copyright or 0}, {ptx}, {finalizer[1] if finalizer else 0})')
