# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""identity.py LIBRARY RELEASE WORK NVLINK...: the links of the corpus by libnvJitLink and by the program.

Both have to link or to refuse, and what they write is the same but for the note. A fatbin that has nothing for the target
is an error for the library, for the program a warning. A comma parts names for the program only, and with -r the library
has no lists. The library keeps kernels that no host code refers to (-ignore-host-info). Links with other options than the library has aren't tried.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from nvjitlink import TYPES, Library, differences

sys.path.append(str(Path(__file__).resolve().parents[2] / "corpus"))
import link as corpus  # noqa: E402

OPTIONS = {"-r", "-g"}
LISTS = ("-kernels-used=", "-variables-used=", "--kernels-used=", "--variables-used=")


def words_of(arguments):
    """(arch, options, inputs) of a link of the corpus; None: the library has nothing for one of the words."""
    arch, options, inputs = None, [], []
    words = iter(arguments)
    for word in words:
        if word == "-o":
            next(words)
        elif word.startswith("-arch="):
            arch = word
        elif word in OPTIONS or word.startswith(LISTS):
            option, _, names = word.lstrip("-").partition("=")
            options += [f"-{option}={name}" for name in names.split(",")] if names else [f"-{option}"]
        elif word.startswith("-") or Path(word).suffix[1:] not in TYPES:
            return None
        else:
            inputs.append(word)
    if "-r" in options:
        options = [option for option in options if not option.startswith(LISTS)]
    return (arch, options, inputs) if arch else None


def by_program(nvlink, arch, options, inputs):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.cubin"
        done = subprocess.run([*nvlink, arch, *options, *inputs, "-o", str(out)],
                              capture_output=True, text=True)
        return out.read_bytes() if done.returncode == 0 else None, done.stderr


def main():
    library, release, *nvlink = sys.argv[1:]
    theirs = Library(library)
    nvlink = [*nvlink, "--nvlink-compat", f"--nvlink-release={release}", "-ignore-host-info"]
    same, refused, wrong = 0, 0, []
    for test in sorted(corpus.HERE.glob("*.test")):
        for one in corpus.links_of(test):
            known = words_of(one.arguments)
            if not known:
                continue
            arch, options, names = known
            paths = [corpus.input_path(name) for name in names]
            if not names or not all(paths):
                continue
            expected, messages = by_program(nvlink, arch, options, [str(path) for path in paths])
            result, cubin, errors, _ = theirs.link(
                [arch, *options], [(TYPES[p.suffix[1:]], p.name, p.read_bytes()) for p in paths])
            if (expected is None and result) or ("ERROR 3: bad input" in errors and "not found in" in messages):
                refused += 1
            elif expected is None or result:
                wrong.append(f"{one.name}: program: {messages.strip() or 'linked'}; library: {result} {errors.strip()}")
            elif found := differences(expected, cubin):
                wrong.append(f"{one.name}: differs in {', '.join(found)}")
            else:
                same += 1
    print(f"{same} the same, {refused} refused by both, {len(wrong)} not")
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
