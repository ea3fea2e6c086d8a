# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""links.py DIRECTORY: does every link in the files below it lead to a file below it?

Files are Markdown, reStructuredText and HTML. Prints the links that lead
nowhere, then how many there are in all.
"""

import re
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote


def markdown_links(text):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)
    return re.findall(r"\]\(([^)\s]+)\)", text)


def rst_links(text):
    documents = re.findall(r":doc:`(?:[^`<]*<)?([^`<>]+?)>?`", text)
    for toctree in re.findall(r"^\.\. toctree::\n((?:[ \t]+.*\n|\n)*)", text, re.M):
        documents += re.findall(r"^ +([^\s:].*)$", toctree, re.M)
    return [name + ".rst" for name in documents] + re.findall(r"`[^`]*<([^>`]+)>`_", text)


def html_links(text):
    return [unescape(link) for link in re.findall(r"""(?:href|src)=["']([^"']+)""", text)]


READERS = {".md": markdown_links, ".rst": rst_links, ".html": html_links}


def main():
    root = Path(sys.argv[1]).resolve()
    count, lost = 0, []
    for path in sorted(root.rglob("*")):
        reader = READERS.get(path.suffix)
        if not reader or not path.is_file():
            continue
        for link in reader(path.read_text(encoding="utf-8")):
            target = unquote(link.split("#")[0])
            if not target or re.match(r"[a-z]+:", link):
                continue
            count += 1
            place = (path.parent / target).resolve()
            if not place.exists() or root not in (place, *place.parents):
                lost.append(f"{path.relative_to(root)}: {link}")
    print(*lost, sep="\n", end="\n" if lost else "")
    print(f"{count} links, {len(lost)} lead nowhere")
    return bool(lost)


if __name__ == "__main__":
    sys.exit(main())
