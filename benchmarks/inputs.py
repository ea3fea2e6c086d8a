# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the inputs of families with NVIDIA's ptxas and fatbinary and keeps them
in a cache.

    inputs.py --cache FOLDER --arch ARCH FAMILY:SIZE...

prints their paths, as an options file (-optf). Families whose objects are in
benchmarks/objects need no ptxas; --keep puts them there.
"""

import argparse
import hashlib
import lzma
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from families import FAMILIES

KEPT_OBJECTS = Path(__file__).resolve().parent / "objects"


def find_tool(name):
    """Path of a CUDA tool, or None. A program of this project that stands in
    for one under its name is no reference, wherever PATH has it."""
    roots = [os.environ.get(v) for v in ("CUDA_HOME", "CUDA_PATH")]
    folders = [f"{r}/bin" for r in roots if r] + os.environ.get("PATH", "").split(os.pathsep)
    found = (shutil.which(name, path=folder) for folder in folders if folder)
    return next((path for path in found if path and not is_own(path)), None)


def is_own(path):
    return Path(path).resolve().name == "lld-cuda"


class MissingTool(Exception):
    pass


def need_tool(name):
    path = find_tool(name)
    if not path:
        raise MissingTool(f"{name} is missing; it makes the inputs. Set CUDA_HOME to a CUDA toolkit")
    return path


def host_object(fatbin, number):
    """A minimal x86-64 object that embeds a relocatable fatbin."""
    parts = [("__nv_module_id", 2, 16, f"_{number:08x}_benchmark\0".encode()),
             ("__nv_relfatbin", 2, 8, fatbin),
             (".nvFatBinSegment", 3, 8, struct.pack("<IIQQ", 0x466243B1, 1, 0, 0))]
    names, body, rows = b"\0", b"", [bytes(64)]
    for name, flags, align, contents in parts:
        body += bytes(-(64 + len(body)) % align)
        rows.append(struct.pack("<IIQQQQIIQQ", len(names), 1, flags, 0, 64 + len(body),
                                len(contents), 0, 0, align, 0))
        names += name.encode() + b"\0"
        body += contents
    rows.append(struct.pack("<IIQQQQIIQQ", len(names), 3, 0, 0, 64 + len(body), len(names) + 10,
                            0, 0, 1, 0))
    body += names + b".shstrtab\0"
    body += bytes(-len(body) % 8)
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01" + bytes(9), 1, 62, 1, 0, 0,
                       64 + len(body), 0, 64, 0, 0, 64, len(rows), len(rows) - 1)
    return head + body + b"".join(rows)


def archive(members):
    """A Unix archive without a symbol index."""
    out = bytearray(b"!<arch>\n")
    for name, contents in members:
        out += (f"{name + '/':<16}{0:<12}{0:<6}{0:<6}{'644':<8}{len(contents):<10}".encode()
                + b"`\n" + contents + b"\n" * (len(contents) % 2))
    return bytes(out)


def replaced(contents, values):
    for place, value in values.items():
        contents = contents.replace(place.encode(), value.encode())
    return contents


class Inputs:
    """Families' inputs in a cache. A folder's name has a digest of all that the
    inputs depend on."""

    FATBINARY = {"zstd": ["--compress-all", "--compress-mode=size"],
                 "lz4": ["--compress-all", "--compress-mode=speed"],
                 "host": ["--compress=false"], "archive": ["--compress=false"]}

    def __init__(self, cache, arch, keep=False, quiet=False):
        self.cache, self.arch, self.keep, self.quiet = cache, arch, keep, quiet
        self.ptxas, self.fatbinary = find_tool("ptxas"), None
        self.release = self.ptxas and subprocess.run(
            [self.ptxas, "--version"], capture_output=True, text=True, check=True).stdout

    def get(self, name, size):
        """The paths of a family's inputs, in command line order."""
        generate = FAMILIES[name][0]
        sources = generate(size)
        key = repr([self.arch, self.release, sources])
        folder = self.cache / (f"{name}-{size}-{self.arch}-"
                               + hashlib.sha256(key.encode()).hexdigest()[:16])
        if not folder.is_dir():
            if not self.quiet:
                print(f"making {name} {size}", file=sys.stderr)
            self.cache.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.cache) as scratch:
                self.make(sources, Path(scratch))
                shutil.copytree(scratch, folder)
        return sorted(folder.iterdir())

    def compile(self, source, scratch):
        """A Source's object, place holders and all; cached by itself, because
        the sizes of a family share most of them."""
        key = repr([self.arch, source.text, source.options])
        kept = KEPT_OBJECTS / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.xz"
        if not kept.exists():
            contents = self.compile_cached(source, scratch)
            if not self.keep:
                return contents
            kept.parent.mkdir(exist_ok=True)
            kept.write_bytes(lzma.compress(contents, preset=9))
        return lzma.decompress(kept.read_bytes())

    def compile_cached(self, source, scratch):
        need_tool("ptxas")
        key = repr([self.arch, self.release, source.text, source.options])
        cached = self.cache / "objects" / hashlib.sha256(key.encode()).hexdigest()
        if not cached.exists():
            cached.parent.mkdir(exist_ok=True)
            text = scratch / f"{cached.name}.ptx"
            text.write_text(source.text)
            done = subprocess.run([self.ptxas, "-c", *(source.options or ("-O1",)),
                                   f"-arch={self.arch}", text, "-o", text.with_suffix(".out")],
                                  text=True, capture_output=True)
            if done.returncode:
                raise RuntimeError(f"ptxas: {(done.stderr or done.stdout).splitlines()[0]}")
            text.with_suffix(".out").rename(cached)
            text.unlink()
        return cached.read_bytes()

    def wrapped(self, contents, wrap, number, scratch):
        """A host object with that cubin."""
        self.fatbinary = self.fatbinary or need_tool("fatbinary")
        cubin, out = scratch / f"{number}.in", scratch / f"{number}.out"
        cubin.write_bytes(contents)
        subprocess.run([self.fatbinary, "-64", "--device-c", *self.FATBINARY[wrap],
                        f"--image3=kind=elf,sm={self.arch[3:]},file={cubin}", f"--create={out}"],
                       check=True, capture_output=True)
        result = host_object(out.read_bytes(), number)
        cubin.unlink()
        out.unlink()
        return result

    def make(self, sources, folder):
        with tempfile.TemporaryDirectory(dir=self.cache) as scratch, \
                ThreadPoolExecutor(os.cpu_count()) as pool:
            scratch = Path(scratch)
            objects = list(pool.map(lambda s: self.compile(s, scratch), sources))
            files = [(replaced(contents, values), source.wrap)
                     for contents, source in zip(objects, sources) for values in source.copies]

            def finish(numbered):
                number, (contents, wrap) = numbered
                return self.wrapped(contents, wrap, number, scratch) if wrap else contents
            members = []
            for number, contents in enumerate(pool.map(finish, enumerate(files))):
                wrap = files[number][1]
                name = f"{number:06d}" + (".o" if wrap else ".cubin")
                if wrap == "archive":
                    members.append((name, contents))
                else:
                    (folder / name).write_bytes(contents)
            if members:
                (folder / "members.a").write_bytes(archive(members))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--keep", action="store_true", help="add to benchmarks/objects")
    parser.add_argument("families", nargs="+", metavar="FAMILY:SIZE")
    options = parser.parse_args()
    inputs = Inputs(options.cache.absolute(), options.arch, options.keep)
    for word in options.families:
        name, _, size = word.partition(":")
        try:
            print("\n".join(map(str, inputs.get(name, int(size)))))
        except MissingTool as e:
            sys.exit(f"inputs.py: {e}")


if __name__ == "__main__":
    main()
