# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links files that ask for much, and measures.

    hostile.py LINKER CORPUS-INPUTS DIRECTORY [NAME...]

A link may take 5 s of processor time for each MB of input, and 4 bytes of memory for each byte of
input and output, beyond what any link takes. What is compressed counts unpacked, unless that is
refused. It must end with status 0 and an output, or with a message and none.
"""

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

from cubin import CALLGRAPH, INFO, NOTE, PROGBITS, PROTOTYPE, RELA, STRTAB, Cubin

MB = 1 << 20
SECONDS, FACTOR, BASE = 5, 4, 16 * MB  # BASE: any process, and a small link.

def fatbin(entries, extra=b""):
    """Entries: (payload, flags, claimed size)."""
    body = b""
    for payload, flags, size in entries:
        stored = payload + bytes(-len(payload) % 8)
        body += struct.pack("<HHIQIIHHIIIQQQ", 2, 0x101, 64, len(stored), len(payload) if size else 0,
                            0, 8, 1, 90, 0, 0, flags, 0, size) + stored
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body + extra


def archive(members):
    data = b"!<arch>\n"
    for name, member in members:
        data += b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, 0, 0, 0, b"644", len(member))
        data += member + b"\n" * (len(member) % 2)
    return data


FATBIN_SEGMENT = b".nvFatBinSegment"


def host_object(fatbins, section=b"__nv_relfatbin"):
    """An ELF file for x86-64 whose __nv_relfatbin holds these fatbins."""
    names = b"\0" + section + b"\0.nvFatBinSegment\0.shstrtab\0"
    data = b"".join(fatbins)
    body = data + struct.pack("<IIQQ", 0x466243B1, 1, 0, 0) + names
    body += bytes(-len(body) % 8)

    def shdr(name, kind, offset, size):
        return struct.pack("<IIQQQQIIQQ", names.index(name), kind, 2, 0, 64 + offset, size, 0, 0, 8, 0)

    headers = bytes(64) + shdr(section, PROGBITS, 0, len(data))
    headers += shdr(FATBIN_SEGMENT, PROGBITS, len(data), 24)
    headers += shdr(b".shstrtab", STRTAB, len(data) + 24, len(names))
    return (b"\x7fELF\2\1\1" + bytes(9) +
            struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, 4, 3) +
            body + headers)


class Cases:
    """Each method yields (label, {file: bytes}, options[, bytes when unpacked])."""

    def __init__(self, inputs):
        self.inputs = Path(inputs)

    def cubin(self, name="globals-a.sm_90.cubin"):
        return Cubin(next(self.inputs.glob(f"*/{name}")))

    def claims(self):
        for field, what in ((5, "size"), (4, "offset"), (7, "info"), (9, "entsize")):
            for value in (1 << 32, (1 << 32) * 24, (1 << 63), (1 << 64) - 8, (1 << 64) - 1):
                for name in (".symtab", ".strtab", ".shstrtab", ".nv.info", ".nv.callgraph",
                             ".nv.global.init", ".text.use_globals"):
                    cubin = self.cubin()
                    if name not in [s.name for s in cubin.sections]:
                        continue
                    number = cubin.index(name)

                    def lie(headers):
                        headers[number][field] = value % (1 << (32 if field == 7 else 64))

                    yield f"{name} {what} {value:#x}", {"a.cubin": cubin.write(lie)}, []

    def section_counts(self):
        """The number of sections stands in the first header if it is large."""
        for count in (0, 0xff00, 1 << 32, 1 << 63, (1 << 64) - 1):
            cubin = self.cubin()

            def lie(headers):
                headers[0][5] = count

            data = bytearray(cubin.write(lie))
            struct.pack_into("<H", data, 60, 0)
            yield f"{count:#x} sections", {"a.cubin": bytes(data)}, []

    def alignments(self):
        for value in (0, 3, 24, 1 << 20, 1 << 31, 1 << 32, 1 << 62, 1 << 63, (1 << 64) - 1):
            for kind in (".text.", ".nv.global", ".nv.constant", ".nv.shared", ".symtab"):
                for name in ("globals-a.sm_90.cubin", "shared-module-a.sm_90.cubin"):
                    cubin = self.cubin(name)
                    for s in cubin.sections:
                        if s.name.startswith(kind):
                            s.align = value
                    for options in ([], ["-r"]):
                        yield f"{name} {kind} {value:#x} {options}", {"a.cubin": cubin.write()}, options

    def long_names(self):
        for prefix in (b"", b"_Z", b"_ZN"):
            for unit in (b"n", b"1a", b"I", b"PK", b"S_", b"_"):
                name = prefix + unit * (MB // len(unit))
                cubin = self.cubin()
                cubin.add_symbol(cubin.string(name, cubin[".strtab"]), 0x12, 0)
                yield f"undefined {prefix + unit}*", {"a.cubin": cubin.write()}, []
                cubin = self.cubin()
                cubin.add_symbol(cubin.string(name, cubin[".strtab"]), 0x11,
                                 cubin.index(".nv.global"), 0, 4)
                yield f"defined {prefix + unit}*", {"a.cubin": cubin.write()}, ["-v"]

    def shared_names(self):
        """Each symbol's name is the end of the one before."""
        cubin = self.cubin()
        start = cubin.string(b"s" * (MB // 2), cubin[".strtab"])
        for i in range(20000):
            cubin.add_symbol(start + i, 0x11, cubin.index(".nv.global"), 0, 4)
        yield "tails of a name", {"a.cubin": cubin.write()}, []
        cubin = self.cubin()
        start = cubin.string(b"s" * (MB // 2))
        for i in range(6000):
            cubin.add_section(cubin[".nv.global"], "x", b"")
            cubin.sections[-1].name_offset = start + i
        yield "tails of a section's name", {"a.cubin": cubin.write()}, []

    def overlaps(self):
        """Thousands of sections with the same contents."""
        for name in (".nv.global.init", ".text.use_globals", ".nv.info", ".debug_line", ".nv.note"):
            for options in ([], ["-r"], ["-g"]):
                cubin = self.cubin()
                present = [s.name for s in cubin.sections]
                like = cubin[name if name in present else ".shstrtab"]
                big = cubin.add_section(like, "big", bytes(MB // 2), type=PROGBITS)
                for i in range(7000):
                    cubin.add_section(like, f".nv.section{i}", b"",
                                      type=like.type if name in present else PROGBITS)

                def lie(headers):
                    for h in headers[big + 1:]:
                        h[4:6] = headers[big][4:6]

                yield f"{name} {options}", {"a.cubin": cubin.write(lie)}, options

    def many_symbols(self):
        for info, section in ((0x11, ".nv.global"), (0x12, None), (0x01, ".nv.global"), (0x21, ".nv.global")):
            cubin = self.cubin()
            for i in range(20000):
                cubin.add_symbol(cubin.string(b"s%d" % i, cubin[".strtab"]), info,
                                 cubin.index(section) if section else 0, 4 * i, 4)
            yield f"{info:#x} {section}", {"a.cubin": cubin.write()}, []

    def many_relocations(self):
        for target in ("use_globals", ".nv.global.init"):
            cubin = self.cubin()
            names = [s.name for s in cubin.sections]
            relocations = [s for s in cubin.sections if s.type in (RELA, 9) and s.data]
            for s in relocations:
                s.data *= MB // len(s.data)
            if relocations:
                for options in ([], ["-r"], ["-preserve-relocs"]):
                    yield f"{target} {options} of {len(names)}", {"a.cubin": cubin.write()}, options

    def many_records(self):
        """Contents of tables, repeated to 1 MB."""
        for kind in (INFO, CALLGRAPH, PROTOTYPE, NOTE, 0x7000000B, 0x70000086):
            for name in ("calls-kernel.sm_90.cubin", "indirect-kernel.sm_90.cubin",
                         "calls-kernel.sm_100.cubin"):
                cubin = self.cubin(name)
                found = [s for s in cubin.sections if s.type == kind and s.data]
                if not found:
                    continue
                for s in found:
                    s.data *= MB // len(found) // len(s.data)
                yield f"{name} {kind:#x}", {"a.cubin": cubin.write()}, []

    def call_chains(self):
        """A call graph as deep as 1 MB allows, and one that is dense."""
        for shape in ("chain", "ring", "star"):
            cubin = self.cubin("calls-function.sm_90.cubin")
            name = next(s.name for s in cubin.sections if s.name.startswith(".text."))
            like = cubin[name]
            symbols = []
            for i in range(4000):
                section = cubin.add_section(like, f".text.f{i}", like.data[:16] * 4)
                symbols.append(cubin.add_symbol(cubin.string(b"f%d" % i, cubin[".strtab"]), 0x12,
                                                section, 0, 64))
            graph = cubin[".nv.callgraph"]
            edges = list(zip(symbols, symbols[1:]))
            if shape == "ring":
                edges.append((symbols[-1], symbols[0]))
            if shape == "star":
                edges = [(a, b) for a in symbols[:100] for b in symbols[:500]]
            graph.data += b"".join(struct.pack("<II", a, b) for a, b in edges)
            for options in ([], ["-r"], ["-v", "--explain", "-dump-callgraph"]):
                yield f"{shape} {options}", {"a.cubin": cubin.write()}, options

    def bombs(self):
        for size in (8 * MB, 60 * MB, 63 * MB):
            packed = zlib.compress(bytes(size), 9)
            yield f"zlib {size}", {"a.fatbin": fatbin([(packed, 0x1001, size)])}, [], size
            yield f"zlib {size} in many units", {"a.a": archive(
                [(b"m%d.o/" % i, host_object([fatbin([(packed, 0x1001, size)])]))
                 for i in range(20)])}, [], 20 * size
        packed = zlib.compress(bytes(MB), 9)
        for claim in (1, MB - 1, MB + 1, 1 << 32, 1 << 63, (1 << 64) - 1):
            yield f"claim {claim:#x}", {"a.fatbin": fatbin([(packed, 0x1001, claim)])}, [], MB
        # A run of matches whose lengths are chains of 0xff.
        lz4 = b"\x1fA\1\0" + b"\xff" * 60000 + b"\0\x50AAAAA"
        for claim in (len(lz4), 255 * 60000, 15 << 20, 63 * MB):
            yield (f"lz4 {claim}", {"a.fatbin": fatbin([(lz4, 0x2001, claim)])}, [],
                   min(claim, 255 * 60000))
        # Zstd: a frame of RLE blocks.
        zstd = struct.pack("<IBI", 0xFD2FB528, 0xA0, 60 * MB)
        zstd += b"".join(struct.pack("<I", (0x20000 << 3) | 2 | (i == 479))[:3] + b"A"
                         for i in range(480))
        yield "zstd", {"a.fatbin": fatbin([(zstd, 0x8001, 60 * MB)])}, [], 60 * MB

    def offloading(self):
        """Clang's sections: each of the strings is the same long one, or the end of it."""
        count, length = 30000, MB // 2
        strings = 72
        text = strings + 16 * count
        for step in (0, 1):
            table = b"".join(struct.pack("<QQ", text + i * step, text + i * step)
                             for i in range(count))
            body = table + b"s" * length + b"\0"
            size = 72 + len(body)
            header = b"\x10\xff\x10\xad" + struct.pack("<IQQQ", 1, size, 32, 40)
            entry = struct.pack("<HHIQQQQ", 3, 1, 0, strings, count, 0, 0)
            yield f"strings {step}", {"a.o": host_object([header + entry + body],
                                                         b".llvm.offloading")}, []
        empty = struct.pack("<4sIQQQ", b"\x10\xff\x10\xad", 1, 72, 32, 40) + bytes(40)
        yield "many", {"a.o": host_object([empty * 14000], b".llvm.offloading")}, []

    def nesting(self):
        data = self.cubin().write()
        for depth in (2, 1000):
            nested = archive([(b"x.o/", data)])
            for _ in range(depth):
                nested = archive([(b"x.a/", nested)])
            yield f"archive {depth}", {"a.a": nested}, []
            nested = fatbin([(data, 1, 0)])
            for _ in range(depth):
                nested = fatbin([(nested, 1, 0)])
            yield f"fatbin {depth}", {"a.fatbin": nested}, []
            nested = host_object([fatbin([(data, 1, 0)])])
            for _ in range(depth):
                nested = host_object([fatbin([(nested, 1, 0)])])
            yield f"host object {depth}", {"a.o": nested}, []
        yield "many members", {"a.a": archive([(b"x.o/", b"")] * 16000)}, []
        yield "many small members", {"a.a": archive([(b"x.o/", data[:64])] * 8000)}, []
        yield "many fatbins", {"a.o": host_object([fatbin([])] * 60000)}, []
        yield "many entries", {"a.fatbin": fatbin([(b"", 1, 0)] * 15000)}, []
        yield "NUL in a member's name", {"a.a": archive([(b"x\0y.o/", data)])}, []
        yield "long name of a member", {"a.a": archive([(b"//", b"n" * MB + b"/\n"),
                                                       (b"/0", data)])}, []
        yield "archive of itself", {"a.a": b"!<thin>\n" + b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (
            b"a.a/", 0, 0, 0, b"644", 68)}, []

    def options(self):
        files = {"a.cubin": self.cubin().write(), "self.txt": b"-optf self.txt\n"}
        yield "options file of itself", files, ["-optf", "self.txt"]
        files["two.txt"] = b"-optf two.txt -optf two.txt\n"
        yield "options file of itself twice", files, ["-optf", "two.txt"]
        files["long.txt"] = b"-kernels-used=" + b"k" * MB + b"\n"
        yield "long option", files, ["-optf", "long.txt"]
        files["many.txt"] = b"-kernels-used=" + b"kernel_of_this," * (MB // 15) + b"k\n"
        yield "many values", files, ["-optf", "many.txt"]
        yield "device", files, ["/dev/zero"]


class Launcher:
    """A small process that starts the others: to the kernel the memory of a process is at least that
    of its parent."""

    PROGRAM = """
import os, sys
for line in sys.stdin:
    words = line.rstrip("\\n").split("\\t")
    out = os.open(words[0], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    pid = os.posix_spawn(words[1], words[1:], os.environ,
                         file_actions=[(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)])
    os.close(out)
    _, status, usage = os.wait4(pid, 0)
    print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss,
          flush=True)
"""

    def __init__(self, folder):
        self.process = subprocess.Popen([sys.executable, "-S", "-E", "-c", self.PROGRAM], cwd=folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, log, command):
        """Status, seconds, bytes."""
        self.process.stdin.write("\t".join([log, *command]) + "\n")
        self.process.stdin.flush()
        status, seconds, memory = self.process.stdout.readline().split()
        return int(status), float(seconds), int(memory) * 1024


def measure(launcher, linker, folder, files, options, unpacked=0):
    """Problem or None."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    output = folder / "out"
    output.unlink(missing_ok=True)
    inputs = [n for n in files if Path(n).suffix != ".txt"]
    status, seconds, memory = launcher.run(
        "messages", [linker, "-arch=sm_90", "-o", "out"] + options + inputs)
    text = (folder / "messages").read_bytes()
    given = sum(map(len, files.values()))
    written = output.stat().st_size if output.exists() else 0
    for name in files:
        (folder / name).unlink()
    complaint = b"error   :" in text or b"fatal   :" in text
    if status < 0:
        return f"signal {-status}"
    if (status != 0) != complaint or (status == 0) != output.exists():
        return f"status {status}, output {output.exists()}, {text[-200:]}"
    if b"times the" not in text:
        given += unpacked
    if seconds > max(1, given / MB) * SECONDS:
        return f"{seconds:.1f} s for {given} bytes"
    # Messages hold names, too.
    if memory > BASE + FACTOR * (given + written) + len(text):
        return f"{memory} bytes of memory for {given} + {written}"
    return None


def main():
    linker, inputs, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    launcher = Launcher(folder)
    cases, failed = Cases(inputs), 0
    names = sys.argv[4:] or [n for n, m in vars(Cases).items()
                             if not n.startswith("_") and n != "cubin"]
    for name in names:
        count, problems = 0, []
        for label, *case in getattr(cases, name)():
            count += 1
            problem = measure(launcher, linker, folder, *case)
            if problem:
                problems.append(f"  {name}: {label}: {problem}")
        print(f"{name}: {count} links, {len(problems)} problems", *problems, sep="\n", flush=True)
        failed += len(problems)
    launcher.process.stdin.close()
    return 1 if failed else 0


sys.exit(main())
