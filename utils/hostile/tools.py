# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every program over damaged inputs of its kind: the generator `programs`.

Each family is a command line of one program; its inputs are those of the generator `list`, or files of
other formats (wheels, libraries, reports, budgets, tar files, objects for Windows) with damaged bytes.
"""

import io
import json
import random
import re
import subprocess
import tempfile
import zipfile
from pathlib import Path

import cases
import containers as box
import garbage
import values

ANY = re.compile(r"\S")
#: Containers of the generator `list` whose files a program that reads cubins reads as well.
CONTAINERS = {"cubin": 6, "mercury": 4, "old": 1, "fatbin": 5, "entries": 1, "object": 5, "archive": 3, "thin": 1,
              "offload": 2}
LOCATIONS = ["kind", "arch", "use", "function", "template", "source", "file", "member"]


class Generator:
    """make(seed) gives a Case."""

    def __init__(self, only, sound):
        self.list = cases.Generator()
        self.families = {only: 1} if only else FAMILIES
        self.sound = sound

    def make(self, seed):
        choose = random.Random(f"programs {seed}")
        family = choose.choices(list(self.families), self.families.values())[0]
        case = cases.Case(family)
        # What a tool writes isn't always a cubin.
        case.output, case.statuses = None, (0, 1)
        getattr(Maker(self, choose, case), family)()
        return case


def sound_files(linker):
    """Files of formats that no generator makes from fields."""
    read = cases.Generator().read
    kernel, function = read("calls-kernel.sm_90.cubin"), read("calls-function.sm_90.cubin")
    fatbin = box.fatbin([box.entry(kernel, 90), box.entry(function, 90, compression=0x8000)])
    files = {"library.so": box.host_object([(b".nv_fatbin", fatbin), (b"__nv_relfatbin", fatbin)])}
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("p/library.so", files["library.so"])
        file.writestr("p/a.cubin", kernel)
    files["package.whl"] = wheel.getvalue()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "k.cubin").write_bytes(kernel)
        (folder / "f.cubin").write_bytes(function)
        for name in ("calls-kernel", "calls-function"):
            (folder / f"{name}.o").write_bytes(read(f"{name}.sm_75+sm_80+sm_90.o"))
        start = [str(Path(linker).parent / "ld.cuda"), "-arch=sm_90"]
        for words in (["k.cubin", "f.cubin", "-o", "out", "--resource-report=report.json", "--reproduce=link.tar"],
                      ["calls-kernel.o", "calls-function.o", "--host-object=windows.obj",
                       "--host-target=x86_64-pc-windows-msvc"]):
            subprocess.run(start + words, cwd=folder, check=True, capture_output=True)
        for name in ("report.json", "link.tar", "windows.obj"):
            files[name] = (folder / name).read_bytes()
    files["budget.toml"] = b'# limits\n["*"]\nregisters = 255\nstack = 100000\n\n["k*"]\nshared = 49152\nbarriers = 16\n'
    files["policy.toml"] = b'jit = false\n\n["old"]\nid = "no-code"\nfile = "*library.so"\ngpu = "sm_120"\nreason = "not there"\n'
    files["budget.json"] = json.dumps({"*": {"registers": 255, "code": 1 << 30}, "s*": {"stack": 0}}).encode()
    return files


def damage_bytes(data, choose):
    """A few edits anywhere."""
    data, notes = bytearray(data), []
    for _ in range(choose.choice([1, 1, 1, 2, 4, 16])):
        at, how = choose.randrange(max(1, len(data))), choose.randrange(7)
        width = choose.choice([1, 2, 4, 8])
        if how <= 2:
            value = choose.choice(values.boundaries(width) + [choose.randrange(1 << 8 * width)])
            data[at:at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")[:len(data) - at]
        elif how == 3 and data:
            data[at] ^= 1 << choose.randrange(8)
        elif how == 4:
            end = min(len(data), at + choose.choice([1, 8, 64, 1000]))
            data[at:at] = data[at:end]
        elif how == 5:
            del data[at:at + choose.choice([1, 4, 16, 200])]
        elif choose.random() < 0.3:
            del data[at:]
        notes.append(f"{how} at {at:#x}")
    return bytes(data), ", ".join(notes)


TOKENS = [b"0", b"-1", b"18446744073709551616", b"1e999", b"null", b"true", b'""', b"[", b"]", b"{", b"}", b",", b":", b"=",
          b'"', b"\\", b"\0", b"\xff", b"\n", b"#", b"NaN", b'"\\u0000"', b'"\\ud800"', b"[" * 200, b"99999999999999999999", b"*" * 300]


def damage_text(data, choose):
    """Words and signs that go, come, or change places."""
    words, notes = re.findall(rb'"[^"]*"|\w+|\s+|.', data, re.S), []
    for _ in range(choose.choice([1, 1, 2, 5])):
        at, how = choose.randrange(len(words)), choose.randrange(4)
        if how == 0:
            words[at] = choose.choice(TOKENS)
        elif how == 1:
            words.insert(at, choose.choice(TOKENS))
        elif how == 2 and len(words) > 1:
            del words[at]
        else:
            other = choose.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        notes.append(f"{how} at word {at}")
    data = b"".join(words)
    return (data[:choose.randrange(len(data) + 1)] if choose.random() < 0.05 else data), ", ".join(notes)


class Maker:
    def __init__(self, generator, choose, case):
        self.generator, self.choose, self.case = generator, choose, case

    # Inputs.

    def container(self):
        """Adds inputs of the generator `list`; their architecture."""
        maker = cases.Maker(self.generator.list, self.choose, self.case)
        family = self.choose.choices(list(CONTAINERS), CONTAINERS.values())[0]
        return getattr(maker, family)()[0]

    def sound(self, name):
        return self.generator.sound[name]

    def damaged(self, name):
        """A file of another format; rarely left as it is."""
        data, notes = self.sound(name), "as it is"
        if self.choose.random() < 0.97:
            is_text = name.endswith((".json", ".toml"))
            data, notes = (damage_text if is_text else damage_bytes)(data, self.choose)
        self.case.add(name, data)
        self.case.notes.append(f"{name}: {notes}")
        return name

    def either(self, *names):
        """A file of another format, or containers. Names."""
        if self.choose.random() < 0.3:
            return [self.damaged(self.choose.choice(names))]
        self.container()
        return self.case.inputs

    def command(self, program, words, outputs=None, output=None, statuses=(0, 1)):
        case = self.case
        case.program, case.arguments, case.outputs = program, list(words), outputs or {}
        case.output, case.statuses = output, statuses

    # Families.

    def dump(self):
        inputs = self.either("library.so", "windows.obj")
        option = self.choose.choice([[], [], ["--json"], ["--yaml"], ["--hex"], ["--symbols"], ["--info"], ["--mercury"]])
        self.command("cubin-dump", option + inputs)

    def diff(self):
        inputs = self.either("library.so")
        self.command("cubin-diff", self.choose.choice([[], ["--json"], ["--max-lines=0"], ["--require=identical"]]) +
                     [inputs[0], self.choose.choice(inputs)], statuses=(0, 1, 2))
        self.case.message = ANY

    def size(self):
        inputs = self.either("library.so", "package.whl", "windows.obj")
        form = self.choose.choice([[], [], ["--json"], ["--html"],
                                   ["--by=" + ",".join(self.choose.sample(LOCATIONS, 2))], ["--by=function", "--top=0"]])
        if self.choose.random() < 0.1:
            form = form + ["--diff=" + inputs[0]]
        self.command("cubin-size", form + inputs)

    def check(self):
        inputs = list(self.either("library.so", "package.whl", "windows.obj"))
        words = self.choose.choice([[], ["--gpu=sm_90"], ["--gpu=all-major"], ["--gpu=cmake:80-real;90"], ["--resources"]])
        words = words + self.choose.choice([[], [], ["--json"], ["--sarif"], ["--html"], ["--all"], ["--driver=570.86"]])
        if self.choose.random() < 0.2:
            words.append(f"--policy={self.damaged('policy.toml')}")
        if self.choose.random() < 0.1:
            words = ["--resources", f"--diff={inputs[0]}"]
        self.command("cubin-check", words + inputs, statuses=(0, 1, 2, 3))
        self.case.message = ANY  # What runs where is said in any case.

    def prune(self):
        inputs = self.either("library.so", "windows.obj")
        what = self.choose.choice([["--keep=sm_90"], ["--keep=sm_80,ptx"], ["--drop=sm_75"], ["--linked"],
                                   ["--strip-debug"], ["--compress=zstd", "--keep=sm_*"], ["--keep-kernels=*e*"],
                                   ["--drop-kernels=k"], ["--no-relocatable-elf"], ["--keep=sm_9*", "--compress=size"]])
        if self.choose.random() < 0.5:
            what = what + ["--allow-empty"]
        if self.choose.random() < 0.5:
            self.command("cubin-prune", what + [inputs[0], "-o", "out"], {"out": False}, "out")
        else:
            # Of several files each stands for itself: the sound ones are pruned though one is damaged.
            self.command("cubin-prune", what + ["--in-place", inputs[0]], {inputs[0]: False})

    def fatbinary(self):
        architecture = self.container()
        number = re.sub(r"\D", "", architecture)
        words = ["--create=out"]
        for name in self.case.inputs:
            kind = self.choose.choice(["elf", "elf", "elf", "ptx", "nvvm"])
            words.append(f"--image3=kind={kind},sm={number},file={name}")
        words += self.choose.choice([[], [], ["--compress-all"], ["--compress-mode=none"], ["-g"],
                                     ["--compress-mode=size"], ["--ident=x"]])
        outputs = {"out": False}
        if self.choose.random() < 0.5:
            words.append("--embedded-fatbin=out.c")
            outputs["out.c"] = False
        self.command("fatbinary", words, outputs, "out")

    def device_link(self):
        architecture = self.container()
        output = self.choose.choice(["--host-object=out", "--fatbin=out"])
        targets = {architecture, self.choose.choice([architecture, "sm_75", "sm_80", "sm_90", "sm_100"])}
        words = [f"-arch={target}" for target in sorted(targets)] + self.choose.choice(
            [[], [], ["-g"], ["--compress-mode=none"], ["--kernels-used=k"], ["-r"]])
        self.command("ld.cuda", words + self.case.inputs + [output], {"out": False}, "out")

    def nvcc(self):
        architecture = self.container()
        self.command("lld-cuda", ["-flavor", "nvcc", "--nvcc=/bin/false", "--called-as=./nvcc", "--", "-dlink",
                                  f"-arch={architecture}", *self.case.inputs, "-o", "out"], {"out": False}, "out",
                     statuses=(0, 1, 255))
        self.case.message = re.compile("")  # What isn't an object is handed to nvcc, here /bin/false.

    def windows(self):
        name = self.damaged("windows.obj")
        self.command("ld.cuda", ["-arch=sm_90", name, self.choose.choice(["--host-object=out", "--fatbin=out"])],
                     {"out": False}, "out")

    def reports(self):
        how = self.choose.randrange(3)
        if how == 0:
            name = self.damaged("report.json")
            self.case.add("second.json", self.sound("report.json"))
            self.command("ld.cuda", ["--join-reports", name, "second.json", "--resource-report=out"], {"out": False}, "out")
            return
        for name in ("calls-kernel.sm_90.cubin", "calls-function.sm_90.cubin"):
            self.case.add(name, self.generator.list.read(name))
        inputs = list(self.case.inputs)
        if how == 1:
            option = [f"--budget={self.damaged(self.choose.choice(['budget.toml', 'budget.json']))}"]
        else:
            option = [f"--baseline={self.damaged('report.json')}"]
        self.command("ld.cuda", ["-arch=sm_90", *inputs, "-o", "out.cubin", "--resource-report=" +
                                 self.choose.choice(["new.json", "new.html"]), *option],
                     {"out.cubin": False, "new.json": True, "new.html": True}, "out.cubin")

    def replay(self):
        name = self.damaged("link.tar")
        # Python's own limits and start are a part of this.
        self.command("reproducer", ["replay", name], statuses=(0, 1, 2, 255))
        self.case.message = ANY

    def bitcode(self):
        self.case.add("a.bc", garbage.bitcode(self.choose))
        self.command("ld.cuda", ["-arch=sm_90", "--lto-emit-llvm", "a.bc", "-o", "out"], {"out": False}, "out")
        # LLVM's reader may crash: that is the helper's end, and an error of the linker.
        self.case.helper_may_crash = True


FAMILIES = {"dump": 14, "diff": 8, "size": 14, "check": 14, "prune": 20, "fatbinary": 12, "device_link": 12, "nvcc": 3, "windows": 4,
            "reports": 12, "replay": 0.5, "bitcode": 0.5}

