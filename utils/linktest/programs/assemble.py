# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a Draft to a Case: how modules become inputs, and inputs a link or several."""

from links.case import Case, Command, LIBRARIES

from .draft import Build, Draft
from .model import Module
from .render import render

# What nvcc puts around the fatbin of a file: the segment that names it, the id by which the runtime
# registers it, and the lists of what the host code refers to.
HOST_OBJECT = """  .section __nv_relfatbin, "a"
  .balign 8
fatbin:
  .incbin "{fatbin}"
  .section .nvFatBinSegment, "aw"
  .balign 8
fatbin_{id}:
  .long 0x466243b1, 1
  .quad fatbin, 0
  .section __nv_module_id, "a"
  .asciz "{id}"
{lists}  .section .note.GNU-stack, "", @progbits
"""

# Kernels, variables, constants, each with external and internal linkage.
LISTS = ("KE", "KI", "DE", "DI", "CE", "CI")


class Assembler:
    def __init__(self, draft: Draft, name: str, seed: int):
        self.draft = draft
        self.case = Case(name, draft.arch.name, seed, draft.features, dict(draft.sources), list(draft.commands))
        self.libraries: list[str] = []  # Arguments for archives.
        self.archives: dict[str, list[str]] = {}

    def run(self, tool: str, args: list[str], reads: list[str], writes: list[str], **words) -> None:
        self.case.commands.append(Command(tool, args, reads, writes, **words))

    # Inputs.

    def compile(self, module: Module, arch: str, several: bool) -> str:
        build = self.draft.build(module)
        stem = f"{module.name}.{arch}" if several else module.name
        source, target = f"{stem}.ptx", f"{stem}{build.suffix}"
        self.case.sources[source] = render(self.draft.program, module, arch)
        self.run("ptxas", [f"-arch={arch}", "-m64", build.mode, *build.options, source, "-o", target], [source], [target],
                 compiler=build.compiler)
        return target

    def fatbin(self, module: Module, build: Build) -> str:
        """A fatbin of the module's images, or of its PTX."""
        draft, target = self.draft, f"{module.name}.fatbin"
        arches = build.architectures or [draft.arch.name]
        images, reads = [], []
        for arch in arches:
            if build.package == "ptx-fatbin":
                source = f"{module.name}.{arch}.ptx"
                self.case.sources[source] = render(draft.program, module, arch)
                images.append(f"--image3=kind=ptx,sm={arch[3:]},file={source}")
                reads.append(source)
            else:
                cubin = self.compile(module, arch, len(arches) > 1)
                images.append(f"--image3=kind=elf,sm={arch[3:]},file={cubin}")
                reads.append(cubin)
        mode = draft.rng.choice([[], [], ["--compress-mode=none"], ["--compress-mode=size"], ["--compress-mode=speed"]])
        self.run("fatbinary", [f"--create={target}", "-64", "--device-c", *mode, *images], reads, [target],
                 compiler=build.compiler)
        return target

    def host_object(self, name: str, fatbin: str, build: Build) -> str:
        source, target = f"{name}.s", f"{name}.o"
        lists = ""
        if build.host is not None:
            for kind in LISTS:
                words = "".join(f"{word}\\0" for word in build.host.references.get(kind, [""]))
                lists += f'  .section .nvHR{kind}, "a"\n  .ascii "{words}"\n'
        self.case.sources[source] = HOST_OBJECT.format(fatbin=fatbin, id=f"_{name}_cu", lists=lists)
        self.run("cc", ["-c", source, "-o", target], [source, fatbin], [target])
        return target

    def input(self, module: Module) -> str:
        """Makes a module's input; "" if it went to an archive."""
        build = self.draft.build(module)
        if build.package == "cubin" and len(build.architectures) < 2:
            return self.compile(module, (build.architectures or [self.draft.arch.name])[0], False)
        file = self.fatbin(module, build)
        if build.package.startswith("object"):
            file = self.host_object(module.name, file, build)
        if not build.package.endswith("-archive"):
            return file
        members = self.archives.setdefault(self.draft.rng.choice(["liba.a", "liba.a", "libb.a"]), [])
        members.append(file)
        return ""

    def finish_archives(self) -> list[str]:
        """Archives, by path or as -l."""
        words = []
        for name, members in self.archives.items():
            self.run("ar", ["rcsD", name, *members], members, [name])
            words += self.draft.rng.choice([[name], ["-L.", f"-l{name[3:-2]}"]])
        return words

    # Links.

    def link(self, inputs: list[str], target: str, last: bool = True, relocatable: bool = False) -> str:
        draft = self.draft
        options = list(draft.options) if last else []
        if relocatable:
            options = ["-r", *(draft.relocatable_options if not last else options)]
        arch = [f"-arch={draft.target}"] if draft.target else []
        words = [*arch, *options, *inputs]
        if last:
            words += self.libraries
        if draft.use_options_file and last:
            words = self.options_file(words)
        words = [*words, "-o", target]
        archives = [name for name in self.archives if last]
        extra = [name for name in draft.link_reads if last]
        reads = [w for w in [*inputs, *archives, *extra] if w]
        if draft.use_options_file and last:
            reads.append("link.opt")
        writes = [target, *(draft.outputs if last else [])]
        self.run("nvlink", words, reads, writes, ours=list(draft.ours), varying=list(draft.varying))
        return target

    def options_file(self, words: list[str]) -> list[str]:
        """Moves a part of the arguments into a file."""
        cut = self.draft.rng.randrange(len(words) + 1)
        self.case.sources["link.opt"] = "\n".join(words[cut:]) + "\n"
        return [*words[:cut], self.draft.rng.choice(["--options-file=link.opt", "-optf=link.opt", "@link.opt"])]

    def pack(self, part: str) -> str:
        """Now and then the output of a link with -r becomes a fatbin or a host object."""
        kind = self.draft.rng.choice(["cubin", "cubin", "fatbin", "object"])
        if kind == "cubin":
            return part
        stem = part.rsplit(".", 1)[0]
        image = f"--image3=kind=elf,sm={self.draft.arch.name[3:]},file={part}"
        self.run("fatbinary", [f"--create={stem}.fatbin", "-64", "--device-c", image], [part], [f"{stem}.fatbin"])
        return f"{stem}.fatbin" if kind == "fatbin" else self.host_object(stem, f"{stem}.fatbin", Build())

    def run_links(self, inputs: list[str]) -> None:
        """The links, by the draft's shape."""
        rng, shape = self.draft.rng, self.draft.shape
        if shape == "direct" or len(inputs) == 0:
            self.link(inputs, self.draft.output)
        elif shape == "relocatable":
            self.link(inputs, self.draft.output, relocatable=True)
        elif shape == "relink":
            cut = rng.randrange(1, len(inputs) + 1)
            part = self.pack(self.link(inputs[:cut], "part0.cubin", last=False, relocatable=True))
            rest = [part, *inputs[cut:]] if rng.random() < 0.7 else [*inputs[cut:], part]
            self.link(rest, self.draft.output)
        elif shape == "parts":
            cut = rng.randrange(1, len(inputs) + 1)
            groups = [group for group in (inputs[:cut], inputs[cut:]) if group]
            parts = [self.pack(self.link(group, f"part{i}.cubin", last=False, relocatable=True)) for i, group in enumerate(groups)]
            self.link(parts, self.draft.output)
        else:
            self.nested(inputs)

    def nested(self, inputs: list[str]) -> None:
        """Links with -r of outputs of links with -r; the last link is final or another one."""
        rng, rest = self.draft.rng, list(inputs)
        part = self.link([rest.pop(0)], "part0.cubin", last=False, relocatable=True)
        for number in range(1, rng.randrange(2, 5)):
            taken = [rest.pop(0)] if rest else []
            part = self.link([part, *taken] if rng.random() < 0.7 else [*taken, part], f"part{number}.cubin", last=False,
                             relocatable=True)
        self.link([part, *rest], self.draft.output, relocatable=rng.random() < 0.2)

    def assemble(self) -> Case:
        draft = self.draft
        modules = list(draft.program.modules)
        if draft.shuffles_inputs:
            draft.rng.shuffle(modules)
        inputs = [name for name in (self.input(module) for module in modules) if name]
        self.case.commands += draft.commands_after
        inputs = [draft.replaced_inputs.get(name, name) for name in inputs] + draft.extra_inputs
        self.libraries += self.finish_archives()
        if draft.libraries:
            self.libraries += [f"-L{LIBRARIES}", *(f"-l{name}" for name in dict.fromkeys(draft.libraries))]
        self.run_links(inputs)
        return self.case.needed()


def assemble(draft: Draft, name: str, seed: int) -> Case:
    return Assembler(draft, name, seed).assemble()
