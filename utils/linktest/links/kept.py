# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases that are kept: a folder each, with inputs, commands, both linkers' outputs and the verdicts."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from .case import Case
from .runner import CaseResult, Runner, Setting
from .toolkits import Toolkit

SETTINGS = "setting.json"


def keep(result: CaseResult, runner: Runner, folder: Path) -> Path:
    """Writes a case's folder, in place of an older one of its name."""
    place = folder / result.case.name
    shutil.rmtree(place, ignore_errors=True)
    result.case.write(place, runner.tools())
    (place / "verdicts").write_text(verdict_text(result))
    (place / SETTINGS).write_text(json.dumps(setting_record(runner.setting), indent=1) + "\n")
    for link in result.links:
        for who, files in link.files.items():
            for name, content in files.items():
                path = place / who / name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)
    return place


def verdict_text(result: CaseResult) -> str:
    lines = [f"{result.case.name}, toolkit {result.toolkit}"]
    for link in result.links:
        command = result.case.commands[link.index]
        lines += [f"nvlink {' '.join(command.args)}", f"  {link.verdict}"]
        lines += [f"  {line}" for line in link.detail.splitlines()]
    if result.problem:
        lines.append(result.problem)
    return "\n".join(lines) + "\n"


def setting_record(setting: Setting) -> dict:
    return {
        "toolkit": str(setting.toolkit.root) if setting.toolkit else "",
        "compilers": [str(toolkit.root) for toolkit in setting.compilers],
        "linker": setting.linker, "mode": setting.mode, "linker_args": setting.linker_args, "chained": setting.chained,
        "library": str(setting.library.root) if setting.library else "",
    }


@dataclass
class Kept:
    """A kept case, and how it was linked."""

    case: Case
    record: dict

    @staticmethod
    def read(folder: Path) -> "Kept":
        return Kept(Case.read(folder), json.loads((folder / SETTINGS).read_text()))

    def setting(self, defaults: Setting, overridden: set[str]) -> Setting:
        """The kept setting, but for what the command line says."""
        record = self.record
        words = {
            "toolkit": Toolkit(Path(record["toolkit"])) if record["toolkit"] else None,
            "compilers": [Toolkit(Path(root)) for root in record["compilers"]],
            "linker": record["linker"], "mode": record["mode"], "linker_args": record["linker_args"],
            "chained": record["chained"], "library": Toolkit(Path(record["library"])) if record.get("library") else None,
        }
        for name in overridden:
            words[name] = getattr(defaults, name)
        return Setting(cubin_diff=defaults.cubin_diff, cache=defaults.cache, seconds=defaults.seconds, **words)
