# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the JSON and the text of a dump, fact by fact."""
import json
import sys

LISTS = {
    "segments": "segment", "sections": "section", "symbols": "symbol",
    "relocations": "relocation", "info": "info", "compat": "compat",
    "callgraph": "callgraph", "prototypes": "prototype", "notes": "note",
}


def shown(value):
    """The forms in which the text may show a value."""
    if isinstance(value, list):
        items = [hex(v) if isinstance(v, int) else v for v in value]
        return [",".join(items) if items else "none"]
    if isinstance(value, int):
        return [str(value), hex(value)]
    return [value, f'"{value}"']


def main():
    with open(sys.argv[1]) as f:
        (cubin,) = json.load(f)["inputs"]
    with open(sys.argv[2]) as f:
        text = f.read().splitlines()
    assert cubin["kind"] == "cubin" and cubin["errors"] == []
    header = [line for line in text if line.startswith("header: ")]
    assert [h.split(": ")[1].split("=")[0] for h in header] == list(cubin["header"])
    checked = 0
    for key, noun in LISTS.items():
        lines = [line for line in text if line.startswith(noun + " ")]
        assert len(lines) == len(cubin[key]), key
        for line, fact in zip(lines, cubin[key]):
            for value in fact.values():
                assert any(s in line for s in shown(value)), (line, value)
                checked += 1
    assert checked > 1000, checked


main()
