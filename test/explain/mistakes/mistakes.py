# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Typical mistakes: what nvlink says of each, and what this linker says.

    mistakes.py check NVLINK LD_CUDA [TOOL...]   this linker under both names against the cases; without the
                                       tools (ptxas) cases that need them are left out
    mistakes.py reference NVLINK       NVIDIA's nvlink against the cases
    mistakes.py page                   the page of the manual, made of the cases
    mistakes.py record [--nvlink=P] [--ours=NVLINK,LD_CUDA]   writes outputs into the cases
    mistakes.py inputs                 makes the inputs anew (in /src, which is in their lines)

Cases stand in *.cases, a chapter a file:

    = Chapter
    == Title
    What was done wrong, and what to do. Text of the manual.
    setup: shell commands that make further files
    needs: ptxas
    names: nvlink          ld.cuda has no such option, or another one
    run: words of the command line
    -- nvlink STATUS      NVIDIA's nvlink 13.0.88, as recorded
    text
    -- as nvlink STATUS   this linker under that name
    text
    -- as ld.cuda STATUS
    text

Files that a command line or the setup names come from Inputs; what they are made of, and how, is in Inputs/inputs.txt.
Under nvlink's name this linker has to say all that nvlink says, first and in its order, and have its status. A case for which
that isn't so says why: "differs: ...".
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
INPUTS = HERE / "Inputs"
RUNS = ("nvlink", "as nvlink", "as ld.cuda")
MAX_SOURCE_LINES = 15


def read_recipes():
    """The command that makes each file of Inputs."""
    lines = (INPUTS / "inputs.txt").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines)


