# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of verdicts, by architecture and by feature."""

from collections import Counter, defaultdict

from .judge import ALL, REJECTED
from .runner import CaseResult


class Report:
    def __init__(self):
        self.tables = {"architecture": defaultdict(Counter), "feature": defaultdict(Counter), "toolkit": defaultdict(Counter)}
        self.verdicts: Counter = Counter()
        self.unbuilt: Counter = Counter()
        self.failures = 0
        self.other_text = 0
        self.unavailable = 0

    def add(self, result: CaseResult) -> None:
        case = result.case
        if result.problem:
            self.unbuilt["+".join(case.features) if len(case.features) < 3 else "several features"] += 1
            return
        for link in result.links:
            self.verdicts[link.verdict] += 1
            self.failures += link.is_failure
            self.other_text += link.verdict == REJECTED and not link.has_equal_text
            self.tables["architecture"][case.arch][link.verdict] += 1
            self.tables["toolkit"][result.toolkit][link.verdict] += 1
            for feature in case.features:
                self.tables["feature"][feature][link.verdict] += 1

    def table(self, title: str, rows: dict[str, Counter]) -> list[str]:
        columns = [verdict for verdict in ALL if self.verdicts[verdict]]
        width = max([len(title), *(len(name) for name in rows)]) + 2
        lines = [title.ljust(width) + "".join(c.rjust(max(len(c), 7) + 2) for c in columns)]
        for name in rows:
            counts = [str(rows[name][c] or ".") for c in columns]
            lines.append(name.ljust(width) + "".join(n.rjust(max(len(c), 7) + 2) for n, c in zip(counts, columns)))
        return lines

    def lines(self) -> list[str]:
        result = []
        for title, rows in self.tables.items():
            if title == "toolkit" and len(rows) < 2:
                continue
            result += self.table(title, dict(sorted(rows.items()))) + [""]
        result += self.table("all", {"all": self.verdicts})
        if self.other_text:
            result.append(f"{self.other_text} of the rejected links are rejected with other words")
        if self.unbuilt:
            reasons = ", ".join(f"{name} {count}" for name, count in self.unbuilt.most_common(8))
            result.append(f"{sum(self.unbuilt.values())} cases could not be built: {reasons}")
        if self.unavailable:
            result.append(f"{self.unavailable} cases have features that aren't there")
        return result
