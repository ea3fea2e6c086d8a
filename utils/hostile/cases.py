# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hostile links: a number fixes the inputs, what is wrong with them, and the command line.

This is a generator of its own beside scripts/mutate and fuzz/StructureMutator.cpp: it knows the
formats from docs/reference and shares no code with them.
"""

import functools
import random
import re
import struct
import sys
from pathlib import Path

import containers as box
import fields
import garbage
import options
import rebuild
import values

ROOT = Path(__file__).resolve().parent.parent.parent


class Case:
    def __init__(self, family):
        self.family, self.files, self.inputs, self.notes = family, {}, [], []
        self.program, self.arguments, self.outputs = "nvlink", [], {}
        self.seed = None
        #: The file that has to be there after success; the statuses that the program's manual has; what a
        #: failure has to say; whether a program that this one starts may crash.
        self.output, self.statuses, self.message, self.helper_may_crash = "out.cubin", (0, 1, 255), None, False

    def may_write_nothing(self):
        """With a virtual target nothing is linked."""
        return any("compute_" in a for a in self.arguments)

    def add(self, name, data, is_input=True):
        self.files[name] = data
        if is_input:
            self.inputs.append(name)

    def __str__(self):
        return "\t".join([self.family, self.program + " " + " ".join(self.arguments),
                          "; ".join(self.notes)])


class Generator:
    """make(seed) gives a Case."""

    def __init__(self, only=None, bases=None):
        self.inputs = {path.name: path for path in (ROOT / "test" / "corpus" / "Inputs").glob("*/*")}
        self.paths = {}
        self.links = self.links_of(Path(bases)) if bases else corpus_links()
        self.families = {only: 1} if only else FAMILIES

    def links_of(self, bases):
        """Of a file with lines `ARCHITECTURE<TAB>FILE FILE...`, relative to its folder."""
        links = []
        for line in bases.read_text().splitlines():
            architecture, files = line.split("\t")
            names = []
            for path in files.split():
                names.append(f"{len(self.paths)}-{Path(path).name}")
                self.paths[names[-1]] = bases.parent / path
            links.append((architecture, tuple(names)))
        return links

    @functools.lru_cache(maxsize=1000)
    def read(self, name):
        return (self.paths.get(name) or self.inputs[name]).read_bytes()

    @functools.lru_cache(maxsize=1000)
    def layout(self, name):
        return fields.Layout(self.read(name))

    @functools.lru_cache(maxsize=None)
    def links_for(self, wanted):
        return [x for x in self.links if re.match(wanted, x[0])] or self.links

    def make(self, seed):
        choose = random.Random(f"hostile {seed}")
        family = choose.choices(list(self.families), self.families.values())[0]
        case = Case(family)
        architecture, extra = getattr(Maker(self, choose, case), family)()
        if not case.arguments:
            case.program, case.arguments, case.outputs = options.command(
                choose, case.inputs, architecture, extra)
        return case


def corpus_links():
    """(architecture, names of cubins) of the corpus's links."""
    sys.path.insert(0, str(ROOT / "test" / "corpus"))
    import link
    found = set()
    for test in sorted(link.HERE.glob("*.test")):
        for one in link.links_of(test):
            names = tuple(n for n in one.inputs() if n.endswith(".cubin") and link.input_path(n))
            architecture = re.search(r"-arch=(\S+)", " ".join(one.arguments))
            if names and architecture and "compute" not in architecture[1]:
                found.add((architecture[1], names))
    return sorted(found)


