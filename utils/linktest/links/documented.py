# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which behaviours of Behaviors.def can make a link differ from nvlink's in the default mode.

A difference that goes away with --nvlink-compat is one of these if the link has what the behaviour
is about. The names are those of the rows; test/linktest compares them.
"""

import re
from dataclasses import dataclass
from typing import Callable

from .case import Case, Command

RELOCATABLE = [
    "ReversesReadingOrder", "ResolvesReferences", "PlacesCommons", "PlacesDynamicShared", "AppliesKernelFilter", "RenamesLiterals",
    "SharesConstantSizeSymbol", "DropsEqualEdges", "DropsResolvedExterns", "DropsNotesOfInputs", "KeepsSymbolOrder",
    "KeepsOrphanConstants", "DropsEmptySectionSymbols", "RebuildsLinesFromMercury", "UnifiedBitsOfFirstMention",
    "UnifiedOffsetsWhenMerged",
]


@dataclass(frozen=True)
class Row:
    behavior: str
    applies: Callable[[Case, Command], bool]


def has_source(case: Case, pattern: str) -> bool:
    return any(re.search(pattern, text) for text in case.sources.values())


def has_argument(command: Command, pattern: str) -> bool:
    return any(re.search(pattern, argument) for argument in command.args)


def prunes(case: Case, command: Command) -> bool:
    """Are kernels removed that nobody names?"""
    return has_argument(command, "kernels-used|variables-used|optf|options-file|@") or has_source(case, r"\.nvHR")


def has_lines(case: Case, command: Command) -> bool:
    return has_source(case, r"\.loc|-G\b") or any("-lineinfo" in c.args or "-g" in c.args or "-G" in c.args for c in case.commands)


def has_replaced(case: Case, command: Command) -> bool:
    return has_source(case, r"\.weak|template")


def is_relinked(case: Case, command: Command) -> bool:
    return any(c.is_relocatable for c in case.commands)


FINAL = [
    Row("MergesEqualConstantsWhenPruning", prunes),
    Row("AlignsConstantsBySize", lambda case, c: has_source(case, r"\.const .*\[\d{3,}\]|__constant__")),
    Row("LosesAddressesOfReplaced", has_replaced),
    Row("RefusesSecondFormalArray", lambda case, c: is_relinked(case, c) and has_source(case, r"\.extern \.shared")),
    Row("MixesUpSameNames", is_relinked),
    Row("KnowsFunctionsByAlias", lambda case, c: has_source(case, r"\.alias")),
    Row("TranslatesReplacedDebugOffsets", lambda case, c: has_replaced(case, c) and has_lines(case, c)),
    Row("DescribesRegistersByFirstName", lambda case, c: has_lines(case, c)),
    Row("LosesAddressesOfCies", lambda case, c: any("-ewp" in x.args for x in case.commands)),
    Row("RemakesUnifiedStubs", lambda case, c: has_source(case, r"\.unified")),
    Row("MislinksUnifiedTables", lambda case, c: has_source(case, r"\.unified")),
]

TEXT = [
    Row("IgnoresDisableWarnings", lambda case, c: has_argument(c, "^-w$|disable-warnings|optf|options-file|@")),
    Row("SaysNothingElse", lambda case, c: True),  # Further lines; see below.
]


# differences.md, "Inputs": ours refuses objects that nvlink takes for empty.
DAMAGED = "damaged cubins"


def documented_reasons(case: Case, command: Command, verdict: str, detail: str) -> list[str]:
    """Behaviours by which a link may have this verdict."""
    if verdict == "MESSAGES":
        loses_lines = any(line.startswith("- ") for line in detail.splitlines())
        rows = TEXT[:1] if loses_lines else TEXT
    elif verdict == "FAILED":
        return [DAMAGED] if any(c.tool == "dd" for c in case.commands) else []
    elif command.is_relocatable:
        return list(RELOCATABLE)
    else:
        rows = FINAL
    return [row.behavior for row in rows if row.applies(case, command)]
