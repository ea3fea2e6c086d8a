# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cases.py SOURCE FILE [--complete]: each case of the file is found, and in its sound twin nothing at all.

A case is three lines, and an empty one behind them:

    NAME-OF-THE-FINDING: what is wrong
    bad: STEP | STEP
    sound: STEP | STEP

Steps run in a folder of the case's own. The last one is `check OPTIONS FILES`, which is cubin-check --json. Others are `make` and
`patch` (make.py, patch.py), `write FILE TEXT`, and programs; "%corpus" is the folder of compiled modules. --complete: is there a case for each finding?
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path.cwd()
SOURCE = Path(sys.argv[1])
HERE = SOURCE / "test/cubin-check"
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import make  # noqa: E402

CORPUS = SOURCE / "test/corpus/Inputs"


def run(steps, folder):
    """The findings, as a list."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for step in steps.split(" | "):
        name, *words = shlex.split(step.replace("%corpus", str(CORPUS)))
        if name == "write":
            (folder / words[0]).write_text(words[1].replace("\\n", "\n"))
            continue
        if name == "check":
            result = subprocess.run(["cubin-check", "--json", *words], cwd=folder, capture_output=True, text=True, check=False)
            return json.loads(result.stdout)["findings"]
        if name == "make":
            os.chdir(folder)
            make.main(*words)
            os.chdir(HOME)
            continue
        command = [sys.executable, str(HERE / "patch.py")] if name == "patch" else [name]
        result = subprocess.run([*command, *words], cwd=folder, capture_output=True, text=True, check=False)
        if result.returncode:
            sys.exit(f"{step}: {result.stdout}{result.stderr}")
    sys.exit(f"{steps}: no check in it")


def main():
    text = Path(sys.argv[2]).read_text()
    cases = re.findall(r"^([\w-]+): (.*)\nbad: (.*)\nsound: (.*)$", text, re.M)
    wrong = []
    for number, (name, title, bad, sound) in enumerate(cases):
        if name not in {finding["id"] for finding in run(bad, Path(f"{number}-bad"))}:
            wrong.append(f"{name}: {title}: not found")
        for finding in run(sound, Path(f"{number}-sound")):
            wrong.append(f"{name}: {title}: its twin has {finding['id']}: {finding['what']}")
    if "--complete" in sys.argv:
        table = (SOURCE / "tools/cubin-check/Findings.def").read_text()
        for name in re.findall(r'^FINDING\(\w+, "([\w-]+)"', table, re.M):
            if name not in {case[0] for case in cases}:
                wrong.append(f"{name}: no case")
    print("\n".join(wrong) or f"{len(cases)} cases found, {len(cases)} sound")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
