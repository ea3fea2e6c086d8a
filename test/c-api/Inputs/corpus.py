# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""corpus.py PROGRAM FOLDER CORPUS: the corpus's links that need no other option than -arch and -r, by PROGRAM (link.c), whose
inputs have no names. The images are those that nvlink has made, byte for byte."""
import re
import subprocess
import sys
from pathlib import Path

program, folder, corpus = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(corpus))
import link as links  # noqa: E402

KNOWN = re.compile(r"-arch=sm_\w+|-r|[^-]\S+\.(cubin|o|fatbin|a)")
folder.mkdir(parents=True, exist_ok=True)
output = folder / "image"
count = added = 0
for test in sorted(corpus.glob("*.test")):
    if not (ours := re.search(r'link.py "%nvlink --nvlink-note( --nvlink-compat)?" %t %s', test.read_text())):
        continue  # With another option of this linker.
    for link in links.links_of(test):
        words = link.arguments
        if words[-2:] != ["-o", "out.cubin"] or not all(KNOWN.fullmatch(word) for word in words[:-2]):
            continue
        inputs = [word for word in words[:-2] if not word.startswith("-")]
        if (link.expected / "status").exists() or not (link.expected / "out.cubin").exists() or link.differs \
                or not all(links.input_path(name) for name in inputs):
            continue
        output.unlink(missing_ok=True)
        given = [word if word.startswith("-") else str(links.input_path(word)) for word in words[:-2]]
        release = [f"-nvlink-release={link.release}"] if link.release else []
        done = subprocess.run([program, output, "-nvlink-note", *(ours[1] or "").split(), *release, *given], capture_output=True, text=True)
        if done.returncode or not output.exists():
            sys.exit(f"{link.name}: no image\n{done.stdout}{done.stderr}")
        if output.read_bytes() != (link.expected / "out.cubin").read_bytes():
            sys.exit(f"{link.name}: another image; {output}\n{done.stdout}")
        count += 1
        added += len(inputs)
print(f"{count} links of {added} inputs, the images are nvlink's")
