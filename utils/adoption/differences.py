# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links by both, and what differs: sorted by section, with features and probable causes."""

import os
import re
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from links.judge import DIFFERENT, DOCUMENTED, EQUIVALENT, IDENTICAL, MESSAGES, NO_REFERENCE, NOTE, REJECTED, SCHEDULING, UNSTABLE
from links.kept import keep
from links.main import ARCHITECTURES
from links.runner import CaseResult, Runner, Setting
from programs.architectures import Architecture
from programs.features import FEATURES
from programs.generate import Unavailable, choose, make_case

from .causes import causes_of
from .release import output_of

GOOD = (IDENTICAL, NOTE, DOCUMENTED, UNSTABLE, NO_REFERENCE)
# The warning about newer objects would be an error of ours.
LEFT_OUT = ("warnings_as_errors",)
# The linker's word about objects that are newer than its rules.
NEWER = re.compile(r"^.* newer than toolkit \(\d+ vs \d+\); linked by the rules of .*, which know (.*)\n", re.M)
# What follows from any difference, and what is in every link.
FOLLOWS = ("file offsets", "CUDA_CUINFO")
# Lines of cubin-diff that count what it doesn't show.
MORE = re.compile(r"\.\.\. (?:and )?\d+ more")
# Sections of one function each.
PER_FUNCTION = r"(\.(?:text|nv\.info|nv\.constant\d+|nv\.shared|nv\.local|nv\.uft\.rel|debug_\w+|nv_debug_\w+))\.[^\s:]+"
NAMES_BY_CODE = re.compile(r"\b(?:EIATTR_0x[0-9a-f]+|R_CUDA_0x[0-9a-f]+|CODE_(?:1[6-9]|[2-9]\d|[12]\d\d))|type=0x7[0-9a-f]{7}")


def kind_of(line: str) -> str:
    """What a line of cubin-diff is about, without the names and numbers of this link."""
    line = re.sub(r"'[^']*'", "'...'", re.sub(PER_FUNCTION, r"\1.*", line.strip()))
    line = line.replace("only in the second file", "only ours").replace("only in the first file", "only nvlink's")
    head, _, rest = line.partition(": ")
    rest = re.split(r"(?:: | at | vs | \(|=)", rest)
    kept = rest[0]
    if kept.startswith(("record ", "symbol ", "section symbol ", "relocation ")) and len(rest) > 1:
        kept += ": " + rest[1].split(" 0x")[0].split(" EIATTR")[0]
    return f"{head}: {re.sub(r'0x[0-9a-f]+|[0-9]+', 'N', kept).strip()}" if rest else head


class AdoptingRunner(Runner):
    """Ours warns of objects that are newer than its rules; that is no difference, and says what is unknown in them."""

    def __init__(self, setting: Setting):
        super().__init__(setting)
        self.unknown: set[str] = set()

    def run_ours(self, command, folder, tools, mode_args):
        result = super().run_ours(command, folder, tools, mode_args)
        for parts in NEWER.findall(result.text):
            if parts.startswith("nothing of "):
                self.unknown.update(re.sub(r"section '\S+'", "a section", part) for part in parts[len("nothing of "):].split(", "))
        result.text = NEWER.sub("", result.text)
        return result


@dataclass
class Group:
    """Links that differ in one way."""

    links: int = 0
    architectures: Counter = field(default_factory=Counter)
    features: Counter = field(default_factory=Counter)
    verdicts: Counter = field(default_factory=Counter)
    example: CaseResult | None = None
    line: str = ""


