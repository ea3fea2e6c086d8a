# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a case small: leaves out words, files and parts of files that the bug
doesn't need; and makes a test of what is left."""
import os
import re
import shlex
import struct
import subprocess
import tempfile

from cubins import Cubin, shrink_cubin, shrink_strings, smallest
from errors import UserError


def archive_members(data):
    """Header and contents of each member, or None. Symbol tables are left out,
    tables of long names stay with the first."""
    if data[:8] != b"!<arch>\n":
        return None
    members, names, position = [], b"", 8
    while position + 60 <= len(data):
        header = data[position:position + 60]
        try:
            size = int(header[48:58])
        except ValueError:
            return None
        if size < 0:
            return None
        whole = data[position:position + 60 + size + size % 2]
        if len(whole) < 60 + size:
            return None
        if header.startswith(b"// "):
            names = whole
        elif header[:16].rstrip() not in (b"/", b"/SYM64/"):
            members.append(whole)
        position += len(whole)
    return names, members


def shrink_words(case, runner):
    inputs = set(case.inputs())
    groups, i = [], 0
    while i < len(case.words):
        word = case.words[i]
        takes_value = (word.startswith("-") and "=" not in word and i + 1 < len(case.words)
                       and not case.words[i + 1].startswith("-")
                       and case.words[i + 1] not in inputs)
        groups.append(case.words[i:i + 1 + takes_value])
        i += 1 + takes_value

    def join(kept):
        words = [w for group in kept for w in group]
        files = {n: d for n, d in case.files.items()
                 if any(w == n or w.endswith("=" + n) for w in words)}
        return case.copy(files=files, words=words)

    # The output has a name of its own, so that nothing else is written.
    kept = smallest(groups, lambda g: any(w[0] == "-o" for w in g) == any(w[0] == "-o" for w in groups)
                    and runner.shows_bug(join(g)))
    return join(kept)


def replaced(case, name, data):
    return case.copy(files={**case.files, name: data})


def shrink_file(case, name, runner):
    data = case.files[name]
    parts = archive_members(data)
    if parts:
        names, members = parts

        def build(kept):
            return b"!<arch>\n" + names + b"".join(kept)

        if runner.shows_bug(replaced(case, name, build(members))):
            members = smallest(members, lambda k: runner.shows_bug(replaced(case, name, build(k))))
            case = replaced(case, name, build(members))
        return case
    try:
        cubin = Cubin(data)
    except ValueError:
        return case

    def holds(candidate):
        try:
            return runner.shows_bug(replaced(case, name, candidate.bytes()))
        except struct.error:
            return False

    # Laid out anew it may be another file.
    if not holds(cubin):
        return case
    cubin = shrink_strings(shrink_cubin(cubin, holds), holds)
    return replaced(case, name, cubin.bytes())


def short_names(case, runner):
    """Files in the folder itself, under their own names."""
    files, words, taken, new = {}, list(case.words), set(), {}
    for name, data in case.files.items():
        short, n = os.path.basename(name), 1
        while short in taken:
            n += 1
            short = f"{n}-{os.path.basename(name)}"
        taken.add(short)
        files[short], new[name] = data, short
        words = [short if w == name else w.removesuffix("=" + name) + "=" + short
                 if w.endswith("=" + name) else w for w in words]
    links = {new[n]: new[t] for n, t in case.links.items() if n in new and t in new}
    candidate = case.copy(files, words, links)
    return candidate if runner.shows_bug(candidate) else case


def shrink(case, runner, log):
    runner.start(case)
    size = None
    while size != case.size():
        size = case.size()
        case = shrink_words(case, runner)
        for name in case.inputs():
            case = shrink_file(case, name, runner)
        log(f"{len(case.inputs())} inputs, {case.size()} bytes after {runner.runs} runs")
    return short_names(case, runner)


def test_of(case, words, expect, cubin_dump):
    """The text of a test. WORDS are the command line. Lines of the YAML come from the file: lit, which
    runs what stands after its keywords anywhere, must not read them."""
    lines, documents = [], []
    for name in case.inputs():
        data = case.files[name]
        try:
            Cubin(data)
        except ValueError:
            raise UserError(f"'{name}' can't be written as YAML, since it is not a cubin; extract its cubin first")
        if not re.fullmatch(r"\w[\w.+-]*", name, re.ASCII):
            raise UserError(f"'{name}' can't be a file name in a test; rename it")
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(data)
            file.flush()
            result = subprocess.run([cubin_dump, "--yaml", file.name], text=True,
                                    errors="surrogateescape", capture_output=True)
        if result.returncode:
            raise UserError(f"'{name}': {result.stderr.strip()}")
        yaml = "".join(l + "\n" for l in result.stdout.splitlines() if not l.startswith("#"))
        flags = " ".join(f"{48 + i}={b}" for i, b in enumerate(data[48:52]) if b)
        lines += [f"RUN: yaml2obj {name}.yaml -o {name}",
                  f"RUN: %python %source_dir/test/nvlink-options/patch.py {name} {name} {flags}"]
        documents.append(f"#--- {name}.yaml\n{yaml}")
    line = " ".join(map(shlex.quote, words))
    text = ("What the linker should do with this.\n\n"
            "RUN: rm -rf %t && split-file %s %t && cd %t\n" + "\n".join(lines) +
            f"\nRUN: not %ld_cuda {line} 2>&1 | FileCheck %s\n\n"
            f"CHECK: {expect}\n\nEND.\n\n" + "".join(documents))
    return text.encode(errors="surrogateescape")
