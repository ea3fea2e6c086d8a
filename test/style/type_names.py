# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names the types that share a name, with where each is defined.

    type_names.py FOLDER...

Two types of one name in one namespace break programs that link both; one of a
namespace within the other's hides it, so a reader looks up the wrong thing. An
unnamed namespace counts as the named one around it. A name may have two types if
both are private to their sources (each in an unnamed namespace), or if neither's
namespace is within the other's (`report::Kernel`, `scoreboards::Kernel`). Members
of classes and what is local to a function aren't looked at. Says how many types it
has read; status 1 if a name has two that may not share it.
"""

import collections
import itertools
import re
import sys
from pathlib import Path

#: Comments, raw and other strings, characters: braces in them mean nothing.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\'', re.S)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M)
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\b\s*([\w:]*)$")
EXTERN_C = re.compile(r"^extern\s*\"\"$")
#: The head of a class, a struct, a union or an enumeration; a specialisation has a "<" after the name and is none of its own.
TYPE = re.compile(r"^(?:typedef\s+)?(?:template\s*<.*>\s*)?(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\s*\([^)]*\)\s*|[A-Z_]{4,}\s+)?"
                  r"(\w+)\s*(?:final)?\s*(?::[^:].*)?$", re.S)
ALIAS = re.compile(r"^(?:template\s*<.*>\s*)?using\s+(\w+)\s*=", re.S)

Type = collections.namedtuple("Type", "path line namespaces")


def without_text(match):
    """A comment or a string's lines, and a string's quotes."""
    return ("" if match.group().startswith("/") else '""') + "\n" * match.group().count("\n")


def types(text):
    """Yields the name and the line of each type that is neither a member nor local, and the namespaces around it ("": an unnamed one)."""
    code = PREPROCESSOR.sub(lambda match: "\n" * match.group().count("\n"), NO_CODE.sub(without_text, text))
    line, head, head_line = 1, "", 1
    around = []  # The namespaces that each open brace begins; None: it begins something else.
    for c in code:
        line += c == "\n"
        if c not in "{};":
            head_line = head_line if head.strip() else line
            head += c
            continue
        head = head.strip()
        found = (TYPE if c == "{" else ALIAS).match(head)
        if found and None not in around:
            yield found.group(1), head_line, [name for names in around for name in names]
        if c == "{":
            namespace = NAMESPACE.match(head)
            around.append(namespace.group(1).split("::") if namespace else [] if EXTERN_C.match(head) else None)
        elif c == "}" and around:
            around.pop()
        head = ""


def clash(one, other):
    """May these types, of one name, not share it?"""
    if "" in one.namespaces and "" in other.namespaces and one.path != other.path:
        return False
    ours, theirs = ([name for name in type.namespaces if name] for type in (one, other))
    shorter = min(len(ours), len(theirs))
    return ours[:shorter] == theirs[:shorter]


def main():
    definitions, count = collections.defaultdict(list), 0
    for folder in sys.argv[1:]:
        for path in sorted(path for path in Path(folder).rglob("*") if path.suffix in (".h", ".cpp")):
            for name, line, namespaces in types(path.read_text()):
                definitions[name].append(Type(path, line, namespaces))
                count += 1
    wrong = 0
    for name, types_of_name in sorted(definitions.items()):
        clashing = {place for pair in itertools.combinations(types_of_name, 2) if clash(*pair)
                    for place in (f"  {type.path}:{type.line}: in " + "::".join(part or "(unnamed)" for part in type.namespaces) for type in pair)}
        if clashing:
            wrong += 1
            print(name + ":", *sorted(clashing), sep="\n")
    print(f"{count} types, {wrong} names that two share and may not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
