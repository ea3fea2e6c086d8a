# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""recorded.py TEST TOOL ARGUMENT...: what a CUDA tool makes, as it was recorded.

Tests write their inputs as PTX or CUDA C++, which is easier to read than what
the tools make of it. So that they run without the tools, the results are kept
beside them, in Inputs/TEST/OUTPUT.KEY. The key is a digest of the command and of
all files that it names: a record is used for that very input only.

With LLDCUDA_RECORD=1 in the environment the tool is run, and its result
recorded. To record a test anew:

    rm -r test/explain/Inputs/TEST
    LLDCUDA_RECORD=1 lit build/test --filter=explain/TEST
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


def output_of(words):
    """The word that names the output, and the name."""
    for word, value in zip(words, words[1:]):
        if word == "-o":
            return value
    for word in words:
        if word.startswith("--create="):
            return word[len("--create="):]
    sys.exit("recorded.py: no -o and no --create=")


def key_of(words, output):
    digest = hashlib.sha256()
    for word in words:
        digest.update(word.encode() + b"\0")
        name = re.sub(r"^.*file=", "", word)
        if name != output and os.path.isfile(name):
            digest.update(Path(name).read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def find_tool(name):
    """NVIDIA's tool, not ours under nvlink's name."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = shutil.which(name, path=folder)
        if path and os.path.basename(os.path.realpath(path)) != "lld-cuda":
            return path
    sys.exit(f"recorded.py: no {name}")


def main():
    test, *words = sys.argv[1:]
    output = output_of(words)
    folder = Path(test).parent / "Inputs" / Path(test).stem
    record = folder / f"{Path(output).name}.{key_of(words, output)}"
    if os.environ.get("LLDCUDA_RECORD"):
        tool, *arguments = words
        subprocess.run([find_tool(tool), *arguments], check=True, stdin=subprocess.DEVNULL)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(output, record)
        return
    if not record.exists():
        sys.exit(f"{record}: not recorded; see test/recorded.py\n{' '.join(words)}")
    shutil.copyfile(record, output)


main()
