# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing case small: leaves out inputs, options, definitions and statements while it fails.

Everything is tried by running the case, so candidates need not make sense: one that ptxas or nvlink
rejects doesn't fail in the same way. Larger pieces are tried first; of lists, halves, quarters and
so on down to single elements (delta debugging).
"""

import copy
import time
from typing import Callable, Iterator

from . import ptxtext
from .case import Case
from .judge import LinkVerdict
from .runner import CaseResult, Runner

# Arguments that every link needs.
KEPT = ("-arch", "-o", "-r", "-m64", "-c")


def signature(link: LinkVerdict) -> tuple:
    """What must stay the same: the verdict and what it is about, without names and numbers."""
    first = next((line for line in link.detail.splitlines() if "(order)" not in line), "")
    words = [word for word in first.split() if word.isalpha()]
    return link.verdict, tuple(words[:4])


class Shrinker:
    def __init__(self, runner: Runner, seconds: int):
        self.runner, self.end = runner, time.monotonic() + seconds
        self.tries = 0
        self.wanted: set[tuple] = set()
        self.summary = ""

    def fails(self, case: Case) -> CaseResult | None:
        """The result, if the case fails as it should."""
        if time.monotonic() > self.end:
            return None
        self.tries += 1
        result = self.runner.run(case)
        if any(signature(link) in self.wanted for link in result.failures):
            return result
        return None

    def shrink(self, case: Case) -> CaseResult | None:
        """The smallest case found; None if this one doesn't fail."""
        result = self.runner.run(case)
        if not result.failures:
            return None
        self.wanted = {signature(link) for link in result.failures}
        before, best = measure(case), result
        progress = True
        while progress and time.monotonic() < self.end:
            progress = False
            for step in (self.drop_commands, self.drop_inputs, self.drop_options, self.drop_pieces):
                smaller = step(best)
                if measure(smaller.case) < measure(best.case):
                    best, progress = smaller, True
        after = measure(best.case)
        self.summary = f"{before[0]} sources and {before[1]} pieces became {after[0]} and {after[1]} in {self.tries} tries"
        return best

    def first_of(self, best: CaseResult, candidates: Callable[[Case], Iterator[Case]]) -> CaseResult:
        """Takes candidates that fail, until none does."""
        again = True
        while again:
            again = False
            for candidate in candidates(best.case):
                result = self.fails(candidate.needed())
                if result is not None:
                    best, again = result, True
                    break
        return best

    def drop_commands(self, best: CaseResult) -> CaseResult:
        """Links after the failing one, then links whose inputs can stand for their output."""
        return self.first_of(best, without_links)

    def drop_inputs(self, best: CaseResult) -> CaseResult:
        return self.first_of(best, without_inputs)

    def drop_options(self, best: CaseResult) -> CaseResult:
        return self.first_of(best, without_options)

    def drop_pieces(self, best: CaseResult) -> CaseResult:
        """Definitions and statements of each PTX source."""
        for name in sorted(best.case.sources):
            if not name.endswith(".ptx"):
                continue
            number = 0
            while name in best.case.sources:
                found = list(ptxtext.blocks(ptxtext.parse(best.case.sources[name])))
                if number >= len(found):
                    break
                best = self.thin_block(best, name, number)
                number += 1
        return best

    def thin_block(self, best: CaseResult, name: str, number: int) -> CaseResult:
        """Leaves out children of one block, in chunks that get smaller."""
        root = ptxtext.parse(best.case.sources[name])
        count = len(list(ptxtext.blocks(root))[number].children)
        chunk = max(1, count // 2)
        while chunk and count:
            start = 0
            while start < count:
                candidate = copy.deepcopy(best.case)
                root = ptxtext.parse(candidate.sources[name])
                block = list(ptxtext.blocks(root))[number]
                del block.children[start:start + chunk]
                candidate.sources[name] = ptxtext.render(root)
                result = self.fails(candidate)
                if result is None:
                    start += chunk
                else:
                    best, count = result, len(block.children)
            chunk //= 2
        return best


def measure(case: Case) -> tuple[int, int, int]:
    """Size: sources, pieces of PTX, arguments."""
    pieces = sum(ptxtext.size(text) if name.endswith(".ptx") else text.count("\n") for name, text in case.sources.items())
    return len(case.sources), pieces, sum(len(command.args) for command in case.commands)


def without_links(case: Case) -> Iterator[Case]:
    """Without the last link; without a link whose inputs go where its output went."""
    links = [number for number, command in enumerate(case.commands) if command.is_link]
    if len(links) < 2:
        return
    yield edit(case, drop=[links[-1]])
    for number in links[:-1]:
        command = case.commands[number]
        if not command.writes:
            continue
        candidate = edit(case, drop=[number])
        target, inputs = command.writes[0], [name for name in command.reads if name in command.args]
        for later in candidate.commands:
            if later.is_link and target in later.args:
                position = later.args.index(target)
                later.args[position:position + 1] = inputs
                later.reads = [name for name in later.reads if name != target] + inputs
        yield candidate


def edit(case: Case, drop: list[int]) -> Case:
    """A copy without some commands."""
    candidate = copy.deepcopy(case)
    candidate.commands = [command for number, command in enumerate(candidate.commands) if number not in drop]
    return candidate


def without_inputs(case: Case) -> Iterator[Case]:
    """Without an input of a link, an archive or a fatbin."""
    for number, command in enumerate(case.commands):
        if command.tool not in ("nvlink", "ar", "fatbinary"):
            continue
        for name in command.reads:
            positions = [p for p, argument in enumerate(command.args) if argument == name or argument.endswith(f"file={name}")]
            if not positions or len(command.reads) == 1 and command.tool != "nvlink":
                continue
            candidate = copy.deepcopy(case)
            changed = candidate.commands[number]
            changed.args = [argument for p, argument in enumerate(changed.args) if p not in positions]
            changed.reads.remove(name)
            yield candidate


def without_options(case: Case) -> Iterator[Case]:
    """Without an option of a link or a compilation, with its value if that is the next word."""
    for number, command in enumerate(case.commands):
        for position, argument in enumerate(command.args):
            if not argument.startswith("-") or argument.startswith(KEPT):
                continue
            following = command.args[position + 1:position + 2]
            lengths = (1, 2) if following and not following[0].startswith("-") and following[0] not in command.reads else (1,)
            for length in lengths:
                candidate = copy.deepcopy(case)
                del candidate.commands[number].args[position:position + length]
                yield candidate
