# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a CUDA program twice and compares what the device linkers made of it.

    build.py NVLINK LINKER WORK [--toolkit=ROOT] [--library SOURCE...] [--no-host] SOURCE... [NVCC-OPTION...]

The sources are compiled once, for relocatable device code. Then nvcc links
them, once with NVIDIA's nvlink and once with LINKER in its place, each in a
shadow toolkit (tools/lld-cuda-toolkit) below WORK/nvidia and WORK/ours.
The device images that the two programs embed must be equal, byte for byte, and
so must what the linkers print, and so must the image in the host object that LINKER
makes of them in nvcc's place; a program with it must end as nvcc's. LINKER is told to write nvlink's own note.
--toolkit: nvcc is that of ROOT, and so are the rules by which LINKER goes.

SOURCEs after --library go into a static library, up to the next option.
The programs are WORK/nvidia/program and WORK/ours/program.
"""

import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent / "device-link"))
import images

ROOT = Path(__file__).resolve().parent.parent.parent


def run(command, cwd, may_fail=False):
    done = subprocess.run([str(word) for word in command], cwd=cwd, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode and not may_fail:
        print(f"$ {' '.join(map(str, command))}\n{done.stdout}")
        sys.exit(f"failed with status {done.returncode}")
    return done


def compare_host_object(work, linker, words):
    """The image in the host object of `nvcc -dlink` that LINKER does by itself, and what a program with it does."""
    nvcc = work / "nvidia/toolkit/bin/nvcc"
    if "--host-object" not in run([linker, "-flavor", "lld", "--help"], work).stdout:
        return ""
    call = [linker, "-flavor", "nvcc", f"--nvcc={nvcc}"]
    theirs = work / "nvidia/program"
    link = [*words, "-dlink", "-o", "own.dlink.o"]
    if "-G" in words:
        # By default it is compressed, in different ways.
        link.append("-no-compress")
        theirs = work / "nvidia/own.dlink.o"
        run([nvcc, *link], work / "nvidia")
    if not run([*call, "--print-step", *link], work / "ours").stdout.startswith("device link:"):
        return ""
    run([*call, *link], work / "ours")
    count = images.compare(theirs, work / "ours/own.dlink.o")
    run([nvcc, *words, "-nodlink", "own.dlink.o", "-o", "own"], work / "ours")
    ends = [run([program], work, may_fail=True) for program in (work / "nvidia/program", work / "ours/own")]
    if (ends[0].returncode, ends[0].stdout) != (ends[1].returncode, ends[1].stdout):
        sys.exit(f"the programs end otherwise: {ends}")
    return f"; {count} in the host object, whose program ends with {ends[0].returncode}, too"


def main():
    nvlink, linker, work = sys.argv[1], sys.argv[2], Path(sys.argv[3]).resolve()
    sources, library, options, into, root = [], [], [], None, []
    for word in sys.argv[4:]:
        if word.startswith("--toolkit="):
            root = ["--cuda-path=" + word.split("=", 1)[1]]
        elif word == "--library":
            into = library
        elif word.endswith((".cu", ".cpp")) and not word.startswith("-"):
            (sources if into is None else into).append(Path(word).resolve())
        else:
            options.append(word)
            into = None

    toolkits = {"nvidia": nvlink, "ours": linker}
    for name, tool in toolkits.items():
        (work / name).mkdir(parents=True, exist_ok=True)
        run([ROOT / "tools/lld-cuda-toolkit/lld-cuda-toolkit", *root,
             f"--linker={tool}", work / name / "toolkit"], work)

    def nvcc(name, *words, may_fail=False):
        # By a relative path: it stands in the note of a link.
        return run(["toolkit/bin/nvcc", *options, *words], work / name, may_fail)

    for source in sources + library:
        nvcc("nvidia", "-dc", source, "-o", f"../{source.stem}.o")
    inputs = [f"../{source.stem}.o" for source in sources]
    if library:
        nvcc("nvidia", "-lib", *(f"../{source.stem}.o" for source in library),
             "-o", "../libdevice_code.a")
        inputs += ["-L..", "-ldevice_code"]

    results = {}
    for name in toolkits:
        more = ["-Xnvlink", "--nvlink-note"] if name == "ours" else []
        # Debug images are compressed by default, each fatbinary with its own release of zstd.
        if "-G" in options:
            more.append("-no-compress")
        # --keep: with -g the note holds the name of nvlink's output.
        results[name] = nvcc(name, "--keep", *more, *inputs, "-o", "program", may_fail=True)
        results[name].stdout = results[name].stdout.replace(str(work / name), "")
    theirs, ours = results["nvidia"], results["ours"]
    if theirs.returncode or ours.returncode or theirs.stdout != ours.stdout:
        print(f"nvlink: status {theirs.returncode}\n{theirs.stdout}")
        sys.exit(f"lld-cuda: status {ours.returncode}\n{ours.stdout}")

    images = []
    for name in toolkits:
        image = work / name / "image"
        run(["llvm-objcopy", f"--dump-section=.nv_fatbin={image}",
             work / name / "program", os.devnull], work)
        images.append(image.read_bytes())
    cubins = sorted(path.name for path in (work / "nvidia").glob("program_dlink*.cubin"))
    if images[0] != images[1]:
        for cubin in cubins:
            different = run(["cubin-diff", work / "nvidia" / cubin, work / "ours" / cubin],
                            work, may_fail=True)
            print(f"{cubin}: {different.stdout}")
        sys.exit("the embedded device images differ")
    if not cubins or len(images[0]) < 1000:
        sys.exit("the program embeds no linked device image")
    more = compare_host_object(work, linker, [*options, *inputs])
    sizes = ", ".join(str((work / "nvidia" / cubin).stat().st_size) for cubin in cubins)
    print(f"equal: {len(cubins)} image(s) of {sizes} bytes{more}")


if __name__ == "__main__":
    main()