class Case:
    def __init__(self, title):
        self.title = title
        self.text = []
        self.fields = {}
        self.outputs = {}  # Of RUNS: status, text.

    def words(self):
        return shlex.split(self.fields["run"])

    def runs(self):
        """Of RUNS: what the case is about."""
        return RUNS[:2] if self.fields.get("names") == "nvlink" else RUNS

    def files(self):
        """Names in Inputs that the case uses."""
        text = " ".join(self.fields.get(key, "") for key in ("setup", "run"))
        names = re.findall(r"[\w.-]+", text)
        return [name for name in dict.fromkeys(names) if (INPUTS / name).is_file()]

    def sources(self, recipes):
        names = [recipes.get(name, name).split()[-1] for name in self.files()]
        return [name for name in dict.fromkeys(names) if name.endswith((".cu", ".ptx", ".c"))]

    def run(self, program):
        with tempfile.TemporaryDirectory() as folder:
            for name in self.files():
                shutil.copyfile(INPUTS / name, Path(folder) / name)
            environment = {k: v for k, v in os.environ.items()
                           if k not in ("LLDCUDA_FLAGS", "CLICOLOR_FORCE")}
            if "setup" in self.fields:
                subprocess.run(["bash", "-ec", self.fields["setup"]], cwd=folder, check=True)
            done = subprocess.run([program, *self.words()], cwd=folder, env=environment, text=True,
                                  errors="replace", capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        text = done.stdout + done.stderr
        text = re.sub(r"'/[^']*/ptxas'", "'/usr/local/cuda/bin/ptxas'", text)
        # Temporary files of ptxas.
        text = re.sub(r"/\S*/tmpxft[^,:\s']*|(?<=ptxas )/tmp/[^,:\s']*", "FILE.ptx", text)
        return done.returncode, text.rstrip("\n")


class Chapter:
    def __init__(self, path):
        self.path = path
        self.cases = []
        self.title = ""
        self.read()

    def read(self):
        case = target = None
        for line in self.path.read_text().splitlines():
            if match := re.fullmatch(r"-- (.+) (-?\d+)", line):
                target = []
                case.outputs[match[1]] = (int(match[2]), target)
            elif match := re.fullmatch(r"= (.+)", line):
                self.title = match[1]
            elif match := re.fullmatch(r"== (.+)", line):
                case, target = Case(match[1]), None
                self.cases.append(case)
            elif target is not None:
                target.append(line)
            elif match := re.fullmatch(r"(setup|run|needs|names|differs): (.+)", line):
                case.fields[match[1]] = match[2]
            elif case:
                case.text.append(line)
        for case in self.cases:
            case.outputs = {k: (s, "\n".join(t).strip("\n")) for k, (s, t) in case.outputs.items()}

    def write(self):
        out = [f"= {self.title}", ""]
        for case in self.cases:
            out += [f"== {case.title}", *"\n".join(case.text).strip("\n").splitlines()]
            out += [f"{key}: {case.fields[key]}" for key in ("setup", "needs", "names", "differs", "run") if key in case.fields]
            for name in RUNS:
                if name in case.outputs:
                    status, text = case.outputs[name]
                    out += [f"-- {name} {status}", *text.splitlines()]
            out.append("")
        self.path.write_text("\n".join(out))


def chapters():
    return [Chapter(path) for path in sorted(HERE.glob("*.cases"))]


def own_lines(text):
    """Without what only this linker says."""
    return [line for line in text.splitlines() if not line.startswith(">>>")]


def compare(case, name, program):
    """Whether the program says what the case says."""
    expected = case.outputs[name]
    found = case.run(program)
    if found == expected:
        return True
    print(f"{case.title}: {name}: status {found[0]}, expected {expected[0]}\n{found[1]}\n-- expected\n{expected[1]}\n")
    return False


def check_reference(case):
    """Whether the case as it is written keeps the promise about nvlink's words."""
    if "differs" in case.fields:
        return True
    status, text = case.outputs["nvlink"]
    own_status, own_text = case.outputs["as nvlink"]
    lines = own_lines(own_text)
    said = text.splitlines()
    rest = lines[len(said):]
    if status == own_status and lines[:len(said)] == said and all(" warning : " in line for line in rest):
        return True
    print(f"{case.title}: as nvlink it doesn't say what nvlink says")
    return False


def heading(text, character):
    return [text, character * len(text), ""]


def block(kind, text):
    lines = text.splitlines() or ["(nothing)"]
    return [f".. code-block:: {kind}", "", *("    " + line for line in lines), ""]


def label_of(case):
    """What the index calls a case's section."""
    return "mistake-" + re.sub(r"[^a-z0-9]+", "-", case.title.lower()).strip("-")


#: What a message begins with, under any of the names.
MESSAGE = re.compile(r"^(?:nvlink (?:error|fatal|warning|info) *: |ld\.cuda: (?:error|warning|note): |ptxas[^;]*; )(.*)")


def without_names(message):
    """Names, numbers and sizes differ from link to link."""
    message = re.sub(r"'[^']*'", "'...'", message)
    return re.sub(r"\b(?:0x[0-9a-f]+|\d+)\b", "N", message).rstrip(" .:;")


def index():
    """Each message once, in alphabetical order, and the sections that show it."""
    places = {}
    for chapter in chapters():
        for case in chapter.cases:
            for name in RUNS:
                for line in case.outputs.get(name, (0, ""))[1].splitlines():
                    if match := MESSAGE.match(line):
                        message = without_names(match[1])
                        # ld.cuda begins some of nvlink's with a small letter.
                        message, cases = places.setdefault(message.lower(), (message, []))
                        if case not in cases:
                            cases.append(case)
    out = heading("Index of messages", "-")
    out += ["``'...'`` stands for a name, and ``N`` for a number. The index includes messages of ``ptxas``.", ""]
    out += [".. list-table::", "   :header-rows: 1", "   :widths: 60 40", "", "   * - Message", "     - Mistakes"]
    for _, (message, cases) in sorted(places.items()):
        out += [f"   * - ``{message}``", "     - " + ", ".join(f":ref:`{label_of(case)}`" for case in cases)]
    return out + [""]


def page():
    recipes = read_recipes()
    count = sum(len(chapter.cases) for chapter in chapters())
    out = [".. Made by test/explain/mistakes/mistakes.py page; a test compares them.", ""]
    out += heading("Typical mistakes", "=")
    out += [f"This page shows {count} mistakes, what NVIDIA's nvlink 13.0.88 prints for each of them, and what this linker prints under the names",
            "nvlink and ld.cuda. The tests contain the same cases, and compare the texts with what nvlink and this linker print.", ""]
    out += index()
    for chapter in chapters():
        out += heading(chapter.title, "-")
        for case in chapter.cases:
            out += [f".. _{label_of(case)}:", "", *heading(case.title, "~")]
            out += ["\n".join(case.text).strip("\n"), ""]
            for name in case.sources(recipes):
                text = (INPUTS / name).read_text()
                if len(text.splitlines()) <= MAX_SOURCE_LINES:
                    out += [f"``{name}``", "", *block("text" if name.endswith(".ptx") else "c++", text.rstrip("\n"))]
            command = "".join(f"$ {line}\n" for line in [case.fields.get("setup")] if line)
            out += block("console", command + f"$ nvlink {case.fields['run']}")
            titles = {"nvlink": "NVIDIA's nvlink", "as nvlink": "This linker as nvlink", "as ld.cuda": "As ld.cuda"}
            for name in RUNS:
                if name in case.outputs:
                    status, text = case.outputs[name]
                    out += [f"{titles[name]}, exit status {status}:", "", *block("text", text)]
            if "differs" in case.fields:
                out += [case.fields["differs"], ""]
    return "\n".join(out).rstrip("\n") + "\n"


def record(arguments):
    programs = {}
    for word in arguments:
        if word.startswith("--nvlink="):
            programs["nvlink"] = word[len("--nvlink="):]
        elif word.startswith("--ours="):
            programs["as nvlink"], programs["as ld.cuda"] = word[len("--ours="):].split(",")
    for chapter in chapters():
        for case in chapter.cases:
            for name, program in programs.items():
                if name in case.runs():
                    case.outputs[name] = case.run(program)
                else:
                    case.outputs.pop(name, None)
        chapter.write()


def make_inputs():
    folder = Path("/src")
    shutil.copytree(INPUTS, folder, dirs_exist_ok=True)
    for name, command in read_recipes().items():
        subprocess.run(command, shell=True, cwd=folder, check=True)
        shutil.copyfile(folder / name, INPUTS / name)


def main():
    command, *arguments = sys.argv[1:]
    if command == "page":
        return sys.stdout.write(page())
    if command == "record":
        return record(arguments)
    if command == "inputs":
        return make_inputs()
    names = RUNS[1:] if command == "check" else RUNS[:1]
    programs = dict(zip(names, arguments))
    tools = arguments[len(names):]
    good = bad = 0
    for chapter in chapters():
        for case in chapter.cases:
            can_run = command != "check" or case.fields.get("needs") in (None, *tools)
            results = [compare(case, name, program) for name, program in programs.items()
                       if name in case.runs() and can_run]
            ok = all(results) and (command != "check" or check_reference(case))
            good, bad = good + ok, bad + (not ok)
    print(f"{good} mistakes as they are written, {bad} not")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
