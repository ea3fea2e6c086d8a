# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boundary values for a field of some width and meaning."""

import fields

KINDS = ([0, 1, 2, 3, 4, 5, 7, 8, 9, 18, 0x33, 0x41, 62, 183, 190, 0xFF00] +
         [0x70000000 + n for n in list(range(0x17)) + list(range(0x64, 0x76)) +
          [0x79, 0x7C] + list(range(0x80, 0x88))])
RESERVED_SECTIONS = [0, 0xFF00, 0xFFF1, 0xFFF2, 0xFFFF]


def boundaries(width):
    top = 1 << 8 * width
    return [0, 1, top - 1, top - 2, top // 2, top // 2 - 1, top // 2 + 1, top - 8, 0xFF, 0xFFFF % top]


def other_value(data, choose, layout, meaning):
    """What the same field has somewhere else."""
    found = layout.fields(choose.choice(layout.regions)) or fields.HEADER
    at, width, _ = choose.choice([f for f in choose.choices(found, k=8) if f[2] == meaning] or found[:1])
    return int.from_bytes(data[at:at + width], "little")


def pick(data, choose, layout, at, width, meaning):
    """Another value for a field."""
    old = int.from_bytes(data[at:at + width], "little")
    kind = choose.random()
    if kind < 0.3:
        value = choose.choice(boundaries(width))
    elif kind < 0.5:
        value = old + choose.choice([1, -1, 2, -2, 4, -4, 8, -8, 16, -16, 24, 0x400, old])
    elif kind < 0.6:
        value = old ^ 1 << choose.randrange(8 * width)
    elif meaning == fields.KIND:
        value = choose.choice(KINDS) if choose.random() < 0.5 else choose.randrange(130)
    elif meaning == fields.SECTION:
        value = choose.choice(RESERVED_SECTIONS + [len(layout.sections), len(layout.sections) + 1] +
                              [choose.randrange(len(layout.sections)) for _ in range(12)])
    elif meaning == fields.SYMBOL:
        value = choose.choice([0, layout.symbols, layout.symbols - 1, layout.symbols + 1] +
                              [choose.randrange(layout.symbols + 1) for _ in range(8)])
    elif meaning in (fields.OFFSET, fields.SIZE, fields.COUNT):
        section = choose.choice(layout.sections)
        value = choose.choice([layout.size, layout.size - 1, layout.size + 1, layout.table,
                               layout.size - old, section[4], section[5], section[5] + 1,
                               section[4] + section[5], choose.randrange(layout.size)])
    elif meaning == fields.FLAGS:
        value = choose.getrandbits(8 * width)
    else:
        value = other_value(data, choose, layout, meaning)
    return value % (1 << 8 * width)


def damage(data, choose, layout):
    """One field of `data`, a bytearray; says which."""
    region = choose.choice(layout.regions)
    at, width, meaning = choose.choice(layout.fields(region) or fields.HEADER)
    if at + width > len(data):
        return f"{region} is cut"
    value = pick(data, choose, layout, at, width, meaning)
    data[at:at + width] = value.to_bytes(width, "little")
    return f"{region} {meaning}@{at:#x}={value:#x}"
