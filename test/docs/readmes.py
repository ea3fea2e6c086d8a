# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""readmes.py SOURCE: does README.md of test, scripts and utils name all that is in
these folders, and nothing else; and do the links of all Markdown files lead somewhere?
"""

import re
import sys
from pathlib import Path

#: What is no test, script or tool of its own.
HIDDEN = {"README.md", "CMakeLists.txt", "lit.cfg.py", "lit.site.cfg.py.in", "recorded.py", "slow.py", "slow.txt",
          "emulated.py", "emulated.txt", "__pycache__"}


def listed(readme):
    rows = re.findall(r"^\| (.*?) \|", readme.read_text(), re.M)
    names = set()
    for row in rows[1:]:
        row = re.sub(r"\]\([^)]*\)", "]", row)
        names |= {name.strip("`[] ") for name in row.split(",")}
    return {name for name in names if name and not set(name) <= set("-|")}


def pages(source):
    """All Markdown files but those in build folders, where other tests make and remove folders meanwhile."""
    for top in source.iterdir():
        if top.suffix == ".md":
            yield top
        elif top.is_dir() and not top.name.startswith("build"):
            yield from top.rglob("*.md")


def main():
    source = Path(sys.argv[1]).resolve()
    problems = []
    for folder in ("test", "scripts", "utils"):
        present = {path.name for path in (source / folder).iterdir()} - HIDDEN
        named = listed(source / folder / "README.md")
        problems += [f"{folder}/README.md doesn't name {name}" for name in sorted(present - named)]
        problems += [f"{folder}/README.md names {name}, which isn't there" for name in sorted(named - present)]
    count = 0
    for path in sorted(pages(source)):
        place = path.relative_to(source)
        # install/links follows those of the README that is installed.
        if place.name == "installed.md":
            continue
        text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(), flags=re.S)
        for link in re.findall(r"\]\(([^)#\s]+)", text):
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            if not (path.parent / link).exists():
                problems.append(f"{place}: there is no {link}")
    print("\n".join(problems) or f"{count} links, all lead somewhere")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
