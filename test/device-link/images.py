# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the device images in files that are linked or that a device link made.

    images.py NVIDIA OURS

Both are files, or folders of builds: then each cmake_device_link.o of NVIDIA is
compared with its like in OURS. The images must be for the same architectures,
in the same order, and identical but for the note that names the linker. Objects
of OURS must not be what nvcc lets a compiler make of its source.
"""

import struct
import subprocess
import sys
import tempfile
from pathlib import Path


def section(path):
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "image"
        subprocess.run(["llvm-objcopy", f"--dump-section=.nv_fatbin={output}", path, "/dev/null"], check=True)
        return output.read_bytes()


def images(path):
    """(kind, architecture, bytes) of each entry of each fatbin; those that
    aren't compressed."""
    data, at, found = section(path), 0, []
    while at + 16 <= len(data):
        magic, _, header, size = struct.unpack_from("<IHHQ", data, at)
        if magic != 0xBA55ED50:  # Between two fatbins.
            at += 8
            continue
        end, at = at + header + size, at + header
        while at < end:
            kind, _, length, payload, compressed = struct.unpack_from("<HHIQI", data, at)
            if compressed:
                sys.exit(f"{path}: compressed")
            found.append((kind, struct.unpack_from("<I", data, at + 0x1C)[0],
                          data[at + length:at + length + payload]))
            at += length + payload
    return found


def compare(nvidia, ours):
    expected, actual = images(nvidia), images(ours)
    if [image[:2] for image in expected] != [image[:2] for image in actual]:
        sys.exit(f"{ours}: other images: {[i[:2] for i in expected]}, {[i[:2] for i in actual]}")
    for one, other in zip(expected, actual):
        with tempfile.TemporaryDirectory() as folder:
            names = [Path(folder) / "nvidia.cubin", Path(folder) / "ours.cubin"]
            for name, image in zip(names, (one, other)):
                name.write_bytes(image[2])
            verdict = subprocess.run(["cubin-diff", *names], capture_output=True, text=True).stdout.split("\n")[0]
        if verdict not in ("IDENTICAL", "IDENTICAL-BUT-NOTE"):
            sys.exit(f"{ours}: sm_{one[1]}: {verdict}")
    return len(expected)


def is_compiled(path):
    names = subprocess.run(["llvm-nm", path], check=True, capture_output=True, text=True).stdout
    return "_ZL22__cudaPrelinkedFatbins" in names


def main():
    nvidia, ours = Path(sys.argv[1]), Path(sys.argv[2])
    if not nvidia.is_dir():
        print(f"{compare(nvidia, ours)} images are equal")
        return
    names = sorted(path.relative_to(nvidia) for path in nvidia.rglob("cmake_device_link.o"))
    count = sum(compare(nvidia / name, ours / name) for name in names)
    for name in names:
        if not is_compiled(nvidia / name) or is_compiled(ours / name):
            sys.exit(f"{name}: a compiler made it")
    print(f"{count} images in {len(names)} objects are equal")


if __name__ == "__main__":
    main()