@dataclass
class Found:
    groups: dict[str, Group] = field(default_factory=lambda: defaultdict(Group))
    verdicts: Counter = field(default_factory=Counter)
    features: Counter = field(default_factory=Counter)
    messages: Counter = field(default_factory=Counter)
    unknown: set[str] = field(default_factory=set)
    unbuilt: int = 0

    def add(self, result: CaseResult, unknown: set[str]) -> None:
        self.unknown |= unknown
        if result.problem:
            self.unbuilt += 1
            return
        for link in result.links:
            self.verdicts[link.verdict] += 1
            self.features.update(result.case.features)
            if link.verdict == MESSAGES or link.verdict == REJECTED and not link.has_equal_text:
                self.messages.update({re.sub(r"'[^']*'", "'...'", line) for line in link.detail.splitlines()})
            elif link.verdict not in GOOD and link.verdict != REJECTED:
                self.sort(result, link)

    def sort(self, result: CaseResult, link) -> None:
        if link.verdict in (DIFFERENT, EQUIVALENT, SCHEDULING):
            lines = [line for line in link.detail.splitlines()
                     if line.strip() and not MORE.search(line) and not any(word in line for word in FOLLOWS)]
            kinds = {kind_of(line): line for line in reversed(lines)}
        else:
            line = f"{link.verdict}: " + next((line for line in link.detail.splitlines() if line[:1] in "-+"), "")
            kinds = {re.sub(r"'[^']*'", "'...'", line): line}
        for kind, line in kinds.items():
            group = self.groups[kind]
            group.links += 1
            group.architectures[result.case.arch] += 1
            group.features.update(result.case.features)
            group.verdicts[link.verdict] += 1
            if group.example is None or len(result.case.sources) < len(group.example.case.sources):
                group.example, group.line = result, line.strip()

    def telling_features(self, group: Group) -> list[str]:
        """Those with which links differ in this way much more often than links do in general."""
        rate = group.links / sum(self.verdicts.values())
        scored = [(count / self.features[name], count, name) for name, count in group.features.items()
                  if count > 1 and count / self.features[name] > max(2.5 * rate, 0.25)]
        return [f"{name} ({count} of {self.features[name]})" for _, count, name in sorted(scored, key=lambda s: (-s[0], -s[1], s[2]))[:4]]

    def tell(self, folder: Path | None, campaign: "Campaign", before: "Found | None") -> None:
        """`before`: the same links by the older toolkit and its rules; what differs there, too, is nothing new."""
        total = sum(self.verdicts.values())
        print(f"{total} links: " + ", ".join(f"{count} {verdict}" for verdict, count in self.verdicts.most_common())
              + (f"; {self.unbuilt} cases could not be built" if self.unbuilt else "") + "\n")
        for number, (kind, group) in enumerate(sorted(self.groups.items(), key=lambda item: (-item[1].links, item[0])), 1):
            architectures = ", ".join(sorted(group.architectures, key=lambda name: (len(name), name)))
            print(f"{number}. {kind}\n    {group.links} links on {architectures}")
            if before and kind in before.groups:
                print(f"    not new: also in {before.groups[kind].links} of the older toolkit's own links")
            if features := self.telling_features(group):
                print(f"    features: {', '.join(features)}")
            if causes := causes_of(kind):
                print(f"    rules of the book: {', '.join(causes)}")
            print(f"    e.g. {group.example.case.name}: {group.line[:160]}")
            if folder:
                print(f"    kept in {keep(group.example, campaign.runner, folder)}")
            print()


# One for each process.
runners: dict[str, AdoptingRunner] = {}


class Campaign:
    def __init__(self, toolkit, tools, newest: str, cache: Path):
        self.toolkit, self.tools = toolkit, tools
        self.setting = Setting(toolkit, [toolkit], str(tools.linker.absolute()), str(tools.cubin_diff.absolute()),
                               linker_args=[f"--nvlink-release={newest}", "--newer-inputs=warn"], cache=cache.absolute())
        self.tasks: list[tuple[str, int, list[str]]] = []

    @property
    def runner(self) -> AdoptingRunner:
        return runners.setdefault(str(self.setting.toolkit.root), AdoptingRunner(self.setting))

    def names(self, features: list[str], slow: bool) -> list[str]:
        return [name for name, f in FEATURES.items() 
                if (not features or name in features or f.topic in features) and (slow or not f.is_slow) and name not in LEFT_OUT]

    def add_fixed(self, architectures: list[str], features: list[str], slow: bool) -> None:
        """Every feature alone."""
        for arch in architectures:
            for name in self.names(features, slow):
                if FEATURES[name].available(Architecture(arch)) and self.toolkit.abilities.issuperset(FEATURES[name].needs):
                    self.tasks.append((arch, 0, [name]))

    def add_random(self, architectures: list[str], seeds: range, features: list[str], slow: bool) -> None:
        names = self.names(features, slow)
        for seed in seeds:
            for arch in architectures or ARCHITECTURES:
                try:
                    self.tasks.append((arch, seed, choose(seed, Architecture(arch), names, "random", self.toolkit.abilities)))
                except Unavailable:
                    continue

    def link(self, task: tuple[str, int, list[str]]) -> tuple[CaseResult, set[str]]:
        arch, seed, features = task
        runner = self.runner
        runner.unknown = set()
        result = runner.run(make_case(arch, seed, features))
        unknown = set(runner.unknown)
        for link in result.links:
            for content in link.files.get("reference", {}).values():
                unknown |= self.names_by_code(content)
        if not result.failures:
            for link in result.links:
                link.files = {}
        return result, unknown

    def names_by_code(self, content: bytes) -> set[str]:
        """What cubin-dump has no name for."""
        if not content.startswith(b"\x7fELF"):
            return set()
        path = Path(self.setting.cache) / f"dumped-{id(self)}-{hash(content)}.cubin"
        path.write_bytes(content)
        text = output_of([str(self.tools.cubin_dump), str(path)])[1]
        path.unlink()
        return set(NAMES_BY_CODE.findall(text))

    def run(self, jobs: int) -> Found:
        found = Found()
        # Ours compiles with the ptxas that it finds there.
        os.environ["PATH"] = f"{self.toolkit.root / 'bin'}{os.pathsep}{os.environ['PATH']}"
        os.environ["CUDA_HOME"] = str(self.toolkit.root)
        known = self.toolkit.architectures
        tasks = [task for task in self.tasks if task[0] in known or not known]
        with ProcessPoolExecutor(max_workers=max(1, jobs)) as pool:
            for result, unknown in pool.map(self.link, tasks, chunksize=4):
                found.add(result, unknown)
        return found
