# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts of inputs that reach a terminal, a page, a Makefile, C source, JSON: what they can't do there.

Names of symbols and sections are put into a cubin in place of one of the same length; names of files are
what the file is called, other words what the command line has.
"""

import base64
import hashlib
import html.parser
import json
import os
import re
import shutil
import subprocess
from collections import namedtuple

import attacks
from cell import CONTROL, Cell, Fault
from goods import CORPUS, containers

NAME = b"use_globals"
#: As long as NAME.
PAYLOADS = {
    "escape characters": b"\x1b[2J\x07\x1b]2;ZQ",
    "C1 and writing direction": b"\xc2\x9bAA\xe2\x80\xaeBB\xc2\x85",
    "no UTF-8": b"\xff\xfe\x80AAAAAAAA",
    "a line of its own": b"a\nerror: b!",
    "HTML": b"<img src=x>",
    "HTML in an attribute": b'"><b id=x>a',
    "a Makefile's function": b"$(shell id)",
    "C": b'x");int e;"',
    "Graphviz": b'"];a->b;["x',
    "printf": b"%s%n%s%n%sA",
}
assert all(len(payload) == len(NAME) for payload in PAYLOADS.values())

REPORTS = ("--Map=map.txt --cref --dependency-file=deps.mk --register-link-binaries=reg.c --resource-report=report.json "
           "--time-trace=trace.json --dot-file=graph.dot --dump-callgraph -v")
#: Program, what is tried, command; NAMED is the cubin with the name, FILE a file with such a name.
Text = namedtuple("Text", "program what command files")
ROWS = [
    Text("nvlink", "a symbol's name, in reports", f"nvlink -arch=sm_90 NAMED others.cubin -o out {REPORTS}",
         "map.txt deps.mk reg.c report.json trace.json graph.dot"),
    Text("ld.cuda", "a symbol's name, in reports", f"ld.cuda -arch=sm_90 NAMED others.cubin -o out {REPORTS} -M --print-memory-usage",
         "map.txt deps.mk reg.c report.json trace.json graph.dot"),
    Text("ld.cuda", "a symbol's name, in a page", "ld.cuda -arch=sm_90 NAMED others.cubin -o out --resource-report=report.html",
         "report.html"),
    Text("ld.cuda", "a symbol's name, as JSON", "ld.cuda -arch=sm_90 NAMED others.cubin -o out --print-memory-usage=json", "-json"),
    Text("ld.cuda", "a symbol's name, in errors", "ld.cuda -arch=sm_90 NAMED NAMED -o out", ""),
    Text("nvlink", "a symbol's name, in errors", "nvlink -arch=sm_90 NAMED NAMED -o out", ""),
    Text("ld.cuda", "a symbol's name, in errors for Visual Studio",
         "ld.cuda -arch=sm_90 NAMED NAMED -o out --error-format=vs", ""),
    Text("ld.cuda", "a symbol's name, in SARIF", "ld.cuda -arch=sm_90 NAMED NAMED -o out --error-format=sarif", "-json"),
    Text("ld.cuda", "a symbol's name, in JSON", "ld.cuda -arch=sm_90 NAMED NAMED -o out --error-format=json", "-lines"),
    Text("ld.cuda", "a symbol's name, in a host object", "ld.cuda -arch=sm_90 NAMED others.cubin --host-object=out.o", ""),
    Text("cubin-dump", "a symbol's name", "cubin-dump NAMED", ""),
    Text("cubin-dump", "a symbol's name, as JSON", "cubin-dump --json NAMED", "-json"),
    Text("cubin-dump", "a symbol's name, as YAML", "cubin-dump --yaml NAMED", ""),
    Text("cubin-diff", "a symbol's name", "cubin-diff NAMED globals.cubin", ""),
    Text("cubin-diff", "a symbol's name, as JSON", "cubin-diff --json NAMED globals.cubin", "-json"),
    Text("cubin-diff", "a member's name", "cubin-diff ARCHIVE globals.cubin", ""),
    Text("cubin-diff", "a member's name, as JSON", "cubin-diff --json ARCHIVE globals.cubin", "-json"),
    Text("cubin-diff", "a file's name in a wheel", "cubin-diff globals.cubin WHEEL", ""),
    Text("cubin-size", "a symbol's name", "cubin-size --by=function,template,source NAMED", ""),
    Text("cubin-size", "a symbol's name, as JSON", "cubin-size --json NAMED", "-json"),
    Text("cubin-size", "a symbol's name, in a page", "cubin-size --html NAMED", "-html"),
    Text("cubin-check", "a symbol's name", "cubin-check --gpu=sm_90 --all NAMED", ""),
    Text("cubin-check", "a file's name, as JSON", "cubin-check --gpu=sm_100 --json FILE", "-json"),
    Text("cubin-check", "a file's name, in SARIF", "cubin-check --gpu=sm_100 --sarif FILE", "-json"),
    Text("cubin-check", "a file's name, in a page", "cubin-check --gpu=sm_90 --html FILE", "-html"),
    Text("cubin-check", "a symbol's name, of --resources", "cubin-check --resources NAMED", ""),
    Text("cubin-check", "a symbol's name, of --resources as JSON", "cubin-check --resources --json NAMED", "-json"),
    Text("cubin-check", "a symbol's name, on the page of --resources", "cubin-check --resources --html NAMED", "-html"),
    Text("cubin-check", "a member's name", "cubin-check --gpu=sm_100 ARCHIVE", ""),
    Text("cubin-check", "a file's name in a wheel", "cubin-check --gpu=sm_100 WHEEL", ""),
    Text("cubin-prune", "a symbol's name", "cubin-prune --drop-kernels=nothing --keep=sm_90 NAMED -o out --verbose", ""),
    Text("fatbinary", "a text of the command line, in C source",
         "fatbinary --create=out --embedded-fatbin=out.c --image3=kind=elf,sm=90,file=globals.cubin --ident=WORD -g",
         "out.c"),
    Text("ld.cuda", "an input's name, in a Makefile", "ld.cuda -arch=sm_90 FILE others.cubin -o out --dependency-file=deps.mk",
         "deps.mk"),
    Text("ld.cuda", "an input's name, in reports", f"ld.cuda -arch=sm_90 FILE others.cubin -o out -t {REPORTS}",
         "map.txt deps.mk reg.c report.json trace.json graph.dot"),
    Text("ld.cuda", "an input's name, in a page", "ld.cuda -arch=sm_90 FILE others.cubin -o out --resource-report=report.html",
         "report.html"),
    Text("ld.cuda", "a member's name, in messages", "ld.cuda -arch=sm_90 --whole-archive ARCHIVE ARCHIVE -t -o out", ""),
    Text("cubin-dump", "a member's name", "cubin-dump ARCHIVE", ""),
    Text("cubin-dump", "a member's name, with --extract", "cubin-dump ARCHIVE --extract=out", ""),
    Text("cubin-dump", "a file's name in a wheel, with --extract", "cubin-dump WHEEL --extract=out", ""),
    Text("cubin-dump", "a member's name, as JSON", "cubin-dump --json ARCHIVE", "-json"),
    Text("cubin-size", "a member's name", "cubin-size --by=member,file ARCHIVE", ""),
    Text("cubin-size", "a member's name, in a page", "cubin-size --html --by=member,file ARCHIVE", "-html"),
    Text("cubin-size", "a file's name in a wheel", "cubin-size --by=file WHEEL", ""),
    Text("ld.cuda", "a module's id, in C source", "ld.cuda -arch=sm_90 MODULE -o out --register-link-binaries=reg.c",
         "reg.c"),
    Text("ld.cuda", "a module's id, in a host object", "ld.cuda -arch=sm_90 MODULE --host-object=out.o", ""),
    Text("ld.cuda", "a budget's pattern", "ld.cuda -arch=sm_90 globals.cubin others.cubin -o out --budget=PATTERNS", ""),
    Text("cubin-prune", "a file of patterns", "cubin-prune --keep-kernels=@PATTERNS function.o -o out", ""),
    Text("reproducer", "an input's name", "reproducer replay MADE", ""),
]
MODULE = b"_calls_function_cu_id"


class Tags(html.parser.HTMLParser):
    """Whether a name has made an element."""

    def __init__(self):
        super().__init__()
        self.made, self.scripts = [], 0

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("img", "iframe") or values.get("id") == "x" or values.get("src") == "x":
            self.made.append(tag)
        if tag == "script":
            self.scripts += 1


def check_html(data):
    parser = Tags()
    parser.feed(data.decode("utf-8"))
    if parser.made:
        raise Fault(f"a name makes an element: {parser.made}")
    own = re.search(rb"<script>(.*)</script></body></html>\s*$", data, re.S)
    if parser.scripts != 1 or not own:
        raise Fault(f"{parser.scripts} scripts, and not the page's own alone")
    if b"'sha256-%s'" % base64.b64encode(hashlib.sha256(own[1]).digest()) not in data:
        raise Fault("the page's policy doesn't name its script")
    if b"Content-Security-Policy" not in data:
        raise Fault("the page has no Content-Security-Policy")


def check_plain(data):
    shown = data.decode("utf-8", "surrogateescape")
    bad = CONTROL.search(shown)
    if bad:
        raise Fault(f"control character {bad.group()!r}: {shown[max(0, bad.start() - 40):bad.end() + 40]!r}")
    if re.search(r"^error: ", shown, re.M):
        raise Fault("a name makes a line of its own")


def check_c(data):
    check_plain(data)
    code = re.sub(rb'/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"', b'""', data, flags=re.S)
    if b"int e" in code or b"$(" in code:
        raise Fault(f"a name makes code: {code[:300]!r}")


def check_graph(data):
    check_plain(data)
    outside = re.sub(rb'"(\\.|[^"\\])*"', b'""', data, flags=re.S)
    if b"a->b" in outside:
        raise Fault("a name makes an edge")


def check_make(data, folder):
    # A name stands there byte for byte, C1 and all: make has to find the file.
    if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|^error: ", data, re.M):
        raise Fault(f"control characters: {data[:200]!r}")
    if not shutil.which("make"):
        return
    before = set(os.listdir(folder))
    done = subprocess.run(["make", "-n", "-f", "deps.mk"], cwd=folder, capture_output=True, check=False,
                          stdin=subprocess.DEVNULL)
    if set(os.listdir(folder)) != before or b"uid=" in done.stdout + done.stderr or b"missing separator" in done.stderr:
        raise Fault(f"a name means something to make: {done.stderr[:300]!r}")


def check_file(name, folder):
    data = (folder / name).read_bytes()
    if name.endswith(".json"):
        json.loads(data)
    elif name.endswith(".html"):
        check_html(data)
    elif name.endswith(".c"):
        check_c(data)
    elif name.endswith(".dot"):
        check_graph(data)
    elif name.endswith(".mk"):
        check_make(data, folder)
    else:
        check_plain(data)


class Try:
    """One row with one payload."""

    def __init__(self, row, name, payload):
        self.row, self.name, self.payload = row, name, payload

    def outcome(self, around):
        attack = attacks.Attack(self.name, attacks.nothing, set(), "")
        cell = Cell(around, self, attack)
        try:
            return self.row.program, self.row.what, self.name, self.attempt(cell), "good"
        except (Fault, ValueError) as fault:
            return self.row.program, self.row.what, self.name, f"{fault}", "bad"
        finally:
            cell.close()

    # What a Cell wants to know of a row.
    file, writes, kind, needs = "function.o", (), "read", ""

    @property
    def program(self):
        return self.row.program

    @property
    def command(self):
        return self.row.command

    def attempt(self, cell):
        words = self.words(cell, cell.words())
        if words is None:
            return "-"
        status, text = cell.finish(*cell.start(words))
        end = "-json" if "-json" in self.row.files else ""
        cell.check_ends([(status, b"" if "-html" in self.row.files else text)])
        if status != 0 and "errors" not in self.row.what and "SARIF" not in self.row.what:
            return "refused"
        if end:
            json.loads(text)
        if "-lines" in self.row.files:
            for line in text.splitlines():
                json.loads(line)
        if "-html" in self.row.files:
            check_html(text)
        for name in self.row.files.split():
            if not name.startswith("-"):
                check_file(name, cell.work)
        return "harmless"

    def words(self, cell, words):
        """Makes the files that the words name."""
        work, payload = cell.work, self.payload
        cubin = (CORPUS / "variables/globals-a.sm_90.cubin").read_bytes()
        (work / "globals.cubin").write_bytes(cubin)
        shutil.copy2(CORPUS / "variables/globals-b.sm_90.cubin", work / "others.cubin")
        for name in ("function.o",):
            shutil.copy2(cell.around.goods / name, work / name)
        named = cubin.replace(NAME, payload)
        file_name = os.fsdecode(payload + b".cubin")

        def archive():
            if b"/" in payload or b"\n" in payload:
                return None
            table = payload + b".o/\n"
            members = [containers.member(b"//", table), containers.member(b"/0", named)]
            (work / "lib.a").write_bytes(containers.archive(members))
            return "lib.a"

        def module():
            data = (work / "function.o").read_bytes()
            (work / "module.o").write_bytes(data.replace(MODULE, (payload + b"B" * 30)[:len(MODULE)]))
            return "module.o"

        def patterns():
            (work / "patterns").write_bytes(payload + b"\n")
            return "patterns"

        def wheel():
            return None if not is_text(payload) else write_wheel(work, payload)

        def made():
            (work / file_name).write_bytes(cubin)
            done = subprocess.run([cell.around.programs["ld.cuda"], "-arch=sm_90", "./" + file_name, "others.cubin", "-o", "out",
                                   "--reproduce=made.tar"], cwd=work, capture_output=True, check=False)
            return "made.tar" if done.returncode == 0 else None

        def file():
            (work / file_name).write_bytes(cubin)
            return "./" + file_name

        makers = {"NAMED": lambda: write(work / "named.cubin", named), "ARCHIVE": archive, "MODULE": module,
                  "PATTERNS": patterns, "WHEEL": wheel, "MADE": made, "FILE": file,
                  "WORD": lambda: None if b"\0" in payload else os.fsdecode(payload)}
        result = []
        for word in words:
            for key, make in makers.items():
                if key in word:
                    value = make()
                    if value is None:
                        return None
                    word = word.replace(key, value)
            result.append(word)
        return result


def is_text(payload):
    try:
        payload.decode()
        return True
    except UnicodeDecodeError:
        return False


def write(path, data):
    path.write_bytes(data)
    return path.name


def write_wheel(work, payload):
    import zipfile
    with zipfile.ZipFile(work / "odd.whl", "w") as file:
        file.writestr(payload.decode() + ".cubin", (CORPUS / "variables/globals-a.sm_90.cubin").read_bytes())
    return "odd.whl"


def texts(only):
    return [Try(row, name, payload) for row in ROWS if not only or row.program in only
            for name, payload in PAYLOADS.items()]
