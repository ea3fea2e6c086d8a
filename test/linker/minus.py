# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a cubin is another one without some functions.

    minus.py WHOLE PART FUNCTION...

Every fact that cubin-dump tells of PART must be one of WHOLE's, apart from
numbers of sections and symbols, offsets in the file and sizes of tables about
all functions; and every fact of WHOLE's that PART lacks must be about one of
the FUNCTIONs. Code and data of what is left must have the same bytes.
"""

import re
import subprocess
import sys

TABLES = re.compile(r"section \.(shstrtab|strtab|symtab|note|(nv\.merc)?\.?(symtab|nv\.info:|rela\.debug|debug_frame)"
                    r"|nv\.(info:|callgraph|prototype)|rela\.debug)")


def dump(*arguments):
    return subprocess.run(["cubin-dump", *arguments], check=True, capture_output=True,
                          text=True).stdout.splitlines()


def facts(path):
    result = set()
    for line in dump(path):
        if line.startswith(("cubin", "header", "segment", "note")):
            continue
        if line.startswith("section"):
            line = re.sub(r" offset=\w+", "", line)
            if TABLES.match(line):
                line = re.sub(r" (size|info)=\S+", "", line)
        result.add(re.sub(r" index=\d+", "", line))
    return result


def contents(path, name):
    lines = dump("--hex", "--section=" + name, path)
    return [line for line in lines if not line.startswith(("cubin", "section"))]


whole, part, *gone = sys.argv[1:]
left, kept = facts(whole), facts(part)
wrong = [line for line in sorted(kept - left)]
wrong += [line for line in sorted(left - kept) if not any(name in line for name in gone)]
assert any(gone[0] in line for line in left) and not any(gone[0] in line for line in kept)
names = [re.match(r"section (\S+):", line).group(1) for line in kept if line.startswith("section")]
for name in sorted(names):
    if re.match(r"\.text\.|\.nv\.constant|\.nv\.global\.init", name):
        assert contents(part, name), name
        if contents(whole, name) != contents(part, name):
            wrong.append("bytes of " + name)
for line in wrong:
    print("wrong:", line)
print(len(left), "facts,", len(kept), "left")
sys.exit(bool(wrong))
