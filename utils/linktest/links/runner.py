# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a case: builds its inputs, links with the reference and with the linker under test."""

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .cache import Cache, Result, TIMEOUT
from .case import Case, Command, LIBRARIES, NVVM, substitute
from .judge import FAILED, Judge, LinkVerdict
from .toolkits import Toolkit, version_of

# Status of a program that can't be started, as the shell has it.
NOT_RUN = 126

# Seconds for a command. nvcc is slow on a busy machine, and LTO takes what it takes.
SECONDS = 300


@dataclass
class Setting:
    """What cases are linked with, and how."""

    toolkit: Toolkit | None  # The reference's.
    compilers: list[Toolkit]
    linker: str  # The linker under test.
    cubin_diff: str
    mode: str = "compat"  # "compat": with --nvlink-compat.
    linker_args: list[str] = field(default_factory=list)
    chained: bool = False
    cache: Path | None = None
    seconds: int = SECONDS
    library: Toolkit | None = None  # Whose libcudadevrt is linked; None: the reference's.

    @property
    def name(self) -> str:
        """Which nvlink, and which library if that is another one's."""
        return f"{self.toolkit}-with-{self.library}" if self.library else str(self.toolkit)

    @property
    def mode_args(self) -> list[str]:
        return ["--nvlink-compat"] if self.mode == "compat" else []


@dataclass
class CaseResult:
    case: Case
    toolkit: str
    links: list[LinkVerdict] = field(default_factory=list)
    problem: str = ""  # Why the case could not be built; then there are no verdicts.

    @property
    def failures(self) -> list[LinkVerdict]:
        return [link for link in self.links if link.is_failure]


def run_process(words: list[str], folder: Path, seconds: int, environment: dict[str, str] | None = None) -> tuple[int, str]:
    """Status and what it printed: standard output, then standard error."""
    settings = {k: v for k, v in os.environ.items() if k != "LIBRARY_PATH"} | {"LC_ALL": "C"} | (environment or {})
    try:
        done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=seconds, env=settings)
    except subprocess.TimeoutExpired:
        return TIMEOUT, ""
    except OSError as error:  # For example: the program is being built anew.
        return NOT_RUN, f"{error}\n"
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


def read_files(folder: Path, names: list[str]) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names if (folder / name).is_file()}


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content)


def identifier_of(folder: Path) -> bytes:
    """A folder's path as nvlink writes it into --register-link-binaries' file: `_tmp_linktest_abc`."""
    return re.sub(rb"[^A-Za-z0-9]", b"_", os.path.realpath(folder).encode())


# What stands for a case's folder in files of the cache. Every run has a folder of its own.
ANY_FOLDER = b"@case's folder@"


def replace_in_text(files: dict[str, bytes], old: bytes, new: bytes) -> dict[str, bytes]:
    """Files with `new` for `old` in those that are text."""
    return {name: content if b"\0" in content else content.replace(old, new) for name, content in files.items()}


