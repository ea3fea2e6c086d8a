# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what folders include against DESIGN.md.

    rooms.py SOURCE_DIR

The table below "## Layers" has a row for each library: `include/lld-cuda/NAME`,
what it is, and the libraries that it may use, and what those may use.

The table below "## Rooms" has a row for each folder of lld-cuda/, in an order in
which each may include files of the rows above it and of itself only. "the folder
itself" stands for the files beside the folders; those that its second column
names in bold see all rooms but the drivers, and nothing includes them but each
other and the drivers.
"""

import re
import sys
from pathlib import Path

ITSELF = "the folder itself"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
SOURCES = (".h", ".cpp", ".def")


def read_rooms(design):
    """The rooms in their order, and the files that are above all."""
    section = design.read_text().partition("\n## Rooms\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (?:`(\w+)`|(the folder itself)) \| (.*) \|$", section, re.M)
    rooms = [folder or itself for folder, itself, _ in rows]
    top = {name for row in rows for name in re.findall(r"\*\*(\w+\.\w+)\*\*", row[2])}
    return rooms, top


def read_layers(design):
    """What each library may use, directly or not."""
    section = design.read_text().partition("\n## Layers\n")[2].partition("\n## ")[0]
    uses = {}
    for names, allowed in re.findall(r"^\| (`[^|]*`) \| .* \| ([^|]*) \|$", section, re.M):
        name = re.search(r"`(?:include/lld-cuda/)?([\w-]+)`", names)[1]
        uses[name] = set(uses) if allowed == "all of these" else {name, *allowed.split(", ")} & {name, *uses}
    for name in uses:  # Each is below those that it may use.
        uses[name] = uses[name].union(*(uses[used] for used in uses[name]))
    return uses


def check_layers(root, uses):
    for top in ("include/lld-cuda", "lib", "lld-cuda", "tools"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            here = path.relative_to(root / top).parts[0] if top in ("include/lld-cuda", "lib") else top
            for included in re.findall(r'^#include "lld-cuda/([\w-]+)', path.read_text(), re.M):
                if included not in uses.get(here.removesuffix(".h"), {included}):
                    yield f"{path.relative_to(root)} includes lld-cuda/{included}: {here} may not use that"


def main():
    root = Path(sys.argv[1])
    rooms, top = read_rooms(root / "docs/DESIGN.md")
    errors = list(check_layers(root, read_layers(root / "docs/DESIGN.md")))
    base = root / "lld-cuda"
    files = {path.relative_to(base).as_posix(): path for path in base.rglob("*") if path.suffix in SOURCES}

    def room_of(name):
        return name.rpartition("/")[0] or ITSELF

    for room in sorted({room_of(name) for name in files} - set(rooms)):
        errors.append(f"lld-cuda/{room}: no row in docs/DESIGN.md, Rooms")
    for room in rooms:
        if room not in {room_of(name) for name in files}:
            errors.append(f"docs/DESIGN.md, Rooms: there is no folder lld-cuda/{room}")
    if errors or len(rooms) < 2:
        sys.exit("\n".join(errors) or "docs/DESIGN.md: no table below '## Rooms'")

    last = rooms[-1]
    for name, path in sorted(files.items()):
        for included in INCLUDE.findall(path.read_text()):
            if included not in files:
                continue
            here, there = room_of(name), room_of(included)
            if name in top:
                wrong = there == last
            elif included in top:
                wrong = here != last
            else:
                wrong = rooms.index(there) > rooms.index(here)
            if wrong:
                errors.append(f"lld-cuda/{name} includes {included}: {here} may not include {there}")
    sys.exit("\n".join(errors) or 0)


if __name__ == "__main__":
    main()
