# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many cases: made and judged by several processes, reported in order."""

import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from programs.architectures import Architecture
from programs.generate import Unavailable, choose, make_case

from .kept import keep
from .report import Report
from .runner import CaseResult, Runner, Setting
from .shrink import Shrinker
from .steps import StepsRunner

# One for each process and setting.
runners: dict[int, Runner] = {}


def make_runner(setting: Setting) -> Runner:
    return (StepsRunner if setting.mode == "steps" else Runner)(setting)


class Campaign:
    def __init__(self, settings: list[Setting], architectures: list[str], seeds: range, features: list[str], mix: str):
        self.settings, self.architectures, self.seeds = settings, architectures, seeds
        self.features, self.mix = features, mix
        self.keep: Path | None = None
        self.shrink_seconds = 0
        self.lists_cases = False

    def abilities(self, setting: Setting) -> set[str]:
        """What features can need, of a setting."""
        result = set(setting.toolkit.abilities)
        compilers = [compiler.abilities for compiler in setting.compilers]
        result = {a for a in result if a not in ("nvcc", "ptxas", "fatbinary")} | set.intersection(*compilers)
        if len(setting.compilers) > 1:
            result.add("several-compilers")
        return result

    def tasks(self) -> list[tuple[int, str, int]]:
        """Setting, architecture and seed of each case. The architectures that a compiler lacks are left out."""
        result = []
        for number, setting in enumerate(self.settings):
            known = set.intersection(*(compiler.architectures for compiler in setting.compilers))
            for seed in self.seeds:
                result += [(number, arch, seed) for arch in self.architectures if arch in known or not known]
        return result

    def judge(self, task: tuple[int, str, int]) -> CaseResult | None:
        """None: there is no such case."""
        number, arch, seed = task
        setting = self.settings[number]
        try:
            features = choose(seed, Architecture(arch), self.features, self.mix, self.abilities(setting))
        except Unavailable:
            return None
        case = make_case(arch, seed, features, len(setting.compilers))
        if len(self.settings) > 1:
            case.name += f"-{setting.name}"
        result = self.runner(number).run(case)
        if not result.failures:
            for link in result.links:
                link.files = {}
            result.case.sources = {}
        return result

    def runner(self, number: int) -> Runner:
        if number not in runners:
            runners[number] = make_runner(self.settings[number])
        return runners[number]

    def tell(self, task: tuple[int, str, int], result: CaseResult) -> None:
        """Prints a failure, keeps it, makes it small."""
        if self.lists_cases:
            print(f"{result.case.name}: {result.problem or ' '.join(link.verdict for link in result.links)}", flush=True)
        if not result.failures:
            return
        link = result.failures[0]
        print(f"{link.verdict}: {result.case.name} (--arch {result.case.arch} --seed {result.case.seed})")
        for line in link.detail.splitlines()[:6]:
            print(f"    {line}")
        if self.keep:
            runner = self.runner(task[0])
            print(f"    kept in {keep(result, runner, self.keep)}", flush=True)
            if self.shrink_seconds:
                shrinker = Shrinker(runner, self.shrink_seconds)
                small = shrinker.shrink(result.case)
                if small is not None:
                    small.case.name = f"{result.case.name}-small"
                    print(f"    made small in {keep(small, runner, self.keep)}: {shrinker.summary}", flush=True)

    def run(self, jobs: int) -> int:
        start, report, cases = time.monotonic(), Report(), 0
        tasks = self.tasks()
        with ProcessPoolExecutor(max_workers=max(1, jobs)) as pool:
            for task, result in zip(tasks, pool.map(self.judge, tasks, chunksize=4)):
                if result is None:
                    report.unavailable += 1
                    continue
                cases += 1
                report.add(result)
                self.tell(task, result)
        names = ", ".join(setting.name for setting in self.settings)
        print("\n".join(["", *report.lines()]))
        print(f"{cases} cases, {sum(report.verdicts.values())} links, nvlink {names}, mode {self.settings[0].mode}, "
              f"{time.monotonic() - start:.0f} s")
        failed = report.failures
        print(f"{sum(report.verdicts.values()) - failed} passed, {failed} failed")
        return 1 if failed or not cases else 0
