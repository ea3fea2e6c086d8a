# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verdicts about links: what both linkers wrote and printed, and how they ended."""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from .cache import Result, TIMEOUT
from .case import Case, Command
from .documented import documented_reasons
from .elf import section_ranges

# Verdicts of cubin-diff, from equal to unequal.
IDENTICAL, NOTE, SCHEDULING, EQUIVALENT, DIFFERENT = "IDENTICAL", "IDENTICAL-BUT-NOTE", "SCHEDULING", "EQUIVALENT", "DIFFERENT"
ORDER = [IDENTICAL, NOTE, SCHEDULING, EQUIVALENT, DIFFERENT]

# Ours beyond them.
DOCUMENTED = "DOCUMENTED"  # Different, by a behaviour of Behaviors.def or differences.md.
REJECTED = "REJECTED"  # By both, with the same status.
MESSAGES = "MESSAGES"  # The same output, other messages.
OTHER_FILE = "OTHER-FILE"  # A register file or the like differs.
FAILED = "FAILED"  # The reference links, ours doesn't.
ACCEPTED = "ACCEPTED"  # Ours links, the reference doesn't.
STATUS = "OTHER-STATUS"  # Both reject, with different status.
CRASHED = "CRASHED"
HUNG = "HUNG"
UNSTABLE = "UNSTABLE"  # Where the outputs differ, the reference writes uninitialised memory.
NO_REFERENCE = "NO-REFERENCE"  # The reference crashed, or found an error in itself.

# Of all verdicts, the good ones first: for tables.
ALL = [IDENTICAL, NOTE, SCHEDULING, EQUIVALENT, DOCUMENTED, REJECTED, UNSTABLE, NO_REFERENCE, DIFFERENT, MESSAGES, OTHER_FILE,
       FAILED, ACCEPTED, STATUS, CRASHED, HUNG]

# nvlink's words for mistakes of its own (differences.md, "Links that nvlink fails on").
OWN_MISTAKES = ("Internal error", "reference to deleted", "Memory allocation failure")


@dataclass
class LinkVerdict:
    verdict: str
    detail: str = ""  # What differs, for people.
    has_equal_text: bool = True
    is_failure: bool = False
    goes_on: bool = True  # Are there outputs for the commands that follow?
    index: int = 0  # Of the command.
    # Of both linkers: contents by name.
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)


def nvlinks_lines(text: str) -> list[str]:
    """Messages without explanations, which are lines that begin with >>>."""
    return [line for line in text.splitlines() if not line.startswith(">>>")]


BARRIERS = re.compile(r"used (\d+) barriers")


def without_stale_barriers(expected: list[str], got: list[str]) -> list[str]:
    """nvlink's lines, but where it counts the barriers of another kernel for one that has none: there our 0
    (differences.md, "barriers in the text of -v")."""
    if len(expected) != len(got):
        return expected
    return [mine if "used 0 barriers" in mine and BARRIERS.sub("", line) == BARRIERS.sub("", mine) else line
            for line, mine in zip(expected, got)]


def show_lines(expected: list[str], got: list[str]) -> str:
    """The first lines that only one of them printed."""
    missing = [f"- {line}" for line in expected if line not in got][:5]
    more = [f"+ {line}" for line in got if line not in expected][:5]
    return "\n".join(missing + more) or "the same lines in another order"


def differ_in_stray_memory_only(reference: bytes, ours: bytes) -> bool:
    """Does the reference have memory that isn't its input's where it differs? Stale bytes in the Mercury view's
    reserved shared memory ([mercury-reserved-shared-bytes]), and in register ranges what stood behind a
    table, where ours has zeros (differences.md, "Memory after the tables of register ranges"). Some of it is the same in
    each run."""
    if len(reference) != len(ours):
        return False
    places = [index for index in range(len(ours)) if reference[index] != ours[index]]
    reserved = section_ranges(ours, ".nv.merc.nv.shared.reserved")
    registers = section_ranges(ours, ".nv_debug_info_reg_sass")
    return all(any(index in r for r in reserved) or ours[index] == 0 and any(index in r for r in registers)
               for index in places)


