# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DWARF 2 of a module as PTX holds it: one compile unit, a subprogram for each function.

Codes are DWARF's (DWARF Debugging Information Format, version 2, section 7.5).
"""

COMPILE_UNIT, SUBPROGRAM = 0x11, 0x2e
NAME, STATEMENTS, LOW, HIGH, LANGUAGE, LINE, EXTERNAL = 0x03, 0x10, 0x11, 0x12, 0x13, 0x3b, 0x3f
ADDRESS, STRING, DATA1, DATA2, DATA4, FLAG = 0x01, 0x08, 0x0b, 0x05, 0x06, 0x0c
C_PLUS_PLUS = 4


class Section:
    """Lines of a debug section and the number of bytes that they stand for."""

    def __init__(self):
        self.lines, self.size = [], 0

    def bytes(self, *values: int) -> None:
        self.lines.append(f"  .b8 {', '.join(str(v) for v in values)}")
        self.size += len(values)

    def string(self, text: str) -> None:
        self.bytes(*text.encode(), 0)

    def reference(self, width: int, name: str) -> None:
        self.lines.append(f"  .b{8 * width} {name}")
        self.size += width


def abbreviations() -> list[str]:
    section = Section()
    section.bytes(1, COMPILE_UNIT, 1, NAME, STRING, LANGUAGE, DATA2, STATEMENTS, DATA4, 0, 0)
    section.bytes(2, SUBPROGRAM, 0, LOW, ADDRESS, HIGH, ADDRESS, NAME, STRING, LINE, DATA1, EXTERNAL, FLAG, 0, 0)
    section.bytes(0)
    return section.lines


def debug_sections(source: str, functions: list[tuple[str, int]]) -> list[str]:
    """Sections for functions (name, first line), whose code stands between the labels $begin_N and $end_N."""
    info = Section()
    info.bytes(2, 0)
    info.reference(4, ".debug_abbrev")
    info.bytes(8, 1)
    info.string(source)
    info.bytes(C_PLUS_PLUS, 0)
    info.reference(4, ".debug_line")
    for index, (name, line) in enumerate(functions):
        info.bytes(2)
        info.reference(8, f"$begin_{index}")
        info.reference(8, f"$end_{index}")
        info.string(name)
        info.bytes(line & 0x7f, 1)
    info.bytes(0)
    return [".section .debug_abbrev", "{", *abbreviations(), "}", ".section .debug_info", "{", f"  .b32 {info.size}",
            *info.lines, "}", ".section .debug_loc { }"]