class Maker:
    def __init__(self, generator, choose, case):
        self.generator, self.choose, self.case = generator, choose, case
        self.damage_share = 1

    # Parts.

    def link(self, wanted=""):
        return self.choose.choice(self.generator.links_for(wanted))

    def damaged(self, name):
        """A cubin of the corpus, made wrong by structure."""
        data, layout = self.generator.read(name), self.generator.layout(name)
        if self.choose.random() > self.damage_share:
            return data
        how = self.choose.random()
        if how < 0.25:
            data, what = rebuild.damage(data, self.choose, layout)
            self.case.notes.append(what)
            return data
        data = bytearray(data)
        for _ in range(self.choose.choice([1, 1, 1, 1, 2, 3])):
            self.case.notes.append(values.damage(data, self.choose, layout))
        if how > 0.97:
            del data[self.choose.randrange(len(data)):]
            self.case.notes.append(f"cut to {len(data)}")
        return bytes(data)

    def payload(self, name, share=0.4):
        return self.damaged(name) if self.choose.random() < share else self.generator.read(name)

    def lie(self, share):
        """A liar for containers."""
        if not share or self.choose.random() > self.damage_share:
            return box.truth

        def tell(name, value, width):
            if self.choose.random() > share:
                return value
            told = self.choose.choice(
                values.boundaries(width) + [value + 1, value - 1, value * 2, value + 8, value - 8,
                                            value ^ 1 << self.choose.randrange(8 * width), 64, 16, 40])
            self.case.notes.append(f"{name}={told:#x}")
            return told
        return tell

    def entry(self, name, number, lie, share=0.25):
        """A fatbin's entry for a cubin, in some compression."""
        compression = self.choose.choice(list(box.COMPRESSIONS))
        kind = box.CUBIN if self.choose.random() < 0.96 else self.choose.choice([0, 3, 4, 16, 32, 0xFFFF])
        compat = self.choose.choice([None, None, b"", b"\x02\x02\1\0" * 4, bytes(64)])
        data = box.entry(self.payload(name, share), number, kind, compression=compression, options=compat,
                         lie=lie)
        if compression and self.choose.random() < 0.1:  # The compressed bytes.
            data = bytearray(data)
            for _ in range(self.choose.choice([1, 2, 8])):
                data[64 + self.choose.randrange(max(1, len(data) - 64))] = self.choose.randrange(256)
            self.case.notes.append("compressed bytes")
        return bytes(data)

    def fatbin_of(self, name, architecture, lie):
        number = int(re.sub(r"\D", "", architecture))
        entries = [self.entry(name, number, lie)]
        for _ in range(self.choose.choice([0, 0, 0, 1, 3])):
            other = self.choose.choice([75, 80, 86, 90, 100, 120, number, 0, 0xFFFFFFFF])
            entries.append(self.choose.choice([
                lambda: self.entry(name, other, lie, 0.1),
                lambda: box.entry(garbage.ptx_tail(self.choose), 200, box.PTX, lie=lie),
                lambda: box.entry(garbage.lto_ir(self.choose), other, box.LTO, options=b"-arch=x ", lie=lie),
                lambda: box.entry(b"", other, lie=lie),
                lambda: box.entry(box.fatbin([entries[0]]), number, lie=lie)])())
        self.choose.shuffle(entries)
        return box.fatbin(entries, lie)

    def object_of(self, name, architecture, lie):
        fatbins = self.fatbin_of(name, architecture, lie)
        for _ in range(self.choose.choice([0, 0, 0, 1, 5])):  # The same again would be two definitions.
            fatbins += bytes(self.choose.choice([0, 8])) + self.choose.choice([
                lambda: self.fatbin_of(name, self.choose.choice(["sm_75", "sm_89", "sm_121"]), lie),
                lambda: box.fatbin([], lie), lambda: self.fatbin_of(name, architecture, lie)])()
        sections = [(b"__nv_relfatbin", fatbins), (b".nvFatBinSegment", box.segment(1, lie))]
        for extra in (b".nv_fatbin", b"__nv_module_id", b".nvHRKE", b".nvHRKI", b".nvHRDE", b".nvHRCI"):
            if self.choose.random() < 0.25:
                sections.append((extra, garbage.names(self.choose) if extra != b".nv_fatbin" else fatbins))
        if self.choose.random() < 0.2:
            self.choose.shuffle(sections)
        if self.choose.random() < 0.1:
            sections.append(self.choose.choice(sections))
        if self.choose.random() < 0.05:
            sections.append((b".text", bytes(self.choose.choice([0, 1, 4096]))))
        if self.choose.random() < 0.05:
            del sections[self.choose.randrange(len(sections))]
        return box.host_object(sections, lie, self.choose.choice([62, 62, 62, 183, 183, 21, 0, 190, 0xFFFF]),
                               self.choose.random() < 0.93)

    def cut(self, data, share=0.05):
        if self.choose.random() < share and data:
            data = data[:self.choose.randrange(len(data))]
            self.case.notes.append(f"cut to {len(data)}")
        return data

    # Families; each returns architecture and further arguments.

    def cubin(self, wanted=r"sm_[7-9]"):
        architecture, names = self.link(wanted)
        victim = self.choose.choice(names)
        for name in names:
            self.case.add(name, self.damaged(name) if name == victim else self.generator.read(name))
        return architecture, []

    def mercury(self):
        return self.cubin(r"sm_1")

    def old(self):
        architecture, names = self.link()
        victim = self.choose.choice(names)
        for name in names:
            data = self.generator.read(name)
            if name == victim or self.choose.random() < 0.5:
                data, what = rebuild.older(data, self.choose, self.generator.layout(name))
                self.case.notes.append(what)
                if self.choose.random() < 0.5:
                    data = bytearray(data)
                    self.case.notes.append(values.damage(data, self.choose, self.generator.layout(name)))
            self.case.add(name, bytes(data))
        return architecture, []

    def fatbin(self):
        architecture, names = self.link()
        lie = self.lie(self.choose.choice([0, 0, 0.005, 0.02, 0.1]))
        for name in names:
            self.case.add(name[:-5] + "fatbin", self.cut(self.fatbin_of(name, architecture, lie)))
        return architecture, []

    def entries(self):
        """Very many of them, nested, overlapping, or with one payload."""
        architecture, names = self.link()
        number = int(re.sub(r"\D", "", architecture))
        lie = self.lie(self.choose.choice([0, 0.002]))
        data = self.generator.read(names[0])
        how = self.choose.randrange(5)
        if how == 0:
            some = [box.entry(self.choose.choice([b"", bytes(8), b"\x7fELF", data[:64]]), number,
                              self.choose.choice([1, 2, 2, 2, 8, 16, 99]), self.choose.choice([0x11, 0, 1]),
                              lie=lie) for _ in range(50)]
            entries = self.choose.choices(some, k=self.choose.choice([100, 1000, 5000]))
            entries.append(box.entry(data, number, lie=lie))
            result = box.fatbin(entries, lie)
        elif how == 1:
            result = box.fatbin([box.entry(data, number)])
            for _ in range(self.choose.choice([1, 2, 50, 500])):
                result = box.fatbin([box.entry(result, number, lie=lie)], lie)
        elif how == 2:  # The next entry begins in the one before.
            entries = [box.entry(data, number) for _ in range(4)]
            body = bytearray(b"".join(entries))
            for i in range(4):
                struct.pack_into("<Q", body, i * len(entries[0]) + 8,
                                 self.choose.choice([0, 8, 16, len(data) - 64, 1 << 63, (1 << 64) - 64]))
            result = box.fatbin([bytes(body)], lie)
        elif how == 3:  # Fatbins one behind another in one file.
            result = b"".join(box.fatbin([self.entry(names[0], number, lie)], lie) +
                              bytes(self.choose.choice([0, 8, 3])) for _ in range(20))
        else:  # Overlapping headers and claims.
            result = box.fatbin([box.entry(data, number, lie=self.lie(0.2)) for _ in range(3)])
        self.case.notes.append(f"entries {how}")
        self.case.add("many.fatbin", self.cut(result))
        for name in names[1:]:
            self.case.add(name, self.generator.read(name))
        return architecture, []

    def object(self):
        architecture, names = self.link()
        lie = self.lie(self.choose.choice([0, 0, 0.002, 0.01, 0.05]))
        for name in names:
            self.case.add(name[:-5] + "o", self.cut(self.object_of(name, architecture, lie)))
        return architecture, []

    def archive(self):
        architecture, names = self.link()
        lie = self.lie(self.choose.choice([0, 0, 0.01]))
        members = []
        for name in names:
            for _ in range(self.choose.choice([1, 1, 2])):
                members.append((self.choose.choice(garbage.MEMBER_NAMES), self.choose.choice([
                    lambda: self.object_of(name, architecture, lie),
                    lambda: self.payload(name),
                    lambda: self.fatbin_of(name, architecture, lie),
                    lambda: garbage.bitcode(self.choose),
                    lambda: b""])()))
        result = garbage.archive(self.choose, members, self.case.notes)
        for _ in range(self.choose.choice([0, 0, 1, 2, 30])):  # In one another.
            result = garbage.archive(self.choose, [(b"inner.a/", result)], self.case.notes)
        result = self.cut(result, 0.08)
        if self.choose.random() < 0.7:
            self.case.add("lib.a", result)
            return architecture, []
        self.case.add("libhostile.a", result, is_input=False)
        self.case.add(names[0], self.generator.read(names[0]))
        return architecture, ["-L.", "-lhostile"]

    def thin(self):
        architecture, names = self.link()
        real = []
        for i, name in enumerate(names):
            self.case.add(f"m{i}.o", self.object_of(name, architecture, self.lie(0.003)), is_input=False)
            real.append(b"m%d.o" % i)
        paths = [self.choose.choice(real + garbage.THIN_PATHS) for _ in range(self.choose.choice([1, 2, 4]))]
        self.case.notes.append(f"thin {paths}")
        result = box.thin_archive(paths)
        if self.choose.random() < 0.3:
            result = bytearray(result)
            at = self.choose.randrange(8, len(result))
            result[at] = self.choose.choice([0, 0x20, 0x2F, 0x30, 0x39, 0xFF, self.choose.randrange(256)])
            result = bytes(result)
        self.case.add("lib.a", self.cut(result))
        return architecture, []

    def offload(self):
        architecture, names = self.link()
        lie = self.lie(self.choose.choice([0, 0.02, 0.05, 0.2]))
        binaries = b""
        for name in names * self.choose.choice([1, 1, 3]):
            strings = {b"arch": architecture.encode(), b"triple": b"nvptx64-nvidia-cuda"}
            if self.choose.random() < 0.3:
                strings[self.choose.choice([b"", b"arch\xff", b"k" * 2000, b"kind"])] = self.choose.choice(
                    [b"", b"\xff" * 5, b"sm_90", b"v" * 1020, b"v" * 1025])
            image, kind = self.choose.choice([
                lambda: (self.payload(name), 3), lambda: (self.payload(name), 1),
                lambda: (self.fatbin_of(name, architecture, lie), 4),
                lambda: (garbage.bitcode(self.choose), 2), lambda: (self.payload(name, 1), 9)])()
            binaries += box.offload_binary(image, strings, kind, self.choose.choice([2, 2, 2, 0, 1, 4]), lie)
            binaries += bytes(self.choose.choice([0, 0, 8, 1]))
        binaries = self.cut(binaries)
        if self.choose.random() < 0.2:
            self.case.add("image.out", binaries)
        else:
            self.case.add("clang.o", box.host_object(
                [(b".llvm.offloading", binaries)] * self.choose.choice([1, 1, 2]), lie,
                self.choose.choice([62, 183])))
        return architecture, []

    def lto(self):
        architecture, names = self.link()
        number = int(re.sub(r"\D", "", architecture))
        how = self.choose.randrange(5)
        data = garbage.lto_ir(self.choose) if how < 3 else garbage.bitcode(self.choose)
        if how == 0:
            self.case.add("garbage.ltoir", data)
        elif how == 1:
            self.case.add("garbage.fatbin", box.fatbin([box.entry(
                data, number, box.LTO, options=garbage.OPTIONS(self.choose), lie=self.lie(0.02))]))
        elif how == 2:
            self.case.add("garbage.o", box.host_object([
                (b"__nv_relfatbin", box.fatbin([box.entry(data, number, box.LTO)])),
                (b".nvFatBinSegment", box.segment(1))]))
        else:
            self.case.add(self.choose.choice(["garbage.bc", "garbage.o", "garbage"]), data)
        if self.choose.random() < 0.5:
            self.case.add(names[0], self.generator.read(names[0]))
        return architecture, self.choose.choice([["-lto"], ["-lto", "-nvvmpath=."], []])

    def ptx(self):
        architecture, names = self.link()
        text = garbage.ptx(self.choose, architecture)
        if self.choose.random() < 0.5:
            self.case.add("text.ptx", text)
        else:
            number = int(re.sub(r"\D", "", architecture))
            self.case.add("text.fatbin", box.fatbin([box.entry(
                text, number, box.PTX, compression=self.choose.choice(list(box.COMPRESSIONS)),
                options=garbage.OPTIONS(self.choose), lie=self.lie(0.01))]))
        if self.choose.random() < 0.4:
            self.case.add(names[0], self.generator.read(names[0]))
        return architecture, self.choose.choice([[], ["-g"]])

    def response(self):
        architecture, names = self.link()
        for name in names:
            self.case.add(name, self.generator.read(name), is_input=False)
        words = [f"-arch={architecture}", *names]
        first = garbage.response(self.choose, self.case, words)
        self.case.notes.append("response " + repr(self.case.files[first][:60]))
        self.case.program = self.choose.choice(["nvlink", "nvlink", "ld.cuda"])
        option = self.choose.choice([["-optf", first], [f"--options-file={first}"], ["--options-file", first]])
        if self.case.program == "ld.cuda":
            option = self.choose.choice([[f"@{first}"], [f"--options-file={first}"]])
        self.case.arguments = option + self.choose.choice(options.NVLINK[:12]) + ["-o", "out.cubin"]
        self.case.outputs = {"out.cubin": False}
        return architecture, []

    def many(self):
        """So many files that the link runs in threads."""
        architecture, names = self.link()
        how = self.choose.randrange(3)
        victims = set(self.choose.sample(names, self.choose.choice([0, 1, len(names)])))
        for name in names:
            self.case.add(name, self.damaged(name) if name in victims else self.generator.read(name))
        if how == 0:
            for i in range(66):
                self.case.add(f"plain{i}.o", self.generator.read("plain.o"))
        elif how == 1:
            members = [(b"m%d.o/" % i, self.object_of(names[0], "sm_75", self.lie(0.0005))) for i in range(70)]
            self.case.add("many.a", garbage.archive(self.choose, members, self.case.notes))
        else:
            for i in range(66):  # Equal definitions, or an error for each.
                self.case.add(f"again{i}.cubin", self.payload(names[0], 0.02))
        return architecture, self.choose.choice([[], ["--threads=3"], ["-v"], ["--stats"]])

    def mixed(self):
        """Several containers in one link, each from another family."""
        architecture = self.link()[0]
        for _ in range(self.choose.choice([2, 2, 3, 5])):
            inner = Maker(self.generator, self.choose, Case("inner"))
            inner.link = lambda wanted="": self.link(re.escape(architecture) + "$")
            inner.damage_share = 0.3
            getattr(inner, self.choose.choice(["cubin", "fatbin", "object", "archive", "offload"] * 3 + ["old"]))()
            for name, data in inner.case.files.items():
                if name not in self.case.files:
                    self.case.add(name, data, name in inner.case.inputs)
            self.case.notes += inner.case.notes
        return architecture, []


# Family: weight. PTX and LTO start other programs.
FAMILIES = {"cubin": 20, "mercury": 16, "old": 5, "fatbin": 14, "entries": 4, "object": 12, "archive": 9,
            "thin": 3, "offload": 7, "lto": 1.5, "ptx": 0.6, "response": 2, "mixed": 6, "many": 0.7}
