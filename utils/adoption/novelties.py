# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a toolkit has that ours, or an older toolkit, hasn't: options, architectures, headers, parts of object files."""

import difflib
import re
from dataclasses import dataclass
from pathlib import Path

from .release import output_of

PROGRAMS = ("nvlink", "ptxas", "fatbinary", "nvcc", "cuobjdump", "nvdisasm")

# Of all headers, those that say something about device links, fatbins and what host code embeds.
HEADERS = ("include/fatbinary_section.h", "include/fatBinaryCtl.h", "include/nvJitLink.h", "include/nvFatbin.h", "include/nvvm.h",
           "include/cuda_device_runtime_api.h", "include/crt/host_runtime.h", "bin/crt/link.stub", "bin/crt/prelink.stub")
MOST_LINES = 12


@dataclass
class Tools:
    linker: Path
    cubin_dump: Path
    cubin_diff: Path


def options_of(program: str) -> dict[str, str]:
    """Options by their long names, with short ones, as --help has them."""
    text = output_of([program, "--help"])[1]
    result = {}
    for line in text.splitlines():
        if found := re.match(r"\s*(--[\w-]+)(.*)", line):
            short = re.search(r"\((-[\w-]+)\)|, (-[\w-]+)$", found[2])
            result[found[1]] = (short[1] or short[2]) if short else ""
    return result


def architectures_of(program: str) -> set[str]:
    return set(re.findall(r"'((?:sm|compute|lto)_\d+[af]?)'", output_of([program, "--help"])[1]))


def knows_architecture(tools: Tools, name: str) -> bool:
    """Ours says what it lacks before it opens anything."""
    return "input" in output_of([str(tools.linker), f"-arch={name}", "no-such-file", "-o", "no-such-output"])[1].lower()


def tell(title: str, lines: list[str]) -> None:
    if lines:
        print(f"{title}\n\n" + "\n".join(f"    {line}" for line in lines) + "\n")


def tell_options(toolkit, previous, tools: Tools) -> None:
    theirs, ours = options_of(toolkit.tool("nvlink")), options_of(str(tools.linker))
    tell("Options of nvlink that ours hasn't:", [f"{name} {theirs[name]}".strip() for name in sorted(theirs) if name not in ours])
    tell("Architectures that ours doesn't know:", sorted(
        name for name in architectures_of(toolkit.tool("nvlink")) if name.startswith("sm_") and not knows_architecture(tools, name)))
    if previous is None:
        return
    for program in PROGRAMS:
        new, old = toolkit.tool(program), previous.tool(program)
        if not new or not old:
            continue
        first, second = options_of(old), options_of(new)
        tell(f"Options of {program}, new (+) and gone (-):",
             [f"+ {name} {second[name]}".rstrip() for name in sorted(second) if name not in first]
             + [f"- {name}" for name in sorted(first) if name not in second])
    for header in HEADERS:
        tell_header(header, previous.root / header, toolkit.root / header)


def tell_header(name: str, old: Path, new: Path) -> None:
    if not old.exists() or not new.exists():
        if old.exists() != new.exists():
            print(f"{name} is {'new' if new.exists() else 'gone'}.\n")
        return
    # Each release has its own names of the same functions: __nvJitLinkCreate_13_4.
    texts = [re.sub(r"_\d+_\d+\b", "_M_N", path.read_text(errors="replace")).splitlines() for path in (old, new)]
    lines = [line for line in difflib.unified_diff(*texts, n=0, lineterm="") if re.match(r"[+-](?![+-])\s*[^\s/*]", line)]
    tell(f"{name}:", lines[:MOST_LINES] + ([f"... and {len(lines) - MOST_LINES} lines more"] if len(lines) > MOST_LINES else []))


def tell_objects(found, before) -> None:
    tell("In objects and outputs, of unknown meaning:", sorted(found.unknown))
    lines = [f"{text}    ({count})" for text, count in found.messages.most_common() if not before or text not in before.messages]
    tell("Messages of nvlink that ours hasn't (-), of ours that nvlink hasn't (+), and in how many links:", lines)
