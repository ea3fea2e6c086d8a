# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links objects in steps and at once, and compares the two images.

A test says in words what it is about and has lines

    STEPS shared [sm_75 sm_90]: (shared-static shared-module-b) statics-a

Each names objects of test/corpus/Inputs (shared-static.sm_75.cubin, ...; after
`@` what stands between architecture and suffix: lines@lineinfo); what stands in
parentheses is linked with -r first. Words that begin with `-` are options of
the last link. The image must be that of the direct link of the same objects in
the same order: code, constants, initial values, debug information, sizes of
memory, values of symbols, relocations. Only orders of tables may differ.

    steps.py LINKER WORK TEST...
"""

import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

INPUTS = Path(__file__).resolve().parent.parent / "corpus" / "Inputs"
LINE = re.compile(r"^STEPS (\S+) \[([^]]+)\]: (.*)$", re.M)

SHT_SYMTAB, SHT_RELA, SHT_NOTE, SHT_NOBITS, SHT_REL = 2, 4, 7, 8, 9
ATTRIBUTES = 0x70000000  # .nv.info and the like hold numbers of symbols.


class Image:
    """What an image means, free of the orders of its tables."""

    def __init__(self, path):
        self.data = path.read_bytes()
        table, = struct.unpack_from("<Q", self.data, 40)
        count, names = struct.unpack_from("<HH", self.data, 60)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, table + 64 * i)
                        for i in range(count)]
        self.names = [self.string(names, header[0]) for header in self.headers]
        symtab = next(i for i, header in enumerate(self.headers) if header[1] == SHT_SYMTAB)
        self.symbols = [self.symbol(symtab, entry) for entry in
                        struct.iter_unpack("<IBBHQQ", self.bytes(symtab))]

    def bytes(self, section):
        _, kind, _, _, offset, size, *_ = self.headers[section]
        return b"" if kind == SHT_NOBITS else self.data[offset:offset + size]

    def string(self, section, offset):
        start = self.headers[section][4] + offset
        return self.data[start:self.data.index(b"\0", start)].decode("latin1")

    def symbol(self, symtab, entry):
        name, info, other, section, value, size = entry
        place = self.names[section] if section < len(self.names) else f"{section:#x}"
        return (self.string(self.headers[symtab][6], name), info, other, place, value, size)

    def facts(self):
        """Sorted lines, one for each thing that the driver or a debugger sees."""
        for symbol in self.symbols:
            name, info, other, place, value, size = symbol
            yield f"symbol {name}: {info:#x} {other:#x} in {place} at {value:#x}, {size:#x} bytes"
        for i, (_, kind, flags, _, _, size, _, target, align, _) in enumerate(self.headers):
            name = self.names[i]
            if kind in (SHT_RELA, SHT_REL):
                layout = "<QQq" if kind == SHT_RELA else "<QQ"
                for offset, info, *addend in struct.iter_unpack(layout, self.bytes(i)):
                    what = self.symbols[info >> 32][0]
                    yield f"{name}: {offset:#x} {info & 0xffffffff} {what} {addend}"
            elif kind == SHT_NOBITS:
                yield f"{name}: {size:#x} bytes, aligned to {align:#x}"
            elif kind >= ATTRIBUTES:
                yield f"{name}: {size:#x} bytes"
            elif kind == 1:
                yield f"{name}: {flags:#x}, aligned to {align:#x}: {self.bytes(i).hex()}"


def parse(words):
    """Turns a line into a tree: a list of names and of trees that -r links."""
    tree, stack = [], []
    for word in re.findall(r"[()]|[^()\s]+", words):
        if word == "(":
            stack.append(tree)
            tree = []
        elif word == ")":
            inner, tree = tree, stack.pop()
            tree.append(inner)
        else:
            tree.append(word)
    assert not stack
    return tree


class Links:
    def __init__(self, linker, architecture, options, folder):
        self.linker, self.architecture = linker, architecture
        self.options, self.folder = options, folder
        self.parts = 0
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    def run(self, *arguments):
        subprocess.run([*self.linker, f"-arch={self.architecture}", *arguments], cwd=self.folder,
                       stdin=subprocess.DEVNULL, check=True)

    def object(self, name):
        module, _, mode = name.partition("@")
        file = f"{module}.{self.architecture}{'.' + mode if mode else ''}.cubin"
        path = next(INPUTS.glob(f"*/{file}"), None)
        if not path:
            sys.exit(f"{file} is missing")
        return [path]

    def flatten(self, tree):
        return [path for node in tree
                for path in (self.object(node) if isinstance(node, str) else self.flatten(node))]

    def relocatable(self, tree):
        inputs = self.inputs(tree)
        self.parts += 1
        output = f"part{self.parts}.cubin"
        self.run("-r", *inputs, "-o", output)
        return output

    def inputs(self, tree):
        return [path for node in tree for path in
                (self.object(node) if isinstance(node, str) else [self.relocatable(node)])]

    def image(self, inputs, output):
        self.run(*self.options, *inputs, "-o", output)
        return sorted(Image(self.folder / output).facts())


def main():
    linker, work, tests = sys.argv[1].split(), Path(sys.argv[2]), sys.argv[3:]
    count = failed = 0
    for test in tests:
        for name, architectures, words in LINE.findall(Path(test).read_text()):
            options = [w for w in words.split() if w.startswith("-")]
            tree = parse(" ".join(w for w in words.split() if not w.startswith("-")))
            for architecture in architectures.split():
                links = Links(linker, architecture, options, work / f"{name}.{architecture}")
                count += 1
                try:
                    direct = links.image(links.flatten(tree), "direct.cubin")
                    steps = links.image(links.inputs(tree), "steps.cubin")
                except subprocess.CalledProcessError as error:
                    failed += 1
                    print(f"{name}.{architecture}: status {error.returncode}")
                    continue
                wrong = [f"- {line}" for line in direct if line not in steps]
                wrong += [f"+ {line}" for line in steps if line not in direct]
                failed += bool(wrong) or direct != steps
                if wrong or direct != steps:
                    print(f"{name}.{architecture}: not as the direct link")
                    print(*(f"    {line[:200]}" for line in wrong[:10]), sep="\n")
    print(f"{count - failed} of {count} links in steps are as the direct ones")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
