# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what nvcc's device link and ours make of the compression modes.

    compress-modes.py LD WORK

In each mode the entries must have the same flags and decode to the same cubin,
but for the note that names the command. zstd and a decoder of LZ4 blocks in here
are the judges. Prints the sizes of both; ours may be larger by a tenth.
"""

import struct
import subprocess
import sys
from pathlib import Path

ARCHES = ("80", "90")
MODES = ("default", "balance", "speed", "size", "none")
LZ4_BLOCK, ZSTD = 0x2000, 0x8000
#: Their texts, and nvcc's options: images of more than 10,000,000 bytes, of few, and for a debugger.
PROGRAMS = {
    "large": ("__device__ int table[2600000] = {1};\n__global__ void k(int *p) { *p = table[*p]; }\n", []),
    "small": ("__global__ void k(int *p) { *p = *p * 3 + 1; }\n", []),
    "debug": ("__global__ void k(int *p) { *p = *p * 3 + 1; }\n", ["-G"]),
}


def run(work, *command, **more):
    return subprocess.run(command, cwd=work, check=True, stdin=subprocess.DEVNULL, **more)


def decode_lz4(data, size):
    out, at = bytearray(), 0

    def length(first):
        nonlocal at
        total = first
        while first == 15:
            total += data[at]
            at += 1
            if data[at - 1] != 255:
                break
        return total

    while True:
        token = data[at]
        at += 1
        count = length(token >> 4)
        out += data[at:at + count]
        at += count
        if at == len(data):
            break
        back = data[at] | data[at + 1] << 8
        at += 2
        count = length(token & 15) + 4
        pattern = bytes(out[-back:])
        out += (pattern * (count // back + 1))[:count]
    if len(out) != size:
        sys.exit(f"{len(out)} bytes instead of {size}")
    return bytes(out)


def decode(flags, data, size):
    if flags & ZSTD:
        return subprocess.run(["zstd", "-dcq"], input=data, check=True, stdout=subprocess.PIPE).stdout
    return decode_lz4(data, size) if flags & LZ4_BLOCK else data


def entries(work, name):
    """(flags, stored size, contents) of each entry of the only fatbin."""
    run(work, "llvm-objcopy", "--dump-section=.nv_fatbin=image", name, "/dev/null")
    data, at, found = (work / "image").read_bytes(), 16, []
    end = at + struct.unpack_from("<Q", data, 8)[0]
    while at < end:
        header, padded, packed = struct.unpack_from("<IQI", data, at + 4)
        flags = struct.unpack_from("<Q", data, at + 0x28)[0]
        size = struct.unpack_from("<Q", data, at + 0x38)[0]
        stored = data[at + header:at + header + (packed or padded)]
        found.append((flags, len(stored), decode(flags, stored, size)))
        at += header + padded
    return found


def compare(ld, work, name, mode):
    gencode = [f"-gencode=arch=compute_{arch},code=sm_{arch}" for arch in ARCHES]
    options = PROGRAMS[name][1]
    run(work, "nvcc", "-dlink", *gencode, f"{name}.o", "-o", "nvcc.dlink.o", *options, f"-compress-mode={mode}")
    run(work, ld, "--nvlink-compat", *gencode, f"{name}.o", "--host-object=ours.dlink.o", *(["-g"] if options else []),
        f"--compress-mode={mode}")
    theirs, ours = entries(work, "nvcc.dlink.o"), entries(work, "ours.dlink.o")
    if [entry[0] for entry in theirs] != [entry[0] for entry in ours]:
        sys.exit(f"{name}, {mode}: flags {[hex(e[0]) for e in theirs]}, ours {[hex(e[0]) for e in ours]}")
    for one, other in zip(theirs, ours):
        (work / "nvcc.cubin").write_bytes(one[2])
        (work / "ours.cubin").write_bytes(other[2])
        verdict = subprocess.run(["cubin-diff", "nvcc.cubin", "ours.cubin"], cwd=work, capture_output=True, text=True)
        if verdict.stdout.split("\n")[0] not in ("IDENTICAL", "IDENTICAL-BUT-NOTE"):
            sys.exit(f"{name}, {mode}: {verdict.stdout}")
    sizes = [sum(entry[1] for entry in all_of) for all_of in (theirs, ours)]
    packed = sum(bool(entry[0] & (LZ4_BLOCK | ZSTD)) for entry in ours)
    print(f"{name} {mode}: {len(ours)} entries, {packed} compressed: equal; {sizes[0]} bytes, ours {sizes[1]}", flush=True)
    if sizes[1] > sizes[0] * 1.1:
        sys.exit("ours is larger by more than a tenth")


def main():
    ld, work = sys.argv[1], Path(sys.argv[2])
    work.mkdir(parents=True)
    for name, (text, options) in PROGRAMS.items():
        (work / f"{name}.cu").write_text(text)
        run(work, "nvcc", "-dc", *(f"-gencode=arch=compute_{arch},code=sm_{arch}" for arch in ARCHES), *options,
            f"{name}.cu", "-o", f"{name}.o")
        for mode in MODES:
            compare(ld, work, name, mode)


if __name__ == "__main__":
    main()
