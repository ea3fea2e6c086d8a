# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How modules are compiled."""

from .. import code
from ..draft import Draft
from ..model import Alias, Function, Signature
from .registry import feature


def some_modules(draft: Draft) -> list:
    modules = draft.program.modules
    return modules if draft.maybe(0.5) else draft.rng.sample(modules, draft.rng.randrange(1, len(modules) + 1))


@feature("compilation")
def lineinfo(draft: Draft) -> None:
    """Line tables (-lineinfo)."""
    for module in some_modules(draft):
        module.has_lines = True
        draft.build(module).options.append("-lineinfo")


@feature("compilation")
def debug(draft: Draft) -> None:
    """Debug information (ptxas -g), linked with -g and without."""
    for module in some_modules(draft):
        module.has_lines = module.has_dwarf = True
        options = draft.build(module).options
        if "-lineinfo" in options:
            options.remove("-lineinfo")
        options.append("-g")
    if draft.maybe(0.7):
        draft.options.append("-g")
        if draft.maybe(0.3):
            draft.options.append("-suppress-debug-info")


@feature("compilation")
def optimization_levels(draft: Draft) -> None:
    """Modules compiled with -O0 to -O3."""
    for module in draft.program.modules:
        options = draft.build(module).options
        if "-g" not in options:
            options.append(f"-O{draft.rng.randrange(4)}")


@feature("compilation")
def compiler_options(draft: Draft) -> None:
    """Other options of ptxas: limits, position-independent code, annotations."""
    for module in some_modules(draft):
        options = draft.build(module).options
        options.append(draft.rng.choice(["-maxrregcount=40", "-pic=true", "-dlcm=cg", "-fmad=false", "--def-load-cache=ca",
                                         "--def-store-cache=cs", "-warn-spills", "-preserve-relocs", "-annotate"]))


@feature("compilation")
def names(draft: Draft) -> None:
    """Long and odd names, and files of odd names."""
    renames = {}
    for item in (i for m in draft.program.modules for i in m.items if not isinstance(i, Alias)):
        if draft.maybe(0.3) and item.linkage == "visible":
            renames[item.name] = draft.rng.choice([
                item.name + "x" * draft.rng.choice([30, 200, 900]), f"_Z{len(item.name)}{item.name}i", f"${item.name}$1",
                f"_{item.name}", f"%{item.name}", f"_ZN3abc{len(item.name)}{item.name}IiLi3EEvT_", f"__internal_{item.name}"])
    for module in draft.program.modules:
        for item in module.items:
            rename(item, renames)


def rename(item, renames: dict[str, str]) -> None:
    """Changes an item's name and the names in it."""
    def new(text: str) -> str:
        for old, name in renames.items():
            text = replace_word(text, old, name)
        return text
    item.name = renames.get(item.name, item.name)
    if isinstance(item, Alias):
        item.target = renames.get(item.target, item.target)
        return
    if isinstance(item, Function):
        for statement in item.body:
            if any(name in renames for name in statement.uses):
                statement.lines = [new(line) for line in statement.lines]
                statement.uses = tuple(renames.get(name, name) for name in statement.uses)
        return
    item.init = [new(value) if isinstance(value, str) else value for value in item.init]
    item.uses = tuple(renames.get(name, name) for name in item.uses)


def replace_word(text: str, old: str, new: str) -> str:
    """Replaces a name where it isn't a part of a longer one."""
    parts = text.split(old)
    result = parts[0]
    for part in parts[1:]:
        longer = part[:1].isalnum() or part[:1] in ("_", "$")
        result += (old if longer else new) + part
    return result


@feature("compilation")
def empty(draft: Draft) -> None:
    """Modules with nothing in them."""
    for _ in range(draft.rng.randrange(1, 3)):
        module = draft.new_module()
        if draft.maybe(0.3):
            module.has_lines = True
            draft.build(module).options.append("-lineinfo")
    if draft.maybe(0.2):
        for module in draft.program.modules:
            module.items = []


@feature("compilation", available=lambda arch: bool(arch.predecessors))
def mixed_architectures(draft: Draft) -> None:
    """Objects of an older architecture whose code runs on the link's."""
    for module in draft.rng.sample(draft.program.modules, draft.rng.randrange(1, len(draft.program.modules) + 1)):
        draft.build(module).architectures = [draft.rng.choice(draft.arch.predecessors)]


@feature("compilation", needs=("several-compilers",))
def mixed_releases(draft: Draft) -> None:
    """Objects by compilers of several releases (--compiler-toolkit given several times)."""
    for module in draft.program.modules:
        draft.build(module).compiler = draft.rng.randrange(draft.compilers)


@feature("compilation")
def whole_programs(draft: Draft) -> None:
    """Modules compiled as whole programs (-ewp): functions lie in their kernels' sections."""
    module = draft.new_module()
    kernel = draft.new_kernel(module)
    for _ in range(draft.rng.randrange(1, 4)):
        function = draft.new_function(module, linkage="static", signature=Signature())
        kernel.body.append(code.call_if(function, draft.rng.randrange(8)))
        if draft.maybe(0.4):
            function.locals.append(".local .align 16 .b8 buffer[64];")
            function.body.append(code.raw("mov.u64 %d0, buffer;", "and.b32 %a0, %v, 15;", "mul.wide.u32 %d1, %a0, 4;",
                                          "add.u64 %d0, %d0, %d1;", "st.local.u32 [%d0], %v;", "ld.local.u32 %v, [buffer+12];"))
    draft.build(module).mode = "-ewp"
