# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links in steps: -r of some objects and then the rest must give the image of linking all at once.

That is what -r promises in the default mode, where nvlink's own relocatable files are no measure
([relocatable]). The last link of the steps and the direct one are by the same linker: once by ours,
once by the reference, which so reads our relocatable files.
"""

import json
import subprocess
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from .cache import Result
from .case import Case, Command
from .judge import CRASHED, DIFFERENT, EQUIVALENT, FAILED, IDENTICAL, LinkVerdict, NO_REFERENCE
from .runner import CaseResult, Runner

# What may differ: the order of inputs in notes, and sizes of segments, which count the padding.
IGNORED = ("section .note.nv.tkinfo", "program header")


def plan_steps(rng: Random, names: list[str]) -> tuple[list[tuple[list[str], str]], list[str]]:
    """Links with -r that keep the order of objects, as inputs and output, and the inputs of the last link.

    Each begins with the first object: where the objects in front end up decides what is placed where."""
    links, current = [], list(names)
    for number in range(rng.choice((1, 1, 1, 2, 2, 3))):
        count = rng.randrange(1, len(current) + 1)
        output = f"step{number}.cubin"
        links.append((current[:count], output))
        current = [output, *current[count:]]
    return links, current


class StepsRunner(Runner):
    def links_with(self, linker: str, command: Command, args: list[str], folder: Path, tools: dict[str, str]) -> Result:
        """A link by ours or the reference; `command` says which files count."""
        varied = Command("nvlink", args, command.reads, command.writes)
        if linker == "reference":
            return self.rerun_reference(varied, folder, tools, 0)
        return self.run_ours(varied, folder, tools, [])

    def run_last(self, case: Case, index: int, folder: Path, tools: dict[str, str], final: str) -> LinkVerdict:
        """The direct link and the one in steps, both by `final`."""
        command = case.commands[index]
        inputs = [name for name in command.args if name in command.reads and name.endswith((".cubin", ".fatbin", ".o"))]
        direct = self.links_with(final, command, command.args, folder, tools)
        if direct.status != 0 or not inputs:
            return LinkVerdict(NO_REFERENCE, f"no direct link by {final}")
        steps, last = plan_steps(Random(f"steps {case.seed}"), inputs)
        arch = [argument for argument in command.args if argument.startswith("-arch")]
        for names, output in steps:
            step = Command("nvlink", [*arch, "-r", *names, "-o", output], names, [output])
            done = self.run_ours(step, folder, tools, [])
            if done.status != 0:
                return LinkVerdict(CRASHED if done.status < 0 else FAILED, f"{' '.join(step.args)}: {done.text}", is_failure=True)
        first = command.args.index(inputs[0])
        rest = [argument for argument in command.args[first:] if argument not in inputs]
        done = self.links_with(final, command, [*command.args[:first], *last, *rest], folder, tools)
        told = "; ".join(f"-r {' '.join(names)} -o {output}" for names, output in steps) + f"; {' '.join(last)}, last by {final}"
        if done.status != 0:
            return LinkVerdict(FAILED, f"{told}\n{done.text}", is_failure=True)
        lines = self.differences(folder, direct.files[command.writes[0]], done.files[command.writes[0]])
        files = {"reference": direct.files, "ours": done.files}
        if lines:
            return LinkVerdict(DIFFERENT, "\n".join([told, *lines[:20]]), is_failure=True, files=files)
        return LinkVerdict(IDENTICAL if direct.files == done.files else EQUIVALENT, told, files=files)

    def differences(self, folder: Path, first: bytes, second: bytes) -> list[str]:
        paths = [folder / "first.cubin", folder / "second.cubin"]
        for path, content in zip(paths, (first, second)):
            path.write_bytes(content)
        words = [self.setting.cubin_diff, "--json", "--max-lines=0", "--per-section=0", *map(str, paths)]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            found = json.loads(done.stdout)["differences"]
        except ValueError:
            return done.stdout.splitlines()
        return [f"{d['where']}: {d['text']}" for d in found if not f"{d['where']} {d['text']}".lstrip().startswith(IGNORED)]

    def run(self, case: Case) -> CaseResult:
        result = CaseResult(case, str(self.setting.toolkit))
        tools = self.tools()
        links = [index for index, command in enumerate(case.commands) if command.is_link]
        if len(links) != 1 or case.commands[links[0]].is_relocatable:
            result.problem = "a case with links in steps of its own"
            return result
        with TemporaryDirectory(prefix="linktest-") as name:
            folder = Path(name)
            for source, text in case.sources.items():
                (folder / source).write_text(text)
            for command in case.commands[:links[0]]:
                built = self.run_cached(command, folder, tools)
                if built.status != 0:
                    result.problem = f"{command.tool} {' '.join(command.args)}: {built.text.strip()[:400]}"
                    return result
            for final in ("ours", "reference"):
                verdict = self.run_last(case, links[0], folder, tools, final)
                verdict.index = links[0]
                result.links.append(verdict)
        return result
