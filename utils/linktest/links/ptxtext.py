# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX as a tree of pieces that can be left out: statements, and blocks of them.

    .version 8.0                         leaf
    .visible .entry k (.param .u64 p)    block, heading ".visible .entry k (...)"
    {
      ld.param.u64 %a, [p];              leaf
      { ... }                            block without a heading
    }

Only braces, semicolons, comments and strings are understood, so that any PTX can be read.
"""

import re
from dataclasses import dataclass, field
from typing import Iterator

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"|[{};:\n]|[^{};:\n"/]+|/', re.S)

# Directives that end with their line instead of a semicolon.
LINES = (".version", ".target", ".address_size", ".file", ".loc", ".section", "@@", ".b8", ".b32", ".b64")


@dataclass
class Piece:
    text: str  # Of a leaf; of a block its heading.
    children: list["Piece"] = field(default_factory=list)
    is_block: bool = False

    def lines(self, indent: str = "") -> Iterator[str]:
        if not self.is_block:
            yield indent + self.text
            return
        if self.text:
            yield indent + self.text
        yield indent + "{"
        for child in self.children:
            yield from child.lines(indent + "  ")
        yield indent + "}"


def is_line_directive(text: str) -> bool:
    return text.strip().startswith(LINES)


def holds_initializer(text: str) -> bool:
    """Does a brace after this text open a list of values or registers instead of a block?"""
    text = text.strip()
    if text.endswith(("=", ",")) or text.startswith("@"):
        return True
    opens_body = not text or re.search(r"\.(entry|func|section)\b", text)
    return not opens_body


def parse(text: str) -> Piece:
    """The tree of a file; its root is a block without heading that isn't printed."""
    root = Piece("", is_block=True)
    stack, current, depth = [root], "", 0

    def flush() -> None:
        nonlocal current
        if current.strip():
            stack[-1].children.append(Piece(current.strip()))
        current = ""

    for token in TOKEN.findall(text):
        if token.startswith(("//", "/*")):
            continue
        if depth or token == "{" and holds_initializer(current):
            depth += (token == "{") - (token == "}")
            current += " " if token == "\n" else token
        elif token == "{":
            block = Piece(current.strip(), is_block=True)
            stack[-1].children.append(block)
            stack.append(block)
            current = ""
        elif token == "}":
            flush()
            stack.pop()
        elif token == ";":
            current += token
            flush()
        elif token == ":" and re.fullmatch(r"\s*[\w$%]+", current):
            current += token
            flush()
        elif token == "\n":
            if is_line_directive(current) and not re.search(r"\.section\b", current):
                flush()
            else:
                current += " "
        else:
            current += token
    flush()
    return root


def render(root: Piece) -> str:
    lines = []
    for child in root.children:
        lines += child.lines()
    return "\n".join(lines) + "\n"


def blocks(piece: Piece) -> Iterator[Piece]:
    """All blocks, the outer ones first."""
    if piece.is_block:
        yield piece
        for child in piece.children:
            yield from blocks(child)


def size(text: str) -> int:
    """How many pieces there are."""
    return sum(len(block.children) for block in blocks(parse(text)))
