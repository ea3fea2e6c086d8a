# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case: source files and commands that build inputs and link them.

On disk a case is a folder with the sources, `case.json`, which this module reads again, and `cmd`,
a shell script for people, whose variables name the tools.
"""

import json
import shlex
from dataclasses import asdict, dataclass, field
from pathlib import Path

# Stand in arguments for paths of the machine: the toolkit's libraries, and the folder for -nvvmpath.
LIBRARIES, NVVM = "@libraries@", "@nvvm@"


@dataclass
class Command:
    """One command. It runs in the case's folder; all names in it are relative."""

    tool: str  # ptxas, fatbinary, nvcc, cc, ar; nvlink: a link, which is judged.
    args: list[str]
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    # Index of the compilers' toolkit.
    compiler: int = 0
    # What the linker under test is told, and nvlink isn't. @reference@ is nvlink's path.
    ours: list[str] = field(default_factory=list)
    # Written files whose contents vary from run to run.
    varying: list[str] = field(default_factory=list)

    @property
    def is_link(self) -> bool:
        return self.tool == "nvlink"

    @property
    def is_relocatable(self) -> bool:
        return self.is_link and any(a in ("-r", "--relocatable-link", "-relocatable-link") for a in self.args)


@dataclass
class Case:
    name: str
    arch: str
    seed: int
    features: list[str]
    sources: dict[str, str]
    commands: list[Command]

    @property
    def links(self) -> list[Command]:
        return [command for command in self.commands if command.is_link]

    def needed(self) -> "Case":
        """The same case without sources and commands that no link needs."""
        wanted: set[str] = set()
        kept = []
        for command in reversed(self.commands):
            if command.is_link or wanted & set(command.writes):
                wanted |= set(command.reads)
                kept.append(command)
        sources = {name: text for name, text in self.sources.items() if name in wanted}
        return Case(self.name, self.arch, self.seed, self.features, sources, kept[::-1])

    def write(self, folder: Path, tools: dict[str, str] | None = None) -> None:
        """Writes the case's files; `tools` are the paths that `cmd` uses if nothing else is said."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.sources.items():
            (folder / name).write_text(text)
        (folder / "case.json").write_text(self.to_json())
        (folder / "cmd").write_text(self.script(tools or {}))

    def to_json(self) -> str:
        record = asdict(self)
        record["sources"] = sorted(self.sources)
        return json.dumps(record, indent=1) + "\n"

    @staticmethod
    def read(folder: Path) -> "Case":
        record = json.loads((folder / "case.json").read_text())
        record["sources"] = {name: (folder / name).read_text() for name in record["sources"]}
        record["commands"] = [Command(**command) for command in record["commands"]]
        return Case(**record)

    def script(self, tools: dict[str, str]) -> str:
        lines = ["#!/bin/sh", f"# {self.name}: {', '.join(self.features)}; {self.arch}, seed {self.seed}",
                 "# NVLINK=... sh cmd: with another linker.", "set -ex"]
        for tool in sorted({command.tool for command in self.commands}):
            lines.append(f": ${{{tool.upper()}:={shlex.quote(tools.get(tool, tool))}}}")
        for command in self.commands:
            args = [substitute(argument, tools) for argument in command.args]
            lines.append(f'"${command.tool.upper()}" {shlex.join(args)}')
        return "\n".join(lines) + "\n"


def substitute(argument: str, places: dict[str, str]) -> str:
    """Puts paths in for @...@ in an argument."""
    for key, value in places.items():
        if key.startswith("@"):
            argument = argument.replace(key, value)
    return argument
