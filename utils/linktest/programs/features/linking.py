# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How inputs are packed and linked."""

from links.case import Command

from ..draft import Draft, Host
from .registry import feature


def packages(draft: Draft, kinds: list[str]) -> None:
    """Packs some modules, one at least, in one of the ways."""
    modules = draft.program.modules
    for module in draft.rng.sample(modules, draft.rng.randrange(1, len(modules) + 1)):
        draft.build(module).package = draft.rng.choice(kinds)


@feature("linking")
def relocatable(draft: Draft) -> None:
    """One link with -r."""
    draft.shape = "relocatable"


@feature("linking")
def relink(draft: Draft) -> None:
    """Some inputs are linked with -r, then that and the others."""
    draft.shape = draft.rng.choice(["relink", "parts"])
    if draft.maybe(0.3):
        draft.relocatable_options.append(draft.rng.choice(["-g", "-preserve-relocs", "-v", "-ignore-host-info"]))


@feature("linking")
def nested(draft: Draft) -> None:
    """Links with -r of outputs of links with -r."""
    draft.shape = "nested"


@feature("linking")
def fatbins(draft: Draft) -> None:
    """Fatbins, compressed in all ways, with images of several architectures."""
    packages(draft, ["fatbin"])
    for module in draft.program.modules:
        if draft.build(module).package == "fatbin" and draft.maybe(0.3) and draft.arch.number != 75:
            draft.build(module).architectures = [draft.arch.name, "sm_75"] if plain(module) else []


def plain(module) -> bool:
    """Can a module be compiled for an old architecture, too?"""
    return all(len(statement.lines) < 3 for function in module.functions for statement in function.body)


@feature("linking")
def ptx_entries(draft: Draft) -> None:
    """Fatbins that hold PTX, which the linker compiles."""
    packages(draft, ["ptx-fatbin"])


@feature("linking")
def host_objects(draft: Draft) -> None:
    """Host objects as nvcc makes them, several of them."""
    packages(draft, ["object"])
    if draft.maybe(0.4):
        draft.sources["plain.s"] = '.globl plain\nplain: ret\n.section .note.GNU-stack, "", @progbits\n'
        draft.commands.append(Command("cc", ["-c", "plain.s", "-o", "plain.o"], ["plain.s"], ["plain.o"]))
        draft.extra_inputs.append("plain.o")


@feature("linking")
def host_info(draft: Draft) -> None:
    """Host objects that say what the host code refers to; other kernels are dropped."""
    for module in draft.program.modules:
        build = draft.build(module)
        build.package = "object"
        references = {}
        for kind, items in (("KE", module.kernels), ("DE", [v for v in module.variables if v.space == "global"]),
                            ("CE", [v for v in module.variables if v.space == "const"])):
            references[kind] = [item.name for item in items if draft.maybe(0.5)] or [""]
        if draft.maybe(0.9):
            build.host = Host(references)
    if draft.maybe(0.5):
        draft.options.append(draft.rng.choice(["-use-host-info", "-ignore-host-info"]))


@feature("linking")
def archives(draft: Draft) -> None:
    """Archives of host objects, by path and as -l."""
    packages(draft, ["object-archive"])


@feature("linking")
def register(draft: Draft) -> None:
    """The list of registration functions."""
    packages(draft, ["object"])
    draft.options.append("--register-link-binaries=registered.c")
    draft.outputs.append("registered.c")


@feature("linking")
def options_file(draft: Draft) -> None:
    """Arguments in a file."""
    draft.use_options_file = True


@feature("linking")
def order(draft: Draft) -> None:
    """Inputs in another order than that of their creation."""
    draft.shuffles_inputs = True


@feature("linking")
def kernels_used(draft: Draft) -> None:
    """--kernels-used with names and parts of names."""
    names = [kernel.name for kernel in draft.program.kernels] or ["kernel"]
    chosen = draft.rng.sample(names, draft.rng.randrange(1, min(3, len(names)) + 1))
    if draft.maybe(0.3):
        chosen[0] = chosen[0][:draft.rng.randrange(1, len(chosen[0]) + 1)]
    draft.options.append(f"--kernels-used={','.join(chosen)}")


@feature("linking")
def variables_used(draft: Draft) -> None:
    """--variables-used, alone or with --kernels-used."""
    names = [v.name for m in draft.program.modules for v in m.variables if v.space in ("global", "const")] or ["variable"]
    chosen = draft.rng.sample(names, draft.rng.randrange(1, min(3, len(names)) + 1))
    draft.options.append(f"--variables-used={','.join(chosen)}")
    if draft.maybe(0.5):
        kernels_used(draft)


@feature("linking")
def preserve_relocs(draft: Draft) -> None:
    """-preserve-relocs."""
    draft.options.append("-preserve-relocs")


@feature("linking")
def link_debug(draft: Draft) -> None:
    """-g for the link, whatever the modules are compiled with."""
    if "-g" not in draft.options:
        draft.options.append("-g")


@feature("linking")
def verbose(draft: Draft) -> None:
    """-v and -dump-callgraph, whose text is compared."""
    draft.options += draft.rng.choice([["-v"], ["-v"], ["-dump-callgraph"], ["-v", "-dump-callgraph"],
                                       ["-dump-callgraph-no-demangle"], ["-v", "-report-arch"]])
