# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the reference (docs/reference) against itself, the code and the tests.

    book.py SOURCE_DIR

A rule is a heading with an anchor, <a id="...">. It names at least one test
that exists, and the test names the rule, as [anchor]. Files after *Code:*
exist, and what stands in parentheses behind one, functions and the like, is in
it. Code cites rules as [anchor], in comments and in Behaviors.def: each of
them, but for those that say *Not in code:* why. Tests aren't code here.

A line "Rules: [anchor] [anchor]" in a test names those rules, and only those,
that name the test.
"""

import re
import sys
from pathlib import Path

ANCHOR = re.compile(r'<a id="([^"]+)">')
CITATION = re.compile(r"(?<![\w\])])\[([a-z0-9]+(?:-[a-z0-9]+)*)\](?!\()")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
CODE = ("include", "lib", "lld-cuda", "tools")
TESTS = ("unittests", "fuzz", "test")
SUFFIXES = {".h", ".cpp", ".def", ".td"}
TEST_SUFFIXES = {".test", ".yaml", ".cu"}
#: The line of a test with the rules that name it.
RULES = re.compile(r"^\W*Rules:(.*)$", re.M)
#: A file, and what is named in it.
NAMED_CODE = re.compile(r"`?([\w./-]+\.(?:h|cpp|def|td|py))`?(?:\s*\(([^)]*)\))?")


def github_slug(heading):
    text = re.sub(r"<[^>]*>|[`*]", "", heading.strip("# \n")).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def find_test(root, name):
    """The file of a test; None: there is none."""
    candidates = [root / name, root / "test" / name, root / "test" / (name + ".test")]
    return next((path for path in candidates if path.is_file()), None)


class Book:
    def __init__(self, root):
        self.root = root
        self.errors = []
        self.rules = {}  # anchor -> place
        self.tests = {}  # anchor -> files of tests that the rule names
        self.cited = set()  # anchors in code
        self.excused = set()  # anchors of rules that say why they aren't
        self.files = {}  # name -> paths
        for folder in (*CODE, *TESTS, "utils"):
            for path in (root / folder).rglob("*"):
                self.files.setdefault(path.name, []).append(path)

    def error(self, place, text):
        self.errors.append(f"{place}: {text}")

    def read_chapter(self, path):
        place = path.relative_to(self.root)
        for section in re.split(r"^(?=#+ )", path.read_text(), flags=re.M):
            heading, _, body = section.partition("\n")
            match = ANCHOR.search(heading)
            if not match:
                continue
            anchor = match.group(1)
            if anchor in self.rules:
                self.error(place, f"{anchor} is in {self.rules[anchor]}, too")
            self.rules[anchor] = place
            self.check_rule(place, anchor, body)

    def check_rule(self, place, anchor, body):
        if re.search(r"\*(Since|Until|Before)\*[^*]*\bor before\b", body):
            self.error(place, f"{anchor}: a release that isn't the first one needn't be named")
        if re.search(r"\*Not in code:\* \w", body):
            self.excused.add(anchor)
        tests = re.search(r"\*Tests:\*\s*(.*?)\.\s*(?:\n\s*\n|\Z)", body, re.S)
        names = [n.strip(" `\n") for n in tests.group(1).split(",")] if tests else []
        if not any(names):
            self.error(place, f"no test names {anchor}")
        for name in filter(None, names):
            if (path := find_test(self.root, name)):
                self.tests.setdefault(anchor, []).append(path)
                if f"[{anchor}]" not in path.read_text():
                    self.error(place, f"{anchor}: {name} doesn't name the rule, as [{anchor}]")
            else:
                self.error(place, f"{anchor}: there is no test {name}")
        code = re.search(r"\*Code:\*(.*?)\.\s*(?=\*Tests:|\n\s*\n|\Z)", body, re.S)
        for file, names in NAMED_CODE.findall(code.group(1) if code else ""):
            self.check_named_code(f"{place}: {anchor}", file, names)

    def check_named_code(self, place, file, names):
        paths = [p for p in self.files.get(Path(file).name, []) if f"/{p}".endswith(f"/{file}")]
        if not paths:
            self.error(place, f"there is no code {file}")
        text = "".join(path.read_text() for path in paths)
        for name in re.findall(r"\w+", names if paths else ""):
            if not re.search(rf"\b{name}\b", text):
                self.error(place, f"there is no {name} in {file}")

    def check_links(self, path):
        text = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
        for target, fragment in LINK.findall(text):
            if "://" in target:
                continue
            file = (path.parent / target).resolve() if target else path
            place = path.relative_to(self.root)
            if not file.exists():
                self.error(place, f"there is no {target}")
            elif fragment and file.suffix == ".md":
                content = file.read_text()
                slugs = {github_slug(h) for h in re.findall(r"^#+ .*", content, re.M)}
                if fragment not in slugs | set(ANCHOR.findall(content)):
                    self.error(place, f"{target} has no #{fragment}")

    def check_citations(self):
        for folder in (*CODE, *TESTS):
            for path in sorted((self.root / folder).rglob("*")):
                if path.suffix in SUFFIXES:
                    self.check_code(path, is_test=folder in TESTS)
                elif path.suffix in TEST_SUFFIXES:
                    self.check_test(path)

    def check_test(self, path):
        place = path.relative_to(self.root)
        # What follows a separator of split-file is no part of the test's text.
        own_text = re.split(r"^\W*---", path.read_text(), maxsplit=1, flags=re.M)[0]
        for words in RULES.findall(own_text):
            for anchor in CITATION.findall(words):
                if anchor not in self.rules:
                    self.error(place, f"no rule [{anchor}]")
                elif path not in self.tests.get(anchor, []):
                    self.error(place, f"[{anchor}] doesn't name this test")

    def check_code(self, path, is_test):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            if re.search(r"\bspec:", line, re.I):
                self.error(f"{path.relative_to(self.root)}:{number}", "cites no rule of the reference")
            comment = line.partition("//")[2]
            for anchor in CITATION.findall(comment):
                if not is_test:
                    self.cited.add(anchor)
                # Without a hyphen it may be a word in brackets.
                if anchor not in self.rules and "-" in anchor:
                    self.error(f"{path.relative_to(self.root)}:{number}", f"no rule [{anchor}]")

    def check_behaviors(self):
        path = self.root / "lld-cuda/Rules/Behaviors.def"
        rows = re.findall(r"^BEHAVIOR\((\w+),(.*?)\)$", path.read_text(), re.S | re.M)
        if not rows:
            self.error(path.name, "no rows")
        for name, rest in rows:
            anchor, *tests = re.findall(r'"([^"]*)"', rest)
            self.cited.add(anchor)
            if anchor not in self.rules:
                self.error(path.name, f"{name}: no rule [{anchor}]")
            if len(tests) != 2 or not any(tests):
                self.error(path.name, f"{name}: no test")
            for test in filter(None, tests):
                if not find_test(self.root, test):
                    self.error(path.name, f"{name}: there is no test {test}")


    def check_cited(self):
        for anchor, place in self.rules.items():
            if anchor not in self.cited | self.excused:
                self.error(place, f"no code cites {anchor}, and it doesn't say why (*Not in code:*)")
            if anchor in self.cited & self.excused:
                self.error(place, f"{anchor} is cited, though it says that it isn't in code")


def main():
    book = Book(Path(sys.argv[1]).resolve())
    chapters = sorted((book.root / "docs/reference").glob("*.md"))
    for chapter in chapters:
        # The README's rule is an example.
        if chapter.name != "README.md":
            book.read_chapter(chapter)
    for chapter in chapters:
        book.check_links(chapter)
    book.check_citations()
    book.check_behaviors()
    book.check_cited()
    print("\n".join(book.errors) or f"{len(book.rules)} rules, all cited by what exists")
    return bool(book.errors)


if __name__ == "__main__":
    sys.exit(main())