class Judge:
    def __init__(self, cubin_diff: str, mode: str):
        self.cubin_diff, self.mode = cubin_diff, mode

    def fail(self, verdict: str, detail: str, **words) -> LinkVerdict:
        return LinkVerdict(verdict, detail, is_failure=True, **words)

    def compare(self, command: Command, reference: Result, ours: Result, folder: Path) -> LinkVerdict:
        if reference.status < 0:
            return LinkVerdict(NO_REFERENCE, f"status {reference.status}", goes_on=False)
        if ours.status == TIMEOUT:
            return self.fail(HUNG, "", goes_on=False)
        if ours.status < 0 or ours.status > 255:
            return self.fail(CRASHED, f"status {ours.status}\n{ours.text[:2000]}", goes_on=reference.status == 0)
        expected, got = nvlinks_lines(reference.text), nvlinks_lines(ours.text)
        expected = without_stale_barriers(expected, got)
        has_equal_text = expected == got
        difference = "" if has_equal_text else show_lines(expected, got)
        if reference.status != 0:
            return self.compare_rejection(reference, ours, has_equal_text, difference)
        if ours.status != 0:
            return self.fail(FAILED, f"status {ours.status}\n{difference}", has_equal_text=has_equal_text)
        verdict = self.compare_files(command, reference, ours, folder)
        verdict.has_equal_text = has_equal_text
        if not verdict.is_failure and not has_equal_text:
            return self.fail(MESSAGES, difference, has_equal_text=False)
        return verdict

    def compare_rejection(self, reference: Result, ours: Result, has_equal_text: bool, difference: str) -> LinkVerdict:
        words = {"has_equal_text": has_equal_text, "goes_on": False}
        if ours.status == reference.status:
            return LinkVerdict(REJECTED, difference, **words)
        if any(mistake in reference.text for mistake in OWN_MISTAKES):
            return LinkVerdict(NO_REFERENCE, reference.text[:200], **words)
        detail = f"status {ours.status}, not {reference.status}\n{difference}"
        return self.fail(ACCEPTED if ours.status == 0 else STATUS, detail, **words)

    def compare_files(self, command: Command, reference: Result, ours: Result, folder: Path) -> LinkVerdict:
        """The worst verdict about what was written."""
        worst = LinkVerdict(IDENTICAL)
        for name in command.writes:
            first, second = reference.files.get(name), ours.files.get(name)
            if first == second or name in command.varying and first is not None and second is not None:
                continue
            if first is None or second is None:
                who = "the reference" if first is None else "the linker under test"
                return self.fail(FAILED, f"{who} writes no {name}")
            if not first.startswith(b"\x7fELF"):
                worst = self.fail(OTHER_FILE, f"{name} differs")
                continue
            verdict, detail = self.diff(folder, first, second)
            if self.mode == "compat" and differ_in_stray_memory_only(first, second):
                return LinkVerdict(UNSTABLE, "only where the reference has stray memory")
            if ORDER.index(verdict) > (ORDER.index(worst.verdict) if worst.verdict in ORDER else 9):
                good = (IDENTICAL, SCHEDULING) if self.mode == "compat" else ORDER[:-1]
                worst = LinkVerdict(verdict, detail, is_failure=verdict not in good)
        return worst

    def diff(self, folder: Path, first: bytes, second: bytes) -> tuple[str, str]:
        """cubin-diff's verdict and words."""
        paths = [folder / "first.cubin", folder / "second.cubin"]
        for path, content in zip(paths, (first, second)):
            path.write_bytes(content)
        done = subprocess.run([self.cubin_diff, *map(str, paths)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        for path in paths:
            path.unlink()
        verdict, _, detail = done.stdout.partition("\n")
        return (verdict, detail) if verdict in ORDER else (DIFFERENT, done.stdout)

    def allow_varying(self, command: Command, verdict: LinkVerdict, reference: Result, ours: Result,
                      again: list[Result]) -> LinkVerdict:
        """nvlink writes uninitialised memory now and then: bytes that vary don't count."""
        name = command.writes[0] if command.writes else ""
        runs = [run.files.get(name) for run in (reference, *again)]
        own = ours.files.get(name)
        if all(run == runs[0] for run in runs) and all(run.text == reference.text for run in again):
            return verdict
        if any(run.status != 0 for run in again) or own is None or any(run is None or len(run) != len(own) for run in runs):
            return LinkVerdict(UNSTABLE, verdict.detail)
        for index, byte in enumerate(own):
            values = {run[index] for run in runs}
            if len(values) == 1 and byte not in values:
                return verdict
        return LinkVerdict(UNSTABLE, "but for bytes that vary: identical")

    @staticmethod
    def allow_documented(case: Case, command: Command, verdict: LinkVerdict) -> LinkVerdict:
        """A behaviour that is documented, if there is one for such a link. The caller has seen that
        --nvlink-compat makes the difference go away."""
        reasons = documented_reasons(case, command, verdict.verdict, verdict.detail)
        if not reasons:
            return verdict
        return LinkVerdict(DOCUMENTED, f"{', '.join(reasons)}\n{verdict.detail}", has_equal_text=verdict.has_equal_text,
                           goes_on=verdict.goes_on)