class Runner:
    def __init__(self, setting: Setting):
        self.setting = setting
        self.cache = Cache(setting.cache)
        self.judge = Judge(setting.cubin_diff, setting.mode)
        self.host_versions: dict[str, str] = {}

    def tools(self) -> dict[str, str]:
        """Paths of all tools, and of what @...@ stands for."""
        setting = self.setting
        result = {"cc": "cc", "ar": "ar", "dd": "dd"}
        for toolkit in reversed(setting.compilers):
            result |= {name: path for name in ("ptxas", "fatbinary", "nvcc") if (path := toolkit.tool(name))}
        if setting.toolkit is not None:
            result["nvlink"] = setting.toolkit.tool("nvlink") or "nvlink"
            result["@reference@"] = result["nvlink"]
            result[LIBRARIES] = str((setting.library or setting.toolkit).libraries)
            result[NVVM] = str(setting.toolkit.nvvm(setting.cache or Path(tempfile.gettempdir())))
        return result

    def program(self, command: Command) -> tuple[str, str]:
        """Path and version of a command's tool."""
        if command.is_link:
            toolkit = self.setting.toolkit
            return toolkit.tool("nvlink") or "", toolkit.versions.get("nvlink", "")
        if command.tool in ("ptxas", "fatbinary", "nvcc"):
            compiler = self.setting.compilers[command.compiler % len(self.setting.compilers)]
            return compiler.tool(command.tool) or "", compiler.versions.get(command.tool, "")
        if command.tool not in self.host_versions:
            path = shutil.which(command.tool)
            self.host_versions[command.tool] = version_of(path) if path else ""
        return shutil.which(command.tool) or "", self.host_versions[command.tool]

    def run_cached(self, command: Command, folder: Path, tools: dict[str, str]) -> Result:
        """Runs NVIDIA's or the system's tool, or finds what it did before; leaves the written files."""
        path, version = self.program(command)
        if not path:
            return Result(127, f"{command.tool} is missing\n", {})
        words = [substitute(argument, tools) for argument in command.args]
        key = self.cache.key(f"{command.tool} {version}", words, read_files(folder, command.reads))
        result = self.cache.get(key)
        if result is None:
            status, text = run_process([path, *words], folder, self.setting.seconds)
            result = Result(status, text, read_files(folder, command.writes))
            kept = replace_in_text(result.files, identifier_of(folder), ANY_FOLDER)
            self.cache.put(key, Result(status, text, kept))
        else:
            result.files = replace_in_text(result.files, ANY_FOLDER, identifier_of(folder))
            write_files(folder, result.files)
        return result

    def run_ours(self, command: Command, folder: Path, tools: dict[str, str], mode_args: list[str]) -> Result:
        words = [substitute(argument, tools) for argument in [*command.args, *command.ours]]
        for name in command.writes:
            if (folder / name).is_file():
                (folder / name).unlink()
        more = [argument.replace("@release@", str(self.setting.toolkit)) for argument in self.setting.linker_args]
        # PTX is compiled by the ptxas that the reference has beside it.
        toolkit = {"CUDA_HOME": str(self.setting.toolkit.root)} if self.setting.toolkit else None
        status, text = run_process([self.setting.linker, *words, *mode_args, *more], folder, self.setting.seconds, toolkit)
        return Result(status, text, read_files(folder, command.writes))

    def rerun_reference(self, command: Command, folder: Path, tools: dict[str, str], number: int) -> Result:
        """The reference once more, with fresh memory filled otherwise; not from the cache."""
        words = [substitute(argument, tools) for argument in command.args]
        path, _ = self.program(command)
        status, text = run_process([path, *words], folder, self.setting.seconds, {"MALLOC_PERTURB_": str(37 + 90 * number)})
        return Result(status, text, read_files(folder, command.writes))

    def run_link(self, case: Case, index: int, folder: Path, tools: dict[str, str]) -> LinkVerdict:
        """Links with both and compares; leaves the files that the next command reads."""
        command = case.commands[index]
        reference = self.run_cached(command, folder, tools)
        ours = self.run_ours(command, folder, tools, self.setting.mode_args)
        verdict = self.judge.compare(command, reference, ours, folder)
        if verdict.is_failure and reference.status == 0:
            again = [self.rerun_reference(command, folder, tools, number) for number in (0, 1)]
            verdict = self.judge.allow_varying(command, verdict, reference, ours, again)
        if verdict.verdict == FAILED:
            verdict = self.judge.allow_documented(case, command, verdict)
        if verdict.is_failure and self.setting.mode != "compat":
            compat = self.run_ours(command, folder, tools, ["--nvlink-compat"])
            compared = Judge(self.setting.cubin_diff, "compat").compare(command, reference, compat, folder)
            if not compared.is_failure:
                verdict = self.judge.allow_documented(case, command, verdict)
        verdict.index = index
        verdict.files = {"reference": reference.files, "ours": ours.files}
        write_files(folder, ours.files if self.setting.chained else reference.files)
        return verdict

    def run(self, case: Case) -> CaseResult:
        result = CaseResult(case, str(self.setting.toolkit))
        tools = self.tools()
        with tempfile.TemporaryDirectory(prefix="linktest-") as name:
            folder = Path(name)
            for source, text in case.sources.items():
                (folder / source).write_text(text)
            for index, command in enumerate(case.commands):
                if command.is_link:
                    verdict = self.run_link(case, index, folder, tools)
                    result.links.append(verdict)
                    if not verdict.goes_on:
                        break
                    continue
                built = self.run_cached(command, folder, tools)
                if built.status != 0 and command.tool != "dd":
                    if not result.links:
                        result.problem = f"{command.tool} {' '.join(command.args)}: {built.text.strip()[:400]}"
                    break
        return result
